package api_test

import (
	"fmt"
	"testing"

	"terrier/test/apitest"
)

func serviceRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			device, machine := h.make(t, "device"), h.make(t, "virtualmachine")
			h.refused(t, "non_field_errors", "service", "device", nil)
			h.refused(t, "non_field_errors", "service", "device", device, "virtual_machine", machine)
			service := h.make(t, "service", "virtual_machine", machine)
			h.unset(t, "non_field_errors", "service", service, "device", device)
			h.set(t, "service", service, "device", device, "virtual_machine", nil)
		},
		2: func(t *testing.T, h *hardware) {
			device := h.make(t, "device")
			h.make(t, "service", "device", device, "name", "http")
			h.make(t, "service", "device", device, "name", "http")
			h.refused(t, "ports", "service", "ports", []int{})
			h.refused(t, "ports", "service", "ports", []int{0})
			h.refused(t, "ports", "service", "ports", []int{65536})
		},
		3: func(t *testing.T, h *hardware) {
			foreign := h.make(t, "ipaddress")
			service := h.made(t, "service", "ipaddresses", []int64{foreign})
			wantKeys(t, "ipaddresses", service["ipaddresses"].([]any)[0], "id", "url", "display", "family", "address")
		},
		4: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "ipaddress"), h.make(t, "ipaddress")
			service := h.make(t, "service", "ipaddresses", []int64{two, one})
			want(t, "ipaddress_id", len(h.find(t, "service", "ipaddress_id=%d", one)), 1)
			address := h.read(t, "ipaddress", two)["address"]
			want(t, "ipaddress", len(h.find(t, "service", "ipaddress=%s", address)), 1)
			h.changed(t, h.remove(t, "ipaddress", one), "update ipam.service", "delete ipam.ipaddress")
			want(t, "addresses", fmt.Sprint(each(h.read(t, "service", service)["ipaddresses"], "id")), fmt.Sprint([]any{float64(two)}))
		},
		5: func(t *testing.T, h *hardware) { protocolAndPorts(t, h, "service") },
	}
}

func serviceTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "ports", "servicetemplate", "ports", []int{})
			h.refused(t, "ports", "servicetemplate", "ports", nil)
		},
		2: func(t *testing.T, h *hardware) { protocolAndPorts(t, h, "servicetemplate") },
		3: func(t *testing.T, h *hardware) {
			template := h.make(t, "servicetemplate", "protocol", "udp")
			want(t, "protocol", h.first(t, "servicetemplate", "brief=1&id=%d", template)["protocol"], any("udp"))
		},
		4: func(t *testing.T, h *hardware) {
			for _, f := range h.s.App.Registry.Type("ipam.service").References() {
				if f.Target == h.s.App.Registry.Type("ipam.servicetemplate") {
					t.Errorf("a service refers to a template through %s", f.Name)
				}
			}
		},
	}
}

// protocolAndPorts looks at how a service or a template is called and nested.
func protocolAndPorts(t *testing.T, h *hardware, name string) {
	t.Helper()
	made := h.made(t, name, "name", "HTTP", "ports", []int{8082, 80, 8080, 8081})
	want(t, "display", made["display"], any("HTTP (TCP/80, 8080-8082)"))
	want(t, "ports", fmt.Sprint(made["ports"]), "[8082 80 8080 8081]")
	want(t, "label", nestedIn(made, "protocol")["label"], any("TCP"))
	brief := h.first(t, name, "brief=1&id=%d", apitest.ID(made))
	want(t, "protocol in the brief form", brief["protocol"], any("tcp"))
	want(t, "display", brief["display"], any("HTTP (TCP/80, 8080-8082)"))
	want(t, "by port", len(h.find(t, name, "port=8081")), 1)
}
