package demo

import "fmt"

// ports are interfaces of a model with numbers in their names.
type ports struct {
	format, kind string
	n            int
}

// model is a device type, declared by what its devices have. All have a management port but those without interfaces.
type model struct {
	key, maker, name, role string
	height                 float64
	halfDepth              bool
	interfaces             []ports
	power, console         int // intakes, console ports
	outlets, panel, serial int // power outlets, pass-through ports, console server ports
	bays, blades           int // module bays, device bays
	subdevice              string
	parts                  []string // inventory items
}

// The models. Those of a rack are named in racks.go.
var models = []model{
	{key: "router", maker: "Corvid Networks", name: "CR-4002", role: "router", height: 4, power: 2, console: 1, bays: 4,
		interfaces: []ports{{"xe-0/0/%d", "10gbase-x-sfpp", 8}}, parts: []string{"Routing engine", "Fan tray"}},
	{key: "switch", maker: "Corvid Networks", name: "CS-3148", role: "access-switch", height: 1, power: 2, console: 1,
		interfaces: []ports{{"ge-0/0/%d", "1000base-t", 48}, {"xe-0/1/%d", "10gbase-x-sfpp", 4}}},
	{key: "firewall", maker: "Palisade", name: "PF-820", role: "firewall", height: 2, power: 2, console: 1,
		interfaces: []ports{{"port%d", "1000base-t", 8}}},
	{key: "server", maker: "Halden", name: "R640", role: "server", height: 1, power: 2,
		interfaces: []ports{{"eth%d", "10gbase-t", 4}}, parts: []string{"CPU 1", "RAID controller"}},
	{key: "host", maker: "Halden", name: "R750", role: "hypervisor", height: 2, power: 2,
		interfaces: []ports{{"eth%d", "10gbase-t", 4}}, parts: []string{"CPU 1", "CPU 2"}},
	{key: "storage", maker: "Halden", name: "S400", role: "storage", height: 4, power: 2,
		interfaces: []ports{{"eth%d", "10gbase-t", 4}}, parts: []string{"Disk shelf"}},
	{key: "console", maker: "Quayside Serial", name: "QS-16", role: "console-server", height: 1, power: 1, serial: 16,
		interfaces: []ports{{"net%d", "1000base-t", 2}}},
	{key: "panel", maker: "Halden", name: "Patch panel 24 LC", role: "patch-panel", height: 1, halfDepth: true, panel: 24},
	{key: "pdu", maker: "Voltara", name: "VP-12", role: "pdu", height: 0, halfDepth: true, power: 1, outlets: 12},
	{key: "chassis", maker: "Halden", name: "M1000 chassis", role: "server", height: 10, power: 4, blades: 4, subdevice: "parent",
		interfaces: []ports{{"cmc%d", "1000base-t", 2}}},
	{key: "blade", maker: "Halden", name: "M630 blade", role: "server", subdevice: "child", interfaces: []ports{{"eth%d", "10gbase-t", 2}}},
}

// management is the name of the interface that a device is managed by.
const management = "mgmt0"

var makers = []struct{ name, platform string }{
	{"Corvid Networks", "Corvid OS 22"}, {"Palisade", "Palisade OS 7"}, {"Halden", "Debian 13"},
	{"Quayside Serial", "QS Linux 4"}, {"Voltara", ""},
}

var deviceRoles = []struct{ name, slug, color string }{
	{"Router", "router", "00796b"}, {"Access switch", "access-switch", "1e6fd9"}, {"Firewall", "firewall", "c62828"},
	{"Server", "server", "455a64"}, {"Hypervisor", "hypervisor", "5e35b1"}, {"Storage", "storage", "6d4c41"},
	{"Console server", "console-server", "f9a825"}, {"Patch panel", "patch-panel", "cfd8dc"}, {"PDU", "pdu", "9e9e9e"},
}

// modelIDs are what a new device of a model refers to, and how many units it takes.
type modelIDs struct {
	id, role int64
	height   float64
}

