-- +goose Up
-- A foreign key could refer to the columns of a constraint. So a change of them waits for whoever refers to the device, and two requests
-- that make it the master of a virtual chassis block each other. The columns of a partial index can change at any time.
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_position_unique;
CREATE UNIQUE INDEX dcim_device_position_unique ON dcim_device (virtual_chassis_id, vc_position) WHERE virtual_chassis_id IS NOT NULL;

-- +goose Down
DROP INDEX dcim_device_position_unique;
ALTER TABLE dcim_device ADD CONSTRAINT dcim_device_position_unique UNIQUE (virtual_chassis_id, vc_position);
