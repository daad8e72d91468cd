package fill

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"terrier/internal/record"
)

// The parts of a fleet. A site has the same number of racks, and a rack of devices, however large the fleet is.
const (
	PortsEach     = 50 // interfaces of each device: 48 ports, an aggregate of four of them, and one for management
	devicesEach   = 10 // devices of each rack
	racksEach     = 10 // racks of each location
	chassisEach   = 50 // two of so many devices are a virtual chassis
	fleetMakers   = 10
	fleetTypes    = 40
	fleetRoles    = 12
	fleetPlatform = 15
)

// Names of devices are scattered over the table: the n-th device has the number n × fleetStride modulo a prime, which never repeats.
const (
	fleetStride = 61_803_399
	fleetPrime  = 99_999_989
)

// FleetName returns the name of the n-th device of a fleet, from 1.
func FleetName(n int) string { return fmt.Sprintf("sw-%d", n*fleetStride%fleetPrime) }

// FleetSerial returns the serial number of the n-th device of a fleet, from 1.
func FleetSerial(n int) string { return fmt.Sprintf("FX%08d", n*fleetStride%fleetPrime) }

// Fleet adds devices in racks, with their types, roles, platforms and interfaces: one rack for ten devices and 50 interfaces for each.
// Ten racks are at one location, each at another site, as long as there are sites. Sites have to be filled before.
func (g *Generator) Fleet(ctx context.Context, devices int) error {
	of := func(key string) *record.Type { return g.store.Type("dcim." + key) }
	if g.rows(of("site")) == 0 {
		return errors.New("fill sites before the fleet")
	}
	if g.rows(of("devicetype")) == 0 {
		if err := g.fleetTypes(ctx, of); err != nil {
			return err
		}
	}
	racks := (devices + devicesEach - 1) / devicesEach
	for _, x := range []struct {
		key    string
		n      int
		recipe Recipe
	}{
		{"location", (racks + racksEach - 1) / racksEach, Recipe{"site": g.share(of("site"), 1), "parent": null}},
		{"rack", racks, Recipe{"location": g.share(of("location"), racksEach), "u_height": text("42"), "facility_id": null,
			"name": func(r Row) any { return fmt.Sprintf("R%02d", (r.Number-1)%racksEach+1) }}},
		{"virtualchassis", (devices + chassisEach - 1) / chassisEach, Recipe{"master": null}},
		{"device", devices, g.fleetDevice(of)},
		{"interface", devices * PortsEach, g.fleetInterface(of)},
	} {
		if err := g.Fill(ctx, of(x.key), x.n, x.recipe); err != nil {
			return err
		}
	}
	return nil
}

// fleetTypes adds what all devices of a fleet share.
func (g *Generator) fleetTypes(ctx context.Context, of func(string) *record.Type) error {
	for _, x := range []struct {
		key    string
		n      int
		recipe Recipe
	}{
		{"manufacturer", fleetMakers, nil},
		{"platform", fleetPlatform, Recipe{"manufacturer": null}},
		{"devicerole", fleetRoles, nil},
		{"rackrole", fleetRoles, nil},
		{"devicetype", fleetTypes, Recipe{"u_height": func(r Row) any { return strconv.Itoa(1 + r.Number%2) }, "subdevice_role": null}},
		{"interfacetemplate", fleetTypes * PortsEach, Recipe{"device_type": g.share(of("devicetype"), PortsEach), "module_type": null,
			"name": func(r Row) any { return portOf(r).name }, "type": func(r Row) any { return portOf(r).kind },
			"mgmt_only": func(r Row) any { return portOf(r).forManagement }, "label": text(""), "bridge": null, "poe_mode": null, "poe_type": null}},
	} {
		if err := g.Fill(ctx, of(x.key), x.n, x.recipe); err != nil {
			return err
		}
	}
	return nil
}

// fleetDevice makes devices of one or two units, each four units above the last. One in ten is in a rack without a position.
func (g *Generator) fleetDevice(of func(string) *record.Type) Recipe {
	mounted := func(r Row) bool { return r.Number%10 != 7 }
	member := func(value func(Row) any) func(Row) any {
		return func(r Row) any {
			if (r.Number-1)%chassisEach > 1 {
				return nil
			}
			return value(r)
		}
	}
	return Recipe{
		"name":     func(r Row) any { return FleetName(r.Number) },
		"serial":   func(r Row) any { return FleetSerial(r.Number) },
		"rack":     g.share(of("rack"), devicesEach),
		"location": null, "airflow": null,
		"position": func(r Row) any {
			if !mounted(r) {
				return nil
			}
			return strconv.Itoa(1 + 4*((r.Number-1)%devicesEach))
		},
		"face": func(r Row) any {
			if !mounted(r) {
				return nil
			}
			return "front"
		},
		"virtual_chassis": member(g.share(of("virtualchassis"), chassisEach)),
		"vc_position":     member(func(r Row) any { return strconv.Itoa((r.Number - 1) % chassisEach) }),
		"vc_priority":     null,
	}
}

// port is what the number of an interface in its device decides.
type port struct {
	name, kind    string
	forManagement bool
}

// portOf returns the port of a row. The first of each device is its aggregate.
func portOf(r Row) port {
	switch i := (r.Number - 1) % PortsEach; i {
	case 0:
		return port{name: "ae0", kind: "lag"}
	case PortsEach - 1:
		return port{name: "me0", kind: "1000base-t", forManagement: true}
	default:
		return port{name: fmt.Sprintf("xe-0/0/%d", i-1), kind: "10gbase-x-sfpp"}
	}
}

// fleetInterface makes the interfaces of the devices, one device after the other. One in four has a description.
func (g *Generator) fleetInterface(of func(string) *record.Type) Recipe {
	recipe := Recipe{
		"device":    g.share(of("device"), PortsEach),
		"name":      func(r Row) any { return portOf(r).name },
		"type":      func(r Row) any { return portOf(r).kind },
		"mgmt_only": func(r Row) any { return portOf(r).forManagement },
		"label":     text(""),
		"lag": func(r Row) any {
			i := (r.Number - 1) % PortsEach
			if i < 1 || i > 4 {
				return nil
			}
			return strconv.FormatInt(r.ID-int64(i), 10)
		},
		"mode": func(r Row) any {
			if portOf(r).forManagement || r.Draw(0, 3) == 0 {
				return nil
			}
			return []string{"access", "tagged"}[r.Draw(1, 2)]
		},
		"description": func(r Row) any {
			if r.Draw(0, 4) > 0 {
				return ""
			}
			return r.Words(2 + r.Draw(1, 3))
		},
	}
	for _, name := range []string{"module", "parent", "bridge", "speed", "duplex", "wwn", "rf_role", "rf_channel", "poe_mode", "poe_type",
		"rf_channel_frequency", "rf_channel_width", "tx_power"} {
		recipe[name] = null
	}
	return recipe
}

// share refers to the filled rows of a type in their order, with so many rows each, and begins again after the last.
func (g *Generator) share(t *record.Type, each int) func(Row) any {
	return func(r Row) any { return strconv.FormatInt(g.id(t, (r.Number-1)/each%g.rows(t)), 10) }
}

func null(Row) any { return nil }

func text(s string) func(Row) any { return func(Row) any { return s } }
