package bare

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The statements of the lists of devices and of interfaces. The page is cut out before it is joined, as Terrier does: PostgreSQL is slower
// at it the other way round.
var (
	listDevices = `SELECT d.id, d.serial, d.position, d.face, d.status, d.airflow, d.vc_position, d.vc_priority, d.description, d.comments,
		d.local_context_data, d.custom_fields, d.created, d.last_updated, ` + called("d") + `, y.id, y.model, y.slug, m.id, m.name, m.slug,
		o.id, o.name, o.slug, t.id, t.name, t.slug, p.id, p.name, p.slug, s.id, s.name, s.slug, l.id, l.name, l.slug, ` + locationDepth + `,
		k.id, k.name, k.facility_id, c.id, c.name, ` + called("cm") + `, b.id, b.name, b.label, ` + called("bd") + `, ` + tagsOf("d") + `
	FROM (SELECT * FROM dcim_device ORDER BY coalesce(name, chr(65535)), id LIMIT 50) d
		JOIN dcim_devicetype y ON y.id = d.device_type_id JOIN dcim_manufacturer m ON m.id = y.manufacturer_id
		JOIN dcim_devicerole o ON o.id = d.device_role_id LEFT JOIN tenancy_tenant t ON t.id = d.tenant_id
		LEFT JOIN dcim_platform p ON p.id = d.platform_id JOIN dcim_site s ON s.id = d.site_id
		LEFT JOIN dcim_location l ON l.id = d.location_id LEFT JOIN dcim_rack k ON k.id = d.rack_id
		LEFT JOIN dcim_virtualchassis c ON c.id = d.virtual_chassis_id LEFT JOIN dcim_device cm ON cm.id = c.master_id
		LEFT JOIN dcim_devicebay b ON b.installed_device_id = d.id LEFT JOIN dcim_device bd ON bd.id = b.device_id
	ORDER BY coalesce(d.name, chr(65535)), d.id`

	listInterfaces = `SELECT i.id, i.name, i.label, i.type, i.enabled, i.mtu, i.mac_address, i.speed, i.duplex, i.wwn, i.mgmt_only, i.mode,
		i.rf_role, i.rf_channel, i.poe_mode, i.poe_type, i.rf_channel_frequency, i.rf_channel_width, i.tx_power, i.description,
		i.mark_connected, i.custom_fields, i.created, i.last_updated, ` + called("d") + `, m.id, m.device_id, y.model, b.id, b.name, b.label,
		` + portOf("p", "pd") + `, ` + portOf("g", "gd") + `, ` + portOf("l", "ld") + `, ` + tagsOf("i") + `,
		CASE WHEN i.vdcs <> '{}' THEN (SELECT json_agg(json_build_object('id', x.id, 'name', x.name, 'identifier', x.identifier) ORDER BY x.id)
			FROM dcim_virtualdevicecontext x WHERE x.id = ANY(i.vdcs)) END
	FROM (SELECT * FROM dcim_interface ORDER BY device_id, name_key, id LIMIT 1000) i JOIN dcim_device d ON d.id = i.device_id
		LEFT JOIN dcim_module m ON m.id = i.module_id LEFT JOIN dcim_modulebay b ON b.id = m.module_bay_id
		LEFT JOIN dcim_moduletype y ON y.id = m.module_type_id
		LEFT JOIN dcim_interface p ON p.id = i.parent_id LEFT JOIN dcim_device pd ON pd.id = p.device_id
		LEFT JOIN dcim_interface g ON g.id = i.bridge_id LEFT JOIN dcim_device gd ON gd.id = g.device_id
		LEFT JOIN dcim_interface l ON l.id = i.lag_id LEFT JOIN dcim_device ld ON ld.id = l.device_id
	ORDER BY i.device_id, i.name_key, i.id`
)

const (
	countDevices    = `SELECT sum(n)::bigint FROM record_count WHERE type = 'dcim.device'`
	countInterfaces = `SELECT sum(n)::bigint FROM record_count WHERE type = 'dcim.interface'`

	locationDepth = `CASE WHEN l.parent_id IS NULL THEN 0 ELSE (WITH RECURSIVE above AS (SELECT n.parent_id FROM dcim_location n
		WHERE n.id = l.parent_id UNION ALL SELECT n.parent_id FROM dcim_location n JOIN above ON n.id = above.parent_id)
		SELECT count(*) FROM above) END`
)

