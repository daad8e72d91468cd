package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"terrier/test/apitest"
)

func addressRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			for given, kept := range map[string]string{"192.0.2.7": "192.0.2.7/32", "2001:DB8::7": "2001:db8::7/128",
				"192.0.2.7/24": "192.0.2.7/24"} {
				want(t, given, h.made(t, "ipaddress", "address", given)["address"], any(kept))
			}
			h.refused(t, "address", "ipaddress", "address", "192.0.2.7/0")
			h.refused(t, "address", "ipaddress", "address", "::/0")
		},
		2: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", true)
			lax := h.make(t, "vrf", "enforce_unique", false)
			in := func(vrf any, address string, role any) []any {
				return []any{"vrf", vrf, "address", address, "role", role}
			}
			h.make(t, "ipaddress", in(vrf, "10.2.0.1/24", nil)...)
			h.refused(t, "address", "ipaddress", in(vrf, "10.2.0.1/32", nil)...)
			h.refused(t, "address", "ipaddress", in(vrf, "10.2.0.1/24", "vip")...)
			for _, role := range []string{"anycast", "vip", "vrrp", "hsrp", "glbp", "carp"} {
				h.make(t, "ipaddress", in(vrf, "10.2.0.2/24", role)...)
			}
			h.refused(t, "address", "ipaddress", in(vrf, "10.2.0.2/24", "loopback")...)
			for range 2 {
				h.make(t, "ipaddress", in(lax, "10.2.0.1/24", nil)...)
				h.make(t, "ipaddress", in(nil, "10.2.0.1/24", nil)...)
			}
		},
		3: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", true)
			a := h.do(t, http.MethodPost, h.list("ipaddress"), []obj{{"vrf": vrf, "address": "10.3.0.1/24"}, {"vrf": vrf, "address": "10.3.0.1/30"}})
			if errs := a.Want(t, http.StatusBadRequest).List(t); len(errs) != 2 || errs[1]["address"] == nil {
				t.Errorf("errors of a list: %v", errs)
			}
		},
		4: func(t *testing.T, h *hardware) {
			h.refused(t, "status", "ipaddress", "status", "slaac")
			six := h.make(t, "ipaddress", "status", "slaac", "address", "2001:db8::4/64")
			h.unset(t, "status", "ipaddress", six, "address", "10.4.0.1/24")
		},
		5: func(t *testing.T, h *hardware) {
			for given, kept := range map[string]string{"WWW.Example.COM.": "www.example.com.", "*.a_b-c.example": "*.a_b-c.example",
				"a": "a", "": ""} {
				want(t, given, h.made(t, "ipaddress", "dns_name", given)["dns_name"], any(kept))
			}
			for _, bad := range []string{"a b", "a..b", "a.*.b", ".", "ä.example"} {
				h.refused(t, "dns_name", "ipaddress", "dns_name", bad)
			}
		},
		6: func(t *testing.T, h *hardware) {
			port := h.make(t, "interface")
			h.refused(t, "assigned_object_id", "ipaddress", "assigned_object_type", "dcim.interface")
			h.refused(t, "assigned_object_type", "ipaddress", "assigned_object_id", port)
			h.refused(t, "assigned_object_type", "ipaddress", "assigned_object_type", "dcim.device", "assigned_object_id", 1)
			h.refused(t, "assigned_object_id", "ipaddress", "assigned_object_type", "dcim.interface", "assigned_object_id", 999999)
			h.assigned(t, "interface", port)
		},
		7: func(t *testing.T, h *hardware) {
			free := h.made(t, "ipaddress")
			for _, field := range []string{"assigned_object_type", "assigned_object_id", "assigned_object"} {
				if value, is := free[field]; !is || value != nil {
					t.Errorf("%s of a free address is %v", field, value)
				}
			}
			for _, typ := range []string{"interface", "vminterface", "fhrpgroup"} {
				port := h.make(t, typ)
				shown := h.read(t, "ipaddress", h.assigned(t, typ, port))
				want(t, "type", shown["assigned_object_type"], any(h.key(typ)))
				want(t, "id", shown["assigned_object_id"], any(float64(port)))
				wantRef(t, shown, "assigned_object", port)
			}
		},
		8: func(t *testing.T, h *hardware) {
			for _, typ := range []string{"interface", "vminterface", "fhrpgroup"} {
				port := h.make(t, typ)
				address := h.assigned(t, typ, port)
				h.changed(t, h.remove(t, typ, port), "delete ipam.ipaddress", "delete "+h.logged(typ))
				h.gone(t, "ipaddress", address)
			}
		},
		9: primaryCleared,
		10: func(t *testing.T, h *hardware) {
			for _, typ := range []string{"device", "virtualmachine"} {
				one, two := h.home(t, typ), h.home(t, typ)
				address := h.assigned(t, one.port, one.portID)
				h.set(t, typ, one.id, "primary_ip4", address)
				h.unset(t, "assigned_object_id", "ipaddress", address, "assigned_object_id", two.portID)
				h.set(t, typ, one.id, "primary_ip4", nil)
				h.set(t, "ipaddress", address, "assigned_object_id", two.portID)
			}
		},
		11: func(t *testing.T, h *hardware) { // the REST API of 3.5 takes them
			x := h.home(t, "device")
			for _, address := range []string{"192.0.2.0/24", "192.0.2.255/24", "2001:db8::/64"} {
				h.assigned(t, x.port, x.portID, "address", address)
			}
		},
		12: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", true)
			var all sync.WaitGroup
			var created atomic.Int64
			for range 12 {
				all.Go(func() {
					a := h.do(t, http.MethodPost, h.list("ipaddress"), obj{"address": "10.12.0.1/24", "vrf": vrf})
					switch a.Status {
					case http.StatusCreated:
						created.Add(1)
					case http.StatusBadRequest:
						if got := keys(a.Object(t)); got != "address" {
							t.Errorf("errors on %s", got)
						}
					default:
						t.Errorf("status %d", a.Status)
					}
				})
			}
			all.Wait()
			want(t, "created", created.Load(), int64(1))
		},
		13: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf", "enforce_unique", false)
			for _, address := range []string{"2001:db8::1/64", "10.13.0.10/8", "10.13.0.9/30", "10.13.0.10/30", "2001:db8::/64"} {
				h.make(t, "ipaddress", "vrf", vrf, "address", address)
			}
			want(t, "order", names(h.find(t, "ipaddress", "vrf_id=%d", vrf), "address"),
				"10.13.0.9/30 10.13.0.10/8 10.13.0.10/30 2001:db8::/64 2001:db8::1/64")
		},
		14: func(t *testing.T, h *hardware) {
			inside := h.made(t, "ipaddress", "address", "2001:db8:14::1/64")
			if list, is := inside["nat_outside"].([]any); !is || len(list) != 0 {
				t.Errorf("nat_outside is %v", inside["nat_outside"])
			}
			one, two := h.make(t, "ipaddress", "nat_inside", inside["id"]), h.make(t, "ipaddress", "nat_inside", inside["id"])
			got := h.read(t, "ipaddress", apitest.ID(inside))["nat_outside"]
			want(t, "nat_outside", fmt.Sprint(each(got, "id")), fmt.Sprint([]any{float64(one), float64(two)}))
			wantKeys(t, "nat_outside", got.([]any)[0], "id", "url", "display", "family", "address")
		},
		16: func(t *testing.T, h *hardware) {
			h.familyForms(t, "ipaddress", h.make(t, "ipaddress"), h.make(t, "ipaddress", "address", "2001:db8:16::1/64"))
			want(t, "family", nestedIn(h.made(t, "ipaddress", "family", 6), "family")["label"], any("IPv4"))
			prefix := h.network(t, "10.16.0.0/24")
			offered := h.get(t, at(h.list("prefix"), prefix)+"available-ips/?limit=1").Want(t, http.StatusOK).List(t)
			want(t, "family of a free address", offered[0]["family"], any(4.0))
		},
		17: func(t *testing.T, h *hardware) {
			id := float64(h.make(t, "ipaddress", "address", "10.171.0.1/24", "dns_name", "mail.example", "description", "Relay of the post"))
			for _, q := range []string{"10.171.", "10.171.0.1", "ail.exam", "elay+of"} {
				want(t, q, fmt.Sprint(h.first(t, "ipaddress", "q=%s", q)["id"]), fmt.Sprint(id))
			}
			want(t, "nothing", len(h.find(t, "ipaddress", "q=%s", "10.172.9")), 0)
		},
		18: func(t *testing.T, h *hardware) {
			vrf, tenant := h.make(t, "vrf"), h.make(t, "tenancy.tenant")
			for field, id := range map[string]int64{"vrf": vrf, "tenant": tenant} {
				with, without := h.make(t, "ipaddress", field, id), h.make(t, "ipaddress")
				ids := fmt.Sprintf("id=%d&id=%d", with, without)
				want(t, field, fmt.Sprint(names(h.find(t, "ipaddress", "%s&%s_id=null", ids, field), "id")), fmt.Sprint(without))
				want(t, field, len(h.find(t, "ipaddress", "%s&%s_id=%d", ids, field, id)), 1)
			}
		},
	}
}

// primaryCleared deletes addresses that are primary.
func primaryCleared(t *testing.T, h *hardware) {
	for _, typ := range []string{"device", "virtualmachine"} {
		x := h.home(t, typ)
		address := h.assigned(t, x.port, x.portID)
		h.set(t, typ, x.id, "primary_ip4", address)
		h.changed(t, h.remove(t, "ipaddress", address), "update "+h.logged(typ), "delete ipam.ipaddress")
		wantRef(t, h.read(t, typ, x.id), "primary_ip4", 0)
	}
}