// addModels adds manufacturers, platforms, roles, device types and module types.
func (n *network) addModels() {
	n.makers, n.roles, n.models = map[string]int64{}, map[string]int64{}, map[string]modelIDs{}
	platforms := map[string]int64{}
	for _, m := range makers {
		n.makers[m.name] = n.add("dcim.manufacturer", in{"name": m.name, "slug": slugOf(m.name)})[0]
		if m.platform != "" {
			platforms[m.name] = n.add("dcim.platform", in{"name": m.platform, "slug": slugOf(m.platform), "manufacturer": n.makers[m.name]})[0]
		}
	}
	for _, r := range deviceRoles {
		n.roles[r.slug] = n.add("dcim.devicerole", in{"name": r.name, "slug": r.slug, "color": r.color, "vm_role": r.slug == "server"})[0]
	}
	part := n.add("dcim.inventoryitemrole", in{"name": "Spare part", "slug": "spare-part", "color": "607d8b"})[0]
	for _, m := range models {
		input := in{"manufacturer": n.makers[m.maker], "model": m.name, "slug": slugOf(m.name), "u_height": m.height,
			"is_full_depth": !m.halfDepth, "weight": 2 + 6*m.height, "weight_unit": "kg"}
		if m.subdevice != "" {
			input["subdevice_role"] = m.subdevice
		}
		if id := platforms[m.maker]; id != 0 && len(m.interfaces) > 0 {
			input["default_platform"] = id
		}
		id := n.add("dcim.devicetype", input)[0]
		n.models[m.key] = modelIDs{id, n.roles[m.role], m.height}
		n.addTemplates(m, id, part)
	}
	n.lineCard = n.add("dcim.moduletype", in{"manufacturer": n.makers["Corvid Networks"], "model": "CL-4X10"})[0]
	n.add("dcim.interfacetemplate", numbered(4, func(i int) in {
		return in{"module_type": n.lineCard, "name": fmt.Sprintf("xe-{module}/0/%d", i), "type": "10gbase-x-sfpp"}
	})...)
}

// addTemplates adds what each new device of a model gets.
func (n *network) addTemplates(m model, id, part int64) {
	of := func(kind string, count int, each func(i int) in) []int64 {
		if count == 0 {
			return nil
		}
		return n.add("dcim."+kind+"template", numbered(count, func(i int) in {
			input := each(i)
			input["device_type"] = id
			return input
		})...)
	}
	of("consoleport", m.console, func(i int) in { return in{"name": fmt.Sprintf("con%d", i), "type": "rj-45"} })
	of("consoleserverport", m.serial, func(i int) in { return in{"name": fmt.Sprintf("tty%d", i+1), "type": "rj-45"} })
	intakes := of("powerport", m.power, func(i int) in {
		return in{"name": fmt.Sprintf("PSU%d", i+1), "type": "iec-60320-c14", "maximum_draw": 350}
	})
	of("poweroutlet", m.outlets, func(i int) in {
		return in{"name": fmt.Sprintf("Outlet %d", i+1), "type": "iec-60320-c13", "power_port": intakes[0]}
	})
	for _, p := range m.interfaces {
		of("interface", p.n, func(i int) in { return in{"name": fmt.Sprintf(p.format, i), "type": p.kind} })
	}
	if len(m.interfaces) > 0 {
		of("interface", 1, func(int) in { return in{"name": management, "type": "1000base-t", "mgmt_only": true} })
	}
	rear := of("rearport", m.panel, func(i int) in { return in{"name": fmt.Sprintf("Rear %d", i+1), "type": "lc"} })
	of("frontport", m.panel, func(i int) in { return in{"name": fmt.Sprintf("Front %d", i+1), "type": "lc", "rear_port": rear[i]} })
	of("modulebay", m.bays, func(i int) in { return in{"name": fmt.Sprintf("Slot %d", i+1), "position": fmt.Sprint(i + 1)} })
	of("devicebay", m.blades, func(i int) in { return in{"name": fmt.Sprintf("Bay %d", i+1)} })
	of("inventoryitem", len(m.parts), func(i int) in {
		return in{"name": m.parts[i], "role": part, "manufacturer": n.makers[m.maker], "part_id": fmt.Sprintf("%s-%02d", slugOf(m.name), i+1)}
	})
}

// numbered returns inputs for n records.
func numbered(n int, each func(i int) in) (inputs []in) {
	for i := range n {
		inputs = append(inputs, each(i))
	}
	return inputs
}
