package dcim

import "terrier/internal/record"

// VirtualChassis is several devices that act as one.
var VirtualChassis = record.Type{
	App: "dcim", Name: "virtualchassis", Plural: "virtual-chassis", Label: "virtual chassis", Section: "Devices",
	Doc: "Devices that act as one behind a common control plane, such as a stack of switches.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.Natural},
		record.Text{Name: "domain", Max: 30},
		record.Ref{Name: "master", To: "dcim.device"},
		description,
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "member_count", Of: "dcim.device", By: "virtual_chassis"},
	},
	Unique: []record.Unique{{Name: "dcim_virtualchassis_master_unique", Fields: []string{"master"}, NullsDiffer: true}},
	Gives: []record.Gives{{To: "master", OnCreation: true, Set: []record.Given{
		{Field: "virtual_chassis", From: "id", IfNull: true}, // a member of another one can't be its master
		{Field: "vc_position", Value: int64(1), IfNull: true},
	}}},
	Together: []record.Together{{Of: "master", OwnerReads: []string{"virtual_chassis"}, Check: checkMaster}},
	Filters: []record.Filter{
		{Name: "region", Path: "master.site.region"},
		{Name: "site_group", Path: "master.site.group"},
		{Name: "site", Path: "master.site"},
		{Name: "tenant", Path: "master.tenant"},
	},
	Columns:   []string{"domain", "master", "member_count", "description", "tags"},
	Brief:     []string{"name", "master"},
	BriefList: []string{"member_count"},
	Order:     []string{"name"},
	Search:    []string{"name", "domain", "[dcim.device.virtual_chassis].name"},
	Panels:    []record.Panel{{Tab: "Members", List: "dcim.device", By: "virtual_chassis"}},
}

// checkMaster checks that the master of a virtual chassis is one of its members.
func checkMaster(master record.Member, chassis []record.Member) (clashes []record.Clash) {
	for _, c := range chassis {
		if c.ID() != master.Int("virtual_chassis") {
			clashes = append(clashes, record.Clash{Member: c.ID(), Message: "The master must be a member of the virtual chassis."})
		}
	}
	return clashes
}
