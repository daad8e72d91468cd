package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// assigned creates an address that is assigned to an interface of a device, or of a virtual machine.
func (h *hardware) assigned(t *testing.T, typ string, iface int64, more ...any) int64 {
	t.Helper()
	return h.make(t, "ipaddress", append([]any{"assigned_object_type", h.key(typ), "assigned_object_id", iface}, more...)...)
}

// home is a device or a virtual machine with an interface of its own.
type home struct {
	typ, port  string // "device", "interface"
	id, portID int64
}

func (h *hardware) home(t *testing.T, typ string) home {
	t.Helper()
	x := home{typ: typ, id: h.make(t, typ)}
	if x.port = "interface"; typ == "device" {
		x.portID = h.make(t, x.port, "device", x.id)
		return x
	}
	x.port = "vminterface"
	x.portID = h.make(t, x.port, "virtual_machine", x.id)
	return x
}

// foundByPrimary asks that a search finds a device or virtual machine by the beginning of a primary address that the caller may see.
func (h *hardware) foundByPrimary(t *testing.T, typ string) {
	t.Helper()
	x := h.home(t, typ)
	four, six := h.assigned(t, x.port, x.portID, "address", "10.77.12.9/24"), h.assigned(t, x.port, x.portID, "address", "2001:db8:77::9/64")
	h.assigned(t, x.port, x.portID, "address", "10.78.0.1/24") // not a primary one
	h.set(t, typ, x.id, "primary_ip4", four, "primary_ip6", six)
	for text, n := range map[string]int{
		"10.77.1": 1, "10.77.12.9/24": 1, "10.77.12.": 1, "2001:DB8:77": 1, "2001:db8:77::9/6": 1, "0.77.12": 0,
		"77": 0, "10.78": 0, "10.77.13": 0, "db8:77": 0} {
		want(t, "found by "+text, len(h.find(t, typ, "q=%s", url.QueryEscape(text))), n)
	}
	_, blind := newActor(t, h.s, "blind-"+typ, apitest.Grant{Types: []string{h.key(typ)}, Actions: []string{"view"}})
	want(t, "found by a hidden address", len(blind.page(t, h.list(typ)+"?q=10.77.1").Results), 0)
	_, sees := newActor(t, h.s, "sees-"+typ, apitest.Grant{Types: []string{h.key(typ), "ipam.ipaddress"}, Actions: []string{"view"}})
	want(t, "found by an address that is seen", len(sees.page(t, h.list(typ)+"?q=10.77.1").Results), 1)
}

// primaryRule is what primary addresses of devices and of virtual machines have in common.
func primaryRule(typ string) ruleTest {
	return func(t *testing.T, h *hardware) {
		one, two := h.home(t, typ), h.home(t, typ)
		four, six := h.assigned(t, one.port, one.portID), h.assigned(t, one.port, one.portID, "address", "2001:db8::1/64")
		free, foreign := h.make(t, "ipaddress"), h.assigned(t, two.port, two.portID)
		h.refused(t, "primary_ip4", typ, "primary_ip4", four)
		for field, wrong := range map[string][]int64{"primary_ip4": {six, free, foreign}, "primary_ip6": {four, free, foreign}} {
			for _, id := range wrong {
				if got := keys(h.write(t, typ, one.id, field, id).Want(t, http.StatusBadRequest).Object(t)); got != field {
					t.Errorf("%s of %s can't be %d: errors on %s", field, typ, id, got)
				}
			}
		}
		shown := h.set(t, typ, one.id, "primary_ip4", four, "primary_ip6", six)
		for field, id := range map[string]int64{"primary_ip": six, "primary_ip4": four, "primary_ip6": six} {
			wantRef(t, shown, field, id)
			wantKeys(t, field, shown[field], "id", "url", "display", "family", "address")
		}
		want(t, "family", nestedIn(shown, "primary_ip6")["family"], any(6.0))

		// From the side of the address: it stays where it is, in its family.
		h.unset(t, "assigned_object_id", "ipaddress", four, "assigned_object_id", two.portID)
		h.unset(t, "assigned_object_id", "ipaddress", four, "assigned_object_type", nil, "assigned_object_id", nil)
		h.unset(t, "address", "ipaddress", four, "address", "2001:db8::4/64")
		h.unset(t, "address", "ipaddress", six, "address", "10.250.0.6/24")
		h.set(t, "ipaddress", four, "address", "10.250.0.4/24", "description", "another of the same family")

		// It may be outside of one that is assigned here.
		inside := h.assigned(t, one.port, one.portID)
		outside := h.make(t, "ipaddress", "nat_inside", inside)
		h.set(t, typ, one.id, "primary_ip4", outside)
		h.set(t, "ipaddress", four, "assigned_object_id", two.portID)
		h.unset(t, "nat_inside", "ipaddress", outside, "nat_inside", four)
		h.unset(t, "nat_inside", "ipaddress", outside, "nat_inside", nil)
		h.unset(t, "assigned_object_id", "ipaddress", inside, "assigned_object_id", two.portID)
		h.unset(t, "primary_ip4", typ, two.id, "primary_ip4", outside)

		// Found by filters, cleared when the address goes.
		for query, n := range map[string]int{"has_primary_ip=true": 1, "has_primary_ip=false": 0,
			fmt.Sprint("primary_ip4_id=", outside): 1, fmt.Sprint("primary_ip6_id=", outside): 0, fmt.Sprint("primary_ip6_id=", six): 1} {
			want(t, query, len(h.find(t, typ, "id=%d&%s", one.id, query)), n)
		}
		want(t, "has_primary_ip=false", len(h.find(t, typ, "id=%d&has_primary_ip=false", two.id)), 1)
		h.changed(t, h.remove(t, "ipaddress", outside), "update "+h.logged(typ), "delete ipam.ipaddress")
		wantRef(t, h.read(t, typ, one.id), "primary_ip4", 0)
		h.changed(t, h.remove(t, one.port, one.portID), "update "+h.logged(typ), "delete ipam.ipaddress", "delete ipam.ipaddress",
			"delete "+h.logged(one.port))
		wantRef(t, h.read(t, typ, one.id), "primary_ip", 0)

		// What has a primary address is deleted with it.
		h.set(t, typ, two.id, "primary_ip4", four)
		h.remove(t, typ, two.id)
		h.gone(t, "ipaddress", four)
	}
}