// called returns the columns from which a device is called: its id, name and asset tag, and what is said of one without a name.
func called(d string) string {
	return d + `.id, ` + d + `.name, ` + d + `.asset_tag, CASE WHEN ` + d + `.id IS NOT NULL AND ` + d + `.name IS NULL THEN coalesce(
		(SELECT v.name || ':' || ` + d + `.vc_position FROM dcim_virtualchassis v WHERE v.id = ` + d + `.virtual_chassis_id),
		(SELECT m.name || ' ' || y.model FROM dcim_devicetype y JOIN dcim_manufacturer m ON m.id = y.manufacturer_id
			WHERE y.id = ` + d + `.device_type_id)) || ' (' || coalesce(` + d + `.asset_tag, ` + d + `.id::text) || ')' END`
}

// portOf returns the columns of an interface that another one refers to.
func portOf(i, d string) string {
	return i + `.id, ` + i + `.name, ` + i + `.label, ` + i + `.mark_connected, ` + called(d)
}

func tagsOf(of string) string {
	return `CASE WHEN ` + of + `.tags <> '{}' THEN (SELECT json_agg(json_build_object('id', x.id, 'name', x.name, 'slug', x.slug,
		'color', x.color) ORDER BY x.id) FROM extras_tag x WHERE x.id = ANY(` + of + `.tags)) END`
}

// labels are those of the choices that occur in a fleet.
var labels = map[string]string{
	"offline": "Offline", "active": "Active", "planned": "Planned", "staged": "Staged", "failed": "Failed", "inventory": "Inventory",
	"front-to-rear": "Front to rear", "rear-to-front": "Rear to front", "left-to-right": "Left to right", "right-to-left": "Right to left",
	"side-to-rear": "Side to rear", "passive": "Passive", "mixed": "Mixed",
	"decommissioning": "Decommissioning", "front": "Front", "access": "Access", "tagged": "Tagged",
	"lag": "Link Aggregation Group (LAG)", "1000base-t": "1000BASE-T (1GE)", "10gbase-x-sfpp": "SFP+ (10GE)",
}

// chosen returns a choice with its label.
func chosen(value *string) *choice {
	if value == nil {
		return nil
	}
	return &choice{*value, labels[*value]}
}

