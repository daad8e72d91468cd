-- +goose Up
ALTER TABLE dcim_device
    ADD COLUMN primary_ip4_id bigint CONSTRAINT dcim_device_primary_ip4_exists REFERENCES ipam_ipaddress,
    ADD COLUMN primary_ip6_id bigint CONSTRAINT dcim_device_primary_ip6_exists REFERENCES ipam_ipaddress,
    ADD CONSTRAINT dcim_device_primary_ip4_unique UNIQUE (primary_ip4_id),
    ADD CONSTRAINT dcim_device_primary_ip6_unique UNIQUE (primary_ip6_id);
ALTER TABLE dcim_virtualdevicecontext
    ADD COLUMN primary_ip4_id bigint CONSTRAINT dcim_virtualdevicecontext_primary_ip4_exists REFERENCES ipam_ipaddress,
    ADD COLUMN primary_ip6_id bigint CONSTRAINT dcim_virtualdevicecontext_primary_ip6_exists REFERENCES ipam_ipaddress,
    ADD CONSTRAINT dcim_virtualdevicecontext_primary_ip4_unique UNIQUE (primary_ip4_id),
    ADD CONSTRAINT dcim_virtualdevicecontext_primary_ip6_unique UNIQUE (primary_ip6_id);
ALTER TABLE virtualization_virtualmachine
    ADD COLUMN primary_ip4_id bigint CONSTRAINT virtualization_virtualmachine_primary_ip4_exists REFERENCES ipam_ipaddress,
    ADD COLUMN primary_ip6_id bigint CONSTRAINT virtualization_virtualmachine_primary_ip6_exists REFERENCES ipam_ipaddress,
    ADD CONSTRAINT virtualization_virtualmachine_primary_ip4_unique UNIQUE (primary_ip4_id),
    ADD CONSTRAINT virtualization_virtualmachine_primary_ip6_unique UNIQUE (primary_ip6_id);

-- +goose Down
ALTER TABLE dcim_device DROP COLUMN primary_ip4_id, DROP COLUMN primary_ip6_id;
ALTER TABLE dcim_virtualdevicecontext DROP COLUMN primary_ip4_id, DROP COLUMN primary_ip6_id;
ALTER TABLE virtualization_virtualmachine DROP COLUMN primary_ip4_id, DROP COLUMN primary_ip6_id;
