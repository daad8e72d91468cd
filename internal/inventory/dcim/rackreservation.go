package dcim

import "terrier/internal/record"

// RackReservation keeps units of a rack for somebody.
var RackReservation = record.Type{
	App: "dcim", Name: "rackreservation", Plural: "rack-reservations", Label: "rack reservation", Section: "Racks",
	Doc: "A claim of a user on certain units of a rack.",
	Fields: record.Fields{
		record.Ref{Name: "rack", To: "dcim.rack", Required: true, OnDelete: record.Cascade},
		record.Ints{Name: "units", Required: true, Min: new(int64(1)), Max: new(int64(100)), MaxItems: 100,
			Help: "Whole units, such as 1, 2, 3."},
		record.Ref{Name: "user", To: "users.user", Required: true, InBrief: "username"},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Text{Name: "description", Max: 200, Required: true},
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
	},
	Together: []record.Together{rackUnits},
	Filters: []record.Filter{
		{Name: "region", Path: "rack.site.region"},
		{Name: "site_group", Path: "rack.site.group"},
		{Name: "site", Path: "rack.site"},
		{Name: "location", Path: "rack.location"},
		{Name: "tenant_group", Path: "tenant.group"},
	},
	Columns: []string{"rack", "units", "user", "tenant", "description", "tags"},
	Called:  []string{"Reservation for rack {rack}"},
	Brief:   []string{"user", "units"},
	Order:   []string{"created"},
	Search:  []string{"description", "rack.name", "rack.facility_id", "user.username"},
}
