package ipam

import "terrier/internal/record"

var l2vpnTypes = record.ChoicesOf(`
vpws VPWS
vpls VPLS
vxlan VXLAN
vxlan-evpn VXLAN-EVPN
mpls-evpn MPLS EVPN
pbb-evpn PBB EVPN
epl EPL
evpl EVPL
ep-lan Ethernet Private LAN
evp-lan Ethernet Virtual Private LAN
ep-tree Ethernet Private Tree
evp-tree Ethernet Virtual Private Tree
`)

// L2VPN is a layer-2 service over a network.
var L2VPN = record.Type{
	App: "ipam", Name: "l2vpn", Plural: "l2vpns", Label: "L2VPN", Section: "L2VPNs",
	Doc: "A layer-2 service that joins interfaces and VLANs over a network.",
	Fields: record.Fields{
		record.Int{Name: "identifier", Null: true, Help: "Such as a VNI."},
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Slug{Name: "slug"},
		record.Choice{Name: "type", Of: l2vpnTypes, Required: true, BareInBrief: true},
		record.Refs{Name: "import_targets", To: "ipam.routetarget"},
		record.Refs{Name: "export_targets", To: "ipam.routetarget"},
		description,
		comments,
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Tags{},
		record.CustomFields{},
	},
	Filters: []record.Filter{tenantGroup},
	Called:  []string{"{name} ({identifier?})", "{name}"},
	Brief:   []string{"identifier", "name", "slug", "type"},
	Order:   []string{"name", "identifier"},
	Search:  []string{"name", "description", "identifier"},
	Panels:  []record.Panel{{Tab: "Terminations", List: "ipam.l2vpntermination"}},
}
