package demo

// addLabels adds tags, custom fields and config contexts.
func (n *network) addLabels() {
	n.add("extras.tag",
		in{"name": "Critical", "slug": "critical", "color": "f44336", "description": "An outage is noticed at once"},
		in{"name": "Customer facing", "slug": "customer-facing", "color": "2196f3"},
		in{"name": "End of life", "slug": "end-of-life", "color": "9e9e9e", "description": "The manufacturer no longer supports it"},
		in{"name": "Leased", "slug": "leased", "color": "ff9800"},
		in{"name": "Needs review", "slug": "needs-review", "color": "ffeb3b"},
		in{"name": "PCI DSS", "slug": "pci-dss", "color": "9c27b0"})
	n.add("extras.customfield",
		in{"name": "support_contract", "label": "Support contract", "type": "select", "content_types": []string{"dcim.device"},
			"choices": []string{"gold", "silver", "none"}},
		in{"name": "commissioned", "label": "Commissioned", "type": "date", "content_types": []string{"dcim.device", "dcim.rack"}},
		in{"name": "access_hours", "label": "Access hours", "type": "text", "content_types": []string{"dcim.site"}},
		in{"name": "cost_center", "label": "Cost center", "type": "integer", "content_types": []string{"ipam.prefix", "tenancy.tenant"},
			"validation_minimum": 1000, "validation_maximum": 9999})
	n.add("extras.configcontext",
		in{"name": "Everywhere", "weight": 100, "data": map[string]any{"ntp": []string{"ntp1.network.example", "ntp2.network.example"},
			"syslog": in{"host": "syslog.network.example", "level": "info"}}},
		in{"name": "Critical", "weight": 500, "tags": []string{"critical"}, "data": map[string]any{"snmp": map[string]any{"traps": true}}})
}

var tenants = []struct {
	name, slug, group string
	cost              int
}{
	{"Corporate IT", "corporate-it", "Internal", 1100}, {"Engineering", "engineering", "Internal", 1200},
	{"Finance", "finance", "Internal", 1300}, {"Harbor Logistics", "harbor-logistics", "Customers", 4100},
	{"Meridian Bank", "meridian-bank", "Customers", 4200}, {"Northwind Energy", "northwind-energy", "Customers", 4300},
	{"Solstice Media", "solstice-media", "Customers", 4400},
}

// addTenants adds tenants in two groups.
func (n *network) addTenants() {
	groups := map[string]int64{}
	ids := n.add("tenancy.tenantgroup", in{"name": "Internal", "slug": "internal"}, in{"name": "Customers", "slug": "customers"})
	groups["Internal"], groups["Customers"] = ids[0], ids[1]
	var inputs []in
	for _, t := range tenants {
		inputs = append(inputs, in{"name": t.name, "slug": t.slug, "group": groups[t.group], "custom_fields": in{"cost_center": t.cost}})
	}
	n.tenants = n.add("tenancy.tenant", inputs...)
}
