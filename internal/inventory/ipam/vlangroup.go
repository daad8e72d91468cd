package ipam

import (
	"math"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// VLANGroup is a set of VLANs in which numbers and names are unique.
var VLANGroup = record.Type{
	App: "ipam", Name: "vlangroup", Plural: "vlan-groups", Label: "VLAN group", Section: "VLANs",
	Doc: "A set of VLANs in which numbers and names are unique, often bound to a place.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.AnyRef{Name: "scope", To: []string{"dcim.region", "dcim.sitegroup", "dcim.site", "dcim.location", "dcim.rack",
			"virtualization.clustergroup", "virtualization.cluster"}, OnDelete: record.Cascade},
		record.Int{Name: "min_vid", Label: "Lowest VID", Default: 1, Min: new(int64(1)), Max: new(int64(4094))},
		record.Int{Name: "max_vid", Label: "Highest VID", Default: 4094, Min: new(int64(1)), Max: new(int64(4094))},
		description,
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "vlan_count", Of: "ipam.vlan", By: "group"},
		record.Computed{Name: "utilization", Of: vlanUtilization, Needs: []string{"vlan_count", "min_vid", "max_vid"},
			Percent: true, Shape: record.Schema{"type": "string"}},
	},
	Unique: []record.Unique{
		{Name: "ipam_vlangroup_name_unique", Fields: []string{"scope_type", "scope_id", "name"}, NullsDiffer: true},
		{Name: "ipam_vlangroup_slug_unique", Fields: []string{"scope_type", "scope_id", "slug"}, NullsDiffer: true},
	},
	Filters: []record.Filter{
		{Name: "region", Path: "scope[dcim.region].id"},
		{Name: "sitegroup", Path: "scope[dcim.sitegroup].id"},
		{Name: "site", Path: "scope[dcim.site].id"},
		{Name: "location", Path: "scope[dcim.location].id"},
		{Name: "rack", Path: "scope[dcim.rack].id"},
		{Name: "clustergroup", Path: "scope[virtualization.clustergroup].id"},
		{Name: "cluster", Path: "scope[virtualization.cluster].id"},
	},
	Brief:     []string{"name", "slug"},
	BriefList: []string{"vlan_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "description"},
	Check:     checkVLANGroup,
	Panels:    []record.Panel{{Tab: "VLANs", List: "ipam.vlan"}, {Card: "VLAN numbers", Drawing: "grid", Data: vlanGrids}},
	Actions:   availableVLANs,
}

func checkVLANGroup(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Int("max_vid") < after.Int("min_vid") {
		errs.Add("max_vid", "The highest VID must not be below the lowest, %d.", after.Int("min_vid"))
	}
	return errs
}

// vlanUtilization returns how many per cent of the numbers are used, with up to two places.
func vlanUtilization(v record.Values) any {
	used := 100 * float64(v.Int("vlan_count")) / float64(v.Int("max_vid")-v.Int("min_vid")+1)
	return strconv.FormatFloat(math.Round(used*100)/100, 'f', -1, 64)
}
