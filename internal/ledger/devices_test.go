package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// deviceType creates a device type, and what else a device needs. It returns the values of a device of this type.
func (b *bundle) deviceType(t *testing.T, name string) ledger.Input {
	t.Helper()
	id := func(key string, in ledger.Input) string { return fmt.Sprint(b.create(t, key, in)[0].ID()) }
	slugged := ledger.Input{"name": name, "slug": name}
	maker := id("dcim.manufacturer", slugged)
	return ledger.Input{"site": id("dcim.site", slugged), "device_role": id("dcim.devicerole", slugged),
		"device_type": id("dcim.devicetype", ledger.Input{"manufacturer": maker, "model": name, "slug": name, "subdevice_role": "parent"})}
}

// TestDeviceComponents creates a device of a type with a template of every kind, and puts a module into it. The components are created in
// the order of the catalogue, with the values and references of their templates.
func TestDeviceComponents(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	device := b.deviceType(t, "a")
	module := fmt.Sprint(b.create(t, "dcim.moduletype", ledger.Input{"model": "m",
		"manufacturer": fmt.Sprint(b.number(t, "SELECT id FROM dcim_manufacturer"))})[0].ID())
	template := func(kind string, values ...string) string {
		in := ledger.Input{"device_type": device["device_type"], "name": kind}
		for i := 0; i < len(values); i += 2 {
			if in[values[i]] = values[i+1]; values[i] == "module_type" {
				delete(in, "device_type")
			}
		}
		return fmt.Sprint(b.create(t, "dcim."+kind+"template", in)[0].ID())
	}
	power := template("powerport", "maximum_draw", "30")
	template("poweroutlet", "power_port", power, "feed_leg", "B")
	rear := template("rearport", "type", "8p8c", "positions", "2")
	template("frontport", "type", "8p8c", "rear_port", rear, "rear_port_position", "2")
	first := template("interface", "type", "1000base-t", "label", "{module}")
	template("interface", "type", "virtual", "name", "br", "bridge", first)
	item := template("inventoryitem", "component_type", "dcim.interfacetemplate", "component_id", first, "part_id", "x")
	template("inventoryitem", "name", "inner", "parent", item)
	template("consoleport")
	template("consoleserverport")
	template("modulebay", "position", "3")
	template("modulebay", "name", "none")
	template("devicebay")
	kinds := func(request string) []string {
		rows, err := b.db.Query(t.Context(), `SELECT substr(object_type, 6) FROM extras_objectchange WHERE request_id = $1 ORDER BY id`, request)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for rows.Next() {
			var kind string
			if err := rows.Scan(&kind); err != nil {
				t.Fatal(err)
			}
			all = append(all, kind)
		}
		return slices.Compact(all)
	}
	request := b.request()
	id := b.create(t, "dcim.device", device)[0].ID()
	if got, want := kinds(request), strings.Fields("device consoleport consoleserverport powerport poweroutlet interface rearport frontport "+
		"modulebay devicebay inventoryitem"); !slices.Equal(got, want) {
		t.Errorf("created %q, want %q", got, want)
	}
	check := func(what, sql string, args ...any) {
		t.Helper()
		if n := b.number(t, "SELECT count(*) FROM "+sql, args...); n != 1 {
			t.Errorf("%s: %d records, want 1", what, n)
		}
	}
	check("power", `dcim_poweroutlet o JOIN dcim_powerport p ON p.id = o.power_port_id AND p.device_id = o.device_id
		WHERE o.device_id = $1 AND o.feed_leg = 'B' AND p.maximum_draw = 30`, id)
	check("pass through", `dcim_frontport f JOIN dcim_rearport r ON r.id = f.rear_port_id AND r.device_id = f.device_id
		WHERE f.device_id = $1 AND f.rear_port_position = 2 AND r.positions = 2`, id)
	check("bridge", `dcim_interface i JOIN dcim_interface b ON b.id = i.bridge_id AND b.device_id = i.device_id
		WHERE i.device_id = $1 AND i.name = 'br' AND b.label = '{module}'`, id)
	check("items", `dcim_inventoryitem i JOIN dcim_inventoryitem o ON o.id = i.parent_id AND o.device_id = i.device_id
		JOIN dcim_interface c ON o.component_type = 'dcim.interface' AND c.id = o.component_id
		WHERE i.device_id = $1 AND i.name = 'inner' AND o.part_id = 'x' AND c.name = 'interface'`, id)

	for _, name := range []string{"{module}/{module}", "fixed"} {
		template("interface", "module_type", module, "type", "1000base-t", "name", name)
	}
	rear = template("rearport", "module_type", module, "type", "8p8c")
	template("frontport", "module_type", module, "type", "8p8c", "rear_port", rear, "name", "f{module}")
	in := func(bay string) ledger.Input {
		return ledger.Input{"device": fmt.Sprint(id), "module_type": module,
			"module_bay": fmt.Sprint(b.number(t, "SELECT id FROM dcim_modulebay WHERE name = $1", bay))}
	}
	refused := func(what, bay string, words ...string) {
		t.Helper()
		_, err := b.Create(t.Context(), b.root, b.reg.Type("dcim.module"), []ledger.Input{in(bay)})
		if items := itemsOf(err); fault.KindOf(err) != fault.Invalid || !slices.EqualFunc(items[0]["module_type"], words, strings.HasPrefix) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("a bay without position", "none", "interface {module}/{module}: The module bay has no position",
		"front port f{module}: The module bay",
		"rear port rearport: ")
	refused("a name that the device has", "modulebay", "rear port rearport: ")
	b.exec(t, "UPDATE dcim_rearporttemplate SET name = 'r{module}' WHERE id = $1::text::bigint", rear)
	request = b.request()
	b.create(t, "dcim.module", in("modulebay"))
	if got, want := kinds(request), []string{"module", "interface", "rearport", "frontport"}; !slices.Equal(got, want) {
		t.Errorf("created %q, want %q", got, want)
	}
	check("names", `dcim_interface WHERE device_id = $1 AND name = '3/3' AND module_id IS NOT NULL`, id)
	check("ports", `dcim_frontport f JOIN dcim_rearport r ON r.id = f.rear_port_id AND r.module_id = f.module_id
		WHERE f.device_id = $1 AND f.name = 'f3' AND r.name = 'r3'`, id)
	// What the module brought is no difference.
	answer, err := b.Act(t.Context(), b.root, b.reg.Action("POST dcim.device/sync-components"), id, ledger.Input{"dry_run": true})
	if s, ok := answer.(*ledger.Synced); err != nil || !ok || len(s.Added)+len(s.Different)+len(s.Extra) > 0 {
		t.Errorf("the device differs from its type: %+v (%v)", answer, err)
	}
}
