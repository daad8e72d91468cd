package bare

import "encoding/json"

const timeLayout = "2006-01-02T15:04:05.000000Z"

var statusLabels = map[string]string{
	"planned": "Planned", "staging": "Staging", "active": "Active", "decommissioning": "Decommissioning", "retired": "Retired",
}

// page is the answer to a list.
type page struct {
	Count    int64   `json:"count"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  []site  `json:"results"`
}

type site struct {
	ID              int64           `json:"id"`
	URL             string          `json:"url"`
	Display         string          `json:"display"`
	Name            string          `json:"name"`
	Slug            string          `json:"slug"`
	Status          choice          `json:"status"`
	Region          *nested         `json:"region"`
	Group           *nested         `json:"group"`
	Tenant          *nested         `json:"tenant"`
	Facility        string          `json:"facility"`
	TimeZone        *string         `json:"time_zone"`
	Description     string          `json:"description"`
	PhysicalAddress string          `json:"physical_address"`
	ShippingAddress string          `json:"shipping_address"`
	Latitude        *float64        `json:"latitude"`
	Longitude       *float64        `json:"longitude"`
	Comments        string          `json:"comments"`
	ASNs            []any           `json:"asns"`
	Tags            []tag           `json:"tags"`
	CustomFields    json.RawMessage `json:"custom_fields"`
	Circuits        int             `json:"circuit_count"`
	Devices         int64           `json:"device_count"`
	Prefixes        int64           `json:"prefix_count"`
	Racks           int64           `json:"rack_count"`
	Machines        int64           `json:"virtualmachine_count"`
	VLANs           int64           `json:"vlan_count"`
	Created         string          `json:"created"`
	LastUpdated     string          `json:"last_updated"`
}

type choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type nested struct {
	ID      int64  `json:"id"`
	URL     string `json:"url"`
	Display string `json:"display"`
	Name    string `json:"name"`
	Slug    string `json:"slug"`
	Depth   *int64 `json:"_depth,omitempty"`
}

type tag struct {
	ID      int64  `json:"id"`
	URL     string `json:"url"`
	Display string `json:"display"`
	Name    string `json:"name"`
	Slug    string `json:"slug"`
	Color   string `json:"color"`
}

// reference is a joined row, which may be missing.
type reference struct {
	id, depth  *int64
	name, slug *string
}

// NewSite is the body of a creation.
type NewSite struct {
	Name            string   `json:"name"`
	Slug            string   `json:"slug"`
	Status          string   `json:"status"`
	Region          *int64   `json:"region"`
	Group           *int64   `json:"group"`
	Tenant          *int64   `json:"tenant"`
	Facility        string   `json:"facility"`
	Description     string   `json:"description"`
	PhysicalAddress string   `json:"physical_address"`
	Latitude        *float64 `json:"latitude"`
	Longitude       *float64 `json:"longitude"`
	Comments        string   `json:"comments"`
	Tags            []int64  `json:"tags"`
}

// snapshot is the state that the change log keeps: references by id, tags by name.
type snapshot struct {
	Name            string          `json:"name"`
	Slug            string          `json:"slug"`
	Status          string          `json:"status"`
	Region          *int64          `json:"region"`
	Group           *int64          `json:"group"`
	Tenant          *int64          `json:"tenant"`
	Facility        string          `json:"facility"`
	TimeZone        *string         `json:"time_zone"`
	Description     string          `json:"description"`
	PhysicalAddress string          `json:"physical_address"`
	ShippingAddress string          `json:"shipping_address"`
	Latitude        *float64        `json:"latitude"`
	Longitude       *float64        `json:"longitude"`
	Comments        string          `json:"comments"`
	ASNs            []int64         `json:"asns"`
	Tags            []string        `json:"tags"`
	CustomFields    json.RawMessage `json:"custom_fields"`
	Created         string          `json:"created"`
	LastUpdated     string          `json:"last_updated"`
}

func snapshotOf(s site, in NewSite) snapshot {
	names := make([]string, len(s.Tags))
	for i, t := range s.Tags {
		names[i] = t.Name
	}
	return snapshot{Name: s.Name, Slug: s.Slug, Status: s.Status.Value, Region: in.Region, Group: in.Group, Tenant: in.Tenant,
		Facility: s.Facility, TimeZone: s.TimeZone,
		Description: s.Description, PhysicalAddress: s.PhysicalAddress, ShippingAddress: s.ShippingAddress, Latitude: s.Latitude,
		Longitude: s.Longitude,
		Comments:  s.Comments, ASNs: []int64{}, Tags: names, CustomFields: s.CustomFields, Created: s.Created, LastUpdated: s.LastUpdated}
}
