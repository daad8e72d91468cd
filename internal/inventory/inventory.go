// Package inventory owns the list of record types that Terrier keeps.
//
// Each type is one file in a folder per section. To add one: write the file, add its
// line here, write its migration. docs/record-types.md walks through it.
package inventory

import (
	"terrier/internal/inventory/dcim"
	"terrier/internal/inventory/extras"
	"terrier/internal/inventory/ipam"
	"terrier/internal/inventory/tenancy"
	"terrier/internal/inventory/users"
	"terrier/internal/inventory/virtualization"
	"terrier/internal/record"
)

// Types lists every record type.
func Types() []record.Type {
	return []record.Type{
		dcim.Region,
		dcim.SiteGroup,
		dcim.Site,
		dcim.Location,
		dcim.RackRole,
		dcim.Manufacturer,
		dcim.Platform,
		dcim.DeviceRole,
		dcim.DeviceType,
		dcim.ModuleType,
		dcim.Rack,
		dcim.RackReservation,
		dcim.ConsolePortTemplate,
		dcim.ConsoleServerPortTemplate,
		dcim.PowerPortTemplate,
		dcim.PowerOutletTemplate,
		dcim.InterfaceTemplate,
		dcim.RearPortTemplate,
		dcim.FrontPortTemplate,
		dcim.ModuleBayTemplate,
		dcim.DeviceBayTemplate,
		dcim.InventoryItemRole,
		dcim.InventoryItemTemplate,
		dcim.Device,
		dcim.VirtualChassis,
		dcim.VirtualDeviceContext,
		dcim.ModuleBay,
		dcim.Module,
		dcim.ConsolePort,
		dcim.ConsoleServerPort,
		dcim.PowerPort,
		dcim.PowerOutlet,
		dcim.Interface,
		dcim.RearPort,
		dcim.FrontPort,
		dcim.DeviceBay,
		dcim.InventoryItem,
		ipam.RIR,
		ipam.ASNRange,
		ipam.ASN,
		ipam.RouteTarget,
		ipam.VRF,
		ipam.Aggregate,
		ipam.Role,
		ipam.Prefix,
		ipam.IPRange,
		ipam.IPAddress,
		ipam.FHRPGroup,
		ipam.FHRPGroupAssignment,
		ipam.VLANGroup,
		ipam.VLAN,
		ipam.L2VPN,
		ipam.L2VPNTermination,
		ipam.ServiceTemplate,
		ipam.Service,
		virtualization.ClusterType,
		virtualization.ClusterGroup,
		virtualization.Cluster,
		virtualization.VirtualMachine,
		virtualization.VMInterface,
		extras.AuditEvent,
		extras.CustomField,
		extras.Delivery,
		extras.ObjectChange,
		extras.Tag,
		extras.Webhook,
		extras.ConditionError,
		extras.WebhookHealth,
		extras.ConfigContext,
		extras.JournalEntry,
		extras.CustomLink,
		extras.ImageAttachment,
		extras.SavedFilter,
		tenancy.TenantGroup,
		tenancy.Tenant,
		users.Group,
		users.Permission,
		users.Token,
		users.User,
	}
}