// logged returns the name of a type as changed shows it.
func (h *hardware) logged(typ string) string {
	if key := h.key(typ); key != "dcim."+typ {
		return key
	}
	return typ
}

// chassisPrimary tests primary addresses that are assigned to another member of a virtual chassis.
func chassisPrimary(t *testing.T, h *hardware, typ string, of func(device int64) int64) {
	t.Helper()
	chassis, devices := h.stack(t, 2)
	port := h.make(t, "interface", "device", devices[1])
	address := h.assigned(t, "interface", port)
	id := of(devices[0])
	h.set(t, "interface", port, "mgmt_only", true)
	h.unset(t, "primary_ip4", typ, id, "primary_ip4", address)
	h.set(t, "interface", port, "mgmt_only", false)
	h.set(t, typ, id, "primary_ip4", address)
	h.unset(t, "mgmt_only", "interface", port, "mgmt_only", true)
	h.unset(t, "virtual_chassis", "device", devices[1], "virtual_chassis", nil, "vc_position", nil)
	h.held(t, "virtualchassis", chassis)
	h.set(t, typ, id, "primary_ip4", nil)
	h.remove(t, "virtualchassis", chassis)
}

// contextPrimary tests the primary addresses of virtual device contexts.
func contextPrimary(t *testing.T, h *hardware) {
	one, two := h.home(t, "device"), h.home(t, "device")
	context := func(device int64) int64 { return h.make(t, "virtualdevicecontext", "device", device) }
	id := context(one.id)
	four, six := h.assigned(t, one.port, one.portID), h.assigned(t, one.port, one.portID, "address", "2001:db8::1/64")
	outside, foreign := h.make(t, "ipaddress", "nat_inside", four), h.assigned(t, two.port, two.portID)
	for _, wrong := range []int64{six, outside, foreign} {
		h.unset(t, "primary_ip4", "virtualdevicecontext", id, "primary_ip4", wrong)
	}
	shown := h.set(t, "virtualdevicecontext", id, "primary_ip4", four)
	wantRef(t, shown, "primary_ip", four)
	wantRef(t, h.set(t, "virtualdevicecontext", id, "primary_ip6", six), "primary_ip", six)
	h.unset(t, "assigned_object_id", "ipaddress", four, "assigned_object_id", two.portID)
	h.refused(t, "primary_ip4", "virtualdevicecontext", "device", one.id, "primary_ip4", four)
	want(t, "has_primary_ip", len(h.find(t, "virtualdevicecontext", "has_primary_ip=true&id=%d", id)), 1)
	h.remove(t, "ipaddress", four)
	wantRef(t, h.read(t, "virtualdevicecontext", id), "primary_ip4", 0)
	chassisPrimary(t, h, "virtualdevicecontext", context)
}

// TestPreferIPv4 checks which of two primary addresses is shown.
func TestPreferIPv4(t *testing.T) {
	t.Parallel()
	for _, prefer := range []bool{false, true} {
		h := &hardware{actor: adminOf(apitest.New(t, func(c *app.Config) { c.PreferIPv4 = prefer }))}
		for _, typ := range []string{"device", "virtualmachine"} {
			x := h.home(t, typ)
			four, six := h.assigned(t, x.port, x.portID), h.assigned(t, x.port, x.portID, "address", "2001:db8::1/64")
			for _, c := range []struct{ four, six any }{{nil, nil}, {four, nil}, {nil, six}, {four, six}} {
				first, second := c.six, c.four
				if prefer {
					first, second = second, first
				}
				if first == nil {
					first = second
				}
				id, _ := first.(int64)
				wantRef(t, h.set(t, typ, x.id, "primary_ip4", c.four, "primary_ip6", c.six), "primary_ip", id)
			}
		}
	}
}

// TestPrimaryWhileItMoves lets some make addresses primary while others move them. In the end each device has an address of its own.
func TestPrimaryWhileItMoves(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	one, two := h.home(t, "device"), h.home(t, "device")
	for range 20 {
		h.set(t, "device", one.id, "primary_ip4", nil)
		address := h.assigned(t, one.port, one.portID)
		var wg sync.WaitGroup
		var made, moved apitest.Answer
		wg.Go(func() { made = h.write(t, "device", one.id, "primary_ip4", address) })
		wg.Go(func() { moved = h.write(t, "ipaddress", address, "assigned_object_id", two.portID) })
		wg.Wait()
		answers := []int{made.Status, moved.Status}
		if !slices.Contains(answers, http.StatusOK) || !slices.Contains(answers, http.StatusBadRequest) {
			t.Fatalf("the answers are %d, want that one is done and the other refused", answers)
		}
		shown, at := h.read(t, "device", one.id), h.read(t, "ipaddress", address)["assigned_object_id"]
		if primary := shown["primary_ip4"] != nil; primary != (at == float64(one.portID)) {
			t.Fatalf("the device has %v as its primary address, which is assigned to %v", shown["primary_ip4"], at)
		}
	}
}