type pageOf[T any] struct {
	Count    int64   `json:"count"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  []T     `json:"results"`
}

// answerPage answers with the first page of a list.
func answerPage[T any](s *Server, w http.ResponseWriter, r *http.Request, count, list, next string, limit int,
	scan func(pgx.Rows, *T) error) {
	next = s.Base + next
	p := pageOf[T]{Next: &next, Results: make([]T, 0, limit)}
	batch := &pgx.Batch{}
	batch.Queue(count).QueryRow(func(row pgx.Row) error { return row.Scan(&p.Count) })
	batch.Queue(list).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var one T
			if err := scan(rows, &one); err != nil {
				return err
			}
			p.Results = append(p.Results, one)
		}
		return rows.Err()
	})
	err := s.Pool.SendBatch(r.Context(), batch).Close()
	answer(w, http.StatusOK, p, err)
}

// device is what the list shows of a device.
type device struct {
	ID             int64           `json:"id"`
	URL            string          `json:"url"`
	Display        string          `json:"display"`
	Name           *string         `json:"name"`
	Type           nestedType      `json:"device_type"`
	DeviceRole     *nested         `json:"device_role"`
	Role           *nested         `json:"role"`
	Tenant         *nested         `json:"tenant"`
	Platform       *nested         `json:"platform"`
	Serial         string          `json:"serial"`
	AssetTag       *string         `json:"asset_tag"`
	Site           *nested         `json:"site"`
	Location       *nested         `json:"location"`
	Rack           *named          `json:"rack"`
	Position       json.RawMessage `json:"position"`
	Face           *choice         `json:"face"`
	Parent         *parentDevice   `json:"parent_device"`
	Status         *choice         `json:"status"`
	Airflow        *choice         `json:"airflow"`
	PrimaryIP      *int64          `json:"primary_ip"`
	PrimaryIP4     *int64          `json:"primary_ip4"`
	PrimaryIP6     *int64          `json:"primary_ip6"`
	Cluster        *int64          `json:"cluster"`
	Chassis        *nestedChassis  `json:"virtual_chassis"`
	VCPosition     *int64          `json:"vc_position"`
	VCPriority     *int64          `json:"vc_priority"`
	Description    string          `json:"description"`
	Comments       string          `json:"comments"`
	ConfigTemplate *int64          `json:"config_template"`
	LocalContext   json.RawMessage `json:"local_context_data"`
	Tags           []tag           `json:"tags"`
	CustomFields   json.RawMessage `json:"custom_fields"`
	ConfigContext  json.RawMessage `json:"config_context"`
	Created        string          `json:"created"`
	LastUpdated    string          `json:"last_updated"`
}

type nestedType struct {
	ID           int64   `json:"id"`
	URL          string  `json:"url"`
	Display      string  `json:"display"`
	Manufacturer *nested `json:"manufacturer"`
	Model        string  `json:"model"`
	Slug         string  `json:"slug"`
}

// named is a nested record that has a name and no slug.
type named struct {
	ID      int64   `json:"id"`
	URL     string  `json:"url"`
	Display string  `json:"display"`
	Name    *string `json:"name"`
}

type parentDevice struct {
	named
	Bay *named `json:"device_bay"`
}

type nestedChassis struct {
	ID      int64  `json:"id"`
	URL     string `json:"url"`
	Display string `json:"display"`
	Name    string `json:"name"`
	Master  *named `json:"master"`
}

// naming is the columns of called.
type naming struct {
	id                  *int64
	name, tag, nameless *string
}

func (n *naming) scan() []any { return []any{&n.id, &n.name, &n.tag, &n.nameless} }

func (s *Server) namedDevice(n naming) *named {
	if n.id == nil {
		return nil
	}
	return &named{ID: *n.id, URL: s.url("/api/dcim/devices/", *n.id), Display: n.display(), Name: n.name}
}

func (n naming) display() string {
	switch {
	case n.name == nil:
		return *n.nameless
	case n.tag != nil && *n.tag != "":
		return *n.name + " (" + *n.tag + ")"
	}
	return *n.name
}

// labelled returns what a record with a name and another text is called.
func labelled(name string, other *string) string {
	if other == nil || *other == "" {
		return name
	}
	return name + " (" + *other + ")"
}

func (s *Server) listDevices(w http.ResponseWriter, r *http.Request) {
	answerPage(s, w, r, countDevices, listDevices, "/api/dcim/devices/?limit=50&offset=50", 50, s.scanDevice)
}

func (s *Server) scanDevice(rows pgx.Rows, x *device) error {
	var created, updated time.Time
	var face, airflow, rackName, facility, chassisName, bayName, bayLabel *string
	var status string
	var own, master, parent naming
	var maker, role, tenant, platform, site, location reference
	var rack, chassis, bay *int64
	var position *float64
	to := []any{&x.ID, &x.Serial, &position, &face, &status, &airflow, &x.VCPosition, &x.VCPriority, &x.Description, &x.Comments,
		&x.LocalContext, &x.CustomFields, &created, &updated}
	to = append(to, own.scan()...)
	to = append(to, &x.Type.ID, &x.Type.Model, &x.Type.Slug, &maker.id, &maker.name, &maker.slug, &role.id, &role.name, &role.slug, &tenant.id,
		&tenant.name, &tenant.slug, &platform.id, &platform.name, &platform.slug, &site.id, &site.name, &site.slug, &location.id,
		&location.name, &location.slug, &location.depth, &rack, &rackName, &facility, &chassis, &chassisName)
	to = append(to, master.scan()...)
	to = append(to, &bay, &bayName, &bayLabel)
	to = append(to, parent.scan()...)
	if err := rows.Scan(append(to, &x.Tags)...); err != nil {
		return err
	}
	x.URL, x.Display, x.Name, x.AssetTag = s.url("/api/dcim/devices/", x.ID), own.display(), own.name, own.tag
	x.Type.URL, x.Type.Display = s.url("/api/dcim/device-types/", x.Type.ID), x.Type.Model
	x.Type.Manufacturer = s.nested("/api/dcim/manufacturers/", maker)
	x.DeviceRole = s.nested("/api/dcim/device-roles/", role)
	x.Role = x.DeviceRole
	x.Tenant, x.Platform = s.nested("/api/tenancy/tenants/", tenant), s.nested("/api/dcim/platforms/", platform)
	x.Site, x.Location = s.nested("/api/dcim/sites/", site), s.nested("/api/dcim/locations/", location)
	if position != nil {
		x.Position = strconv.AppendFloat(nil, *position, 'f', 1, 64)
	}
	if rack != nil {
		x.Rack = &named{*rack, s.url("/api/dcim/racks/", *rack), labelled(*rackName, facility), rackName}
	}
	if chassis != nil {
		x.Chassis = &nestedChassis{*chassis, s.url("/api/dcim/virtual-chassis/", *chassis), *chassisName, *chassisName, s.namedDevice(master)}
	}
	if bay != nil {
		x.Parent = &parentDevice{*s.namedDevice(parent),
			&named{*bay, s.url("/api/dcim/device-bays/", *bay), labelled(*bayName, bayLabel), bayName}}
	}
	x.Face, x.Status, x.Airflow = chosen(face), chosen(&status), chosen(airflow)
	x.ConfigContext = x.LocalContext
	if x.ConfigContext == nil {
		x.ConfigContext = json.RawMessage("{}")
	}
	x.Created, x.LastUpdated = created.UTC().Format(timeLayout), updated.UTC().Format(timeLayout)
	x.Tags = s.tags(x.Tags)
	return nil
}

// tags completes the tags of a record.
func (s *Server) tags(all []tag) []tag {
	if all == nil {
		return []tag{}
	}
	for i := range all {
		all[i].URL, all[i].Display = s.url("/api/extras/tags/", all[i].ID), all[i].Name
	}
	return all
}

// port is what the list shows of an interface.
type port struct {
	ID            int64           `json:"id"`
	URL           string          `json:"url"`
	Display       string          `json:"display"`
	Device        *named          `json:"device"`
	Contexts      []nestedContext `json:"vdcs"`
	Module        *nestedModule   `json:"module"`
	Name          string          `json:"name"`
	Label         string          `json:"label"`
	Type          *choice         `json:"type"`
	Enabled       bool            `json:"enabled"`
	Parent        *nestedPort     `json:"parent"`
	Bridge        *nestedPort     `json:"bridge"`
	LAG           *nestedPort     `json:"lag"`
	MTU           *int64          `json:"mtu"`
	MAC           *string         `json:"mac_address"`
	Speed         *int64          `json:"speed"`
	Duplex        *choice         `json:"duplex"`
	WWN           *string         `json:"wwn"`
	MgmtOnly      bool            `json:"mgmt_only"`
	Mode          *choice         `json:"mode"`
	RFRole        *choice         `json:"rf_role"`
	RFChannel     *choice         `json:"rf_channel"`
	PoEMode       *choice         `json:"poe_mode"`
	PoEType       *choice         `json:"poe_type"`
	RFFrequency   *float64        `json:"rf_channel_frequency"`
	RFWidth       *float64        `json:"rf_channel_width"`
	TxPower       *int64          `json:"tx_power"`
	UntaggedVLAN  *int64          `json:"untagged_vlan"`
	TaggedVLANs   []any           `json:"tagged_vlans"`
	WirelessLink  *int64          `json:"wireless_link"`
	WirelessLANs  []any           `json:"wireless_lans"`
	VRF           *int64          `json:"vrf"`
	L2VPN         *int64          `json:"l2vpn_termination"`
	Addresses     int             `json:"count_ipaddresses"`
	Groups        int             `json:"count_fhrp_groups"`
	Description   string          `json:"description"`
	MarkConnected bool            `json:"mark_connected"`
	Cable         *int64          `json:"cable"`
	CableEnd      string          `json:"cable_end"`
	LinkPeers     []any           `json:"link_peers"`
	LinkPeersType *string         `json:"link_peers_type"`
	Tags          []tag           `json:"tags"`
	CustomFields  json.RawMessage `json:"custom_fields"`
	Occupied      bool            `json:"_occupied"`
	Endpoints     []any           `json:"connected_endpoints"`
	EndpointsType *string         `json:"connected_endpoints_type"`
	Reachable     *bool           `json:"connected_endpoints_reachable"`
	Created       string          `json:"created"`
	LastUpdated   string          `json:"last_updated"`
}

type nestedContext struct {
	ID         int64  `json:"id"`
	URL        string `json:"url"`
	Display    string `json:"display"`
	Name       string `json:"name"`
	Identifier *int64 `json:"identifier"`
	Device     *named `json:"device"`
}

type nestedModule struct {
	ID      int64  `json:"id"`
	URL     string `json:"url"`
	Display string `json:"display"`
	Device  int64  `json:"device"`
	Bay     *named `json:"module_bay"`
}

type nestedPort struct {
	ID       int64  `json:"id"`
	URL      string `json:"url"`
	Display  string `json:"display"`
	Device   *named `json:"device"`
	Name     string `json:"name"`
	Cable    *int64 `json:"cable"`
	Occupied bool   `json:"_occupied"`
}

// portRow is the columns of portOf.
type portRow struct {
	id          *int64
	name, label *string
	marked      *bool
	device      naming
}

func (p *portRow) scan() []any {
	return append([]any{&p.id, &p.name, &p.label, &p.marked}, p.device.scan()...)
}

func (s *Server) nestedPort(p portRow) *nestedPort {
	if p.id == nil {
		return nil
	}
	return &nestedPort{ID: *p.id, URL: s.url("/api/dcim/interfaces/", *p.id), Display: labelled(*p.name, p.label),
		Device: s.namedDevice(p.device), Name: *p.name, Occupied: *p.marked}
}

func (s *Server) listInterfaces(w http.ResponseWriter, r *http.Request) {
	answerPage(s, w, r, countInterfaces, listInterfaces, "/api/dcim/interfaces/?limit=1000&offset=1000", 1000, s.scanInterface)
}

func (s *Server) scanInterface(rows pgx.Rows, x *port) error {
	var created, updated time.Time
	var kind string
	var duplex, mode, rfRole, rfChannel, poeMode, poeType, model, bayName, bayLabel *string
	var own naming
	var parent, bridge, lag portRow
	var module, moduleDevice, bay *int64
	var mac net.HardwareAddr
	to := []any{&x.ID, &x.Name, &x.Label, &kind, &x.Enabled, &x.MTU, &mac, &x.Speed, &duplex, &x.WWN, &x.MgmtOnly, &mode, &rfRole, &rfChannel,
		&poeMode, &poeType, &x.RFFrequency, &x.RFWidth, &x.TxPower, &x.Description, &x.MarkConnected, &x.CustomFields, &created, &updated}
	to = append(to, own.scan()...)
	to = append(to, &module, &moduleDevice, &model, &bay, &bayName, &bayLabel)
	for _, p := range []*portRow{&parent, &bridge, &lag} {
		to = append(to, p.scan()...)
	}
	if err := rows.Scan(append(to, &x.Tags, &x.Contexts)...); err != nil {
		return err
	}
	x.URL, x.Display, x.Device = s.url("/api/dcim/interfaces/", x.ID), labelled(x.Name, &x.Label), s.namedDevice(own)
	if module != nil {
		x.Module = &nestedModule{*module, s.url("/api/dcim/modules/", *module),
			*bayName + ": " + *model + " (" + strconv.FormatInt(*module, 10) + ")",
			*moduleDevice, &named{*bay, s.url("/api/dcim/module-bays/", *bay), labelled(*bayName, bayLabel), bayName}}
	}
	x.Parent, x.Bridge, x.LAG = s.nestedPort(parent), s.nestedPort(bridge), s.nestedPort(lag)
	if mac != nil {
		text := strings.ToUpper(mac.String())
		x.MAC = &text
	}
	x.Type, x.Duplex, x.Mode, x.RFRole, x.RFChannel = chosen(&kind), chosen(duplex), chosen(mode), chosen(rfRole), chosen(rfChannel)
	x.PoEMode, x.PoEType = chosen(poeMode), chosen(poeType)
	x.TaggedVLANs, x.WirelessLANs, x.LinkPeers = []any{}, []any{}, []any{}
	x.Occupied = x.MarkConnected
	x.Created, x.LastUpdated = created.UTC().Format(timeLayout), updated.UTC().Format(timeLayout)
	x.Tags = s.tags(x.Tags)
	if x.Contexts == nil {
		x.Contexts = []nestedContext{}
	}
	for i := range x.Contexts {
		c := &x.Contexts[i]
		c.URL, c.Display, c.Device = s.url("/api/dcim/virtual-device-contexts/", c.ID), c.Name, x.Device
	}
	return nil
}
