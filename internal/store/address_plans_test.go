package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// addressFiltersAreIndexed holds that addresses of a device, interfaces of a VLAN and FHRP groups of a subnet are looked up through
// indexes, whatever the values are. Each table gets 20,000 rows. VLANs that a device can use are read in their order: what is tested of
// each is looked up first.
func addressFiltersAreIndexed(t *testing.T, s *store.Store, reg *record.Registry, db *pgxpool.Pool) {
	t.Helper()
	if _, err := db.Exec(t.Context(), `
		INSERT INTO ipam_vrf (id, version, name, rd, enforce_unique, description, comments, import_targets, export_targets, tags, custom_fields,
			created, last_updated)
			SELECT i, 1, 'v' || i, '1:' || i, true, '', '', '{}', '{}', '{}', '{}', now(), now() FROM generate_series(1, 500) i;
		INSERT INTO ipam_fhrpgroup (id, version, name, protocol, group_id, auth_key_sealed, description, comments, tags, custom_fields, created,
			last_updated)
			SELECT i, 1, '', 'hsrp', i, '', '', '', '{}', '{}', now(), now() FROM generate_series(1, 200) i;
		INSERT INTO ipam_ipaddress (version, address, vrf_id, assigned_object_type, assigned_object_id, status, dns_name, description, comments,
			tags, custom_fields, created, last_updated)
			SELECT 1, '10.0.0.0/24'::inet + i, 1 + i % 500, CASE WHEN i <= 200 THEN 'ipam.fhrpgroup' ELSE 'dcim.interface' END, i, 'active', '', '',
				'', '{}', '{}', now(), now() FROM generate_series(1, 20000) i;
		INSERT INTO ipam_prefix (version, prefix, vrf_id, status, is_pool, mark_utilized, description, comments, tags, custom_fields, created,
			last_updated)
			SELECT 1, set_masklen('10.0.0.0/32'::inet + i * 4, 30)::cidr, 1 + i % 500, 'active', false, false, '', '', '{}', '{}', now(), now()
			FROM generate_series(1, 20000) i;
		INSERT INTO ipam_vlan (id, version, vid, name, site_id, status, description, comments, tags, custom_fields, created, last_updated)
			SELECT i, 1, 1 + i % 4000, 'v' || i, 1 + i % 100, 'active', '', '', '{}', '{}', now(), now() FROM generate_series(1, 20000) i;
		UPDATE dcim_interface SET untagged_vlan_id = 1 + id % 20000, tagged_vlans = ARRAY[1 + id * 7 % 20000];
		ANALYZE`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ typ, filter, index string }{
		{"ipam.ipaddress", "device_id", "ipam_ipaddress_assigned_object"},
		{"ipam.ipaddress", "device", "ipam_ipaddress_assigned_object"},
		{"ipam.ipaddress", "interface_id", "ipam_ipaddress_assigned_object"},
		{"ipam.ipaddress", "present_in_vrf_id", "ipam_ipaddress_space"},
		{"ipam.prefix", "present_in_vrf", "ipam_prefix_space"},
		{"ipam.fhrpgroup", "related_ip", "ipam_ipaddress_assigned_object"},
		{"dcim.interface", "vlan_id", "dcim_interface_tagged_vlans"},
		{"dcim.interface", "vlan", "dcim_interface_untagged_vlan"},
		{"dcim.interface", "vrf", "dcim_interface_vrf"},
		{"ipam.vlan", "available_on_device", "ipam_vlan_order"},
	} {
		page, plan := filterPlan(t, s, db, reg.Type(c.typ), c.filter, "1", "{1}")
		if !strings.Contains(plan, c.index+" ") || strings.Contains(plan, "Seq Scan on ipam_ipaddress") ||
			strings.Contains(plan, "Seq Scan on dcim_interface") || strings.Contains(plan, "Seq Scan on ipam_prefix") {
			t.Errorf("%s of %s is not read through %s:\n%s\n%s", c.filter, c.typ, c.index, page, plan)
		}
	}
	primaryAddressesAreLookedUp(t, s, reg, db)
}

// primaryAddressesAreLookedUp holds that a search for the beginning of an address reads the primary addresses by their ids, and no
// others: there may be a hundred times as many.
func primaryAddressesAreLookedUp(t *testing.T, s *store.Store, reg *record.Registry, db *pgxpool.Pool) {
	t.Helper()
	for _, text := range []string{"10.0", "10.0.100", "2001:db8"} {
		for _, key := range []string{"dcim.device", "virtualization.virtualmachine"} {
			sql, args := s.HitsStatement(reg.Type(key), store.Query{Scope: access.Machine(), Search: text})
			values := make([]string, len(args))
			for i := range args {
				values[i] = fmt.Sprint(args[i])
			}
			plan := genericPlan(t, db, sql, values...)
			if strings.Count(plan, "Index Scan using ipam_ipaddress_pkey ") != 2 || strings.Contains(plan, "Seq Scan on ipam_ipaddress") {
				t.Errorf("%s of %s does not look up primary addresses:\n%s\n%s", text, key, sql, plan)
			}
			// Without an index every record is compared with those that were found.
			if text == "10.0" && !strings.Contains(plan, "hashed SubPlan") {
				t.Errorf("%s of %s compares each record with each address:\n%s\n%s", text, key, sql, plan)
			}
		}
	}
	sql, _ := s.HitsStatement(reg.Type("dcim.device"), store.Query{Scope: access.Machine(), Search: "switch"})
	if strings.Contains(sql, "ipam_ipaddress") {
		t.Errorf("a text that begins no address is compared with addresses: %s", sql)
	}
}
