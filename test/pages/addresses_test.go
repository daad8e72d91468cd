package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestAddressesOfDevicesAndMachines: both have a tab of the addresses on their interfaces, which marks the primary one, and one of
// services.
func TestAddressesOfDevicesAndMachines(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Oslo", "slug": "oslo"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	typ := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "Leaf", "slug": "leaf"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Leaf", "slug": "leaf", "color": "2196f3"})
	var devices, machines []int64
	for i := range 2 {
		devices = append(devices, create(t, s, "/api/dcim/devices/",
			obj{"name": fmt.Sprint("leaf", i), "site": site, "device_type": typ, "device_role": role}))
		machines = append(machines, create(t, s, "/api/virtualization/virtual-machines/", obj{"name": fmt.Sprint("vm", i), "site": site}))
	}
	for n, x := range []struct {
		owners                   []int64
		path, ports, owner, port string
	}{{devices, "/dcim/devices/", "/api/dcim/interfaces/", "device", "dcim.interface"},
		{machines, "/virtualization/virtual-machines/", "/api/virtualization/interfaces/", "virtual_machine", "virtualization.vminterface"}} {
		var addresses []int64
		for i, owner := range x.owners {
			port := create(t, s, x.ports, obj{"name": "eth0", "type": "virtual", x.owner: owner})
			for host := range 2 {
				addresses = append(addresses, create(t, s, "/api/ipam/ip-addresses/", obj{"address": fmt.Sprintf("10.%d.%d.%d/24", n, i, host+1),
					"assigned_object_type": x.port, "assigned_object_id": port}))
			}
		}
		create(t, s, "/api/ipam/services/", obj{"name": "web", "protocol": "tcp", "ports": []int{443}, x.owner: x.owners[0]})
		s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api%s%d/", x.path, x.owners[0]), Token: s.Admin,
			Body: obj{"primary_ip4": addresses[0]}}).Want(t, http.StatusOK)
		path := fmt.Sprintf("%s%d/", x.path, x.owners[0])
		shows(t, b.get(t, path).Want(t, http.StatusOK), `IP addresses <span class="badge text-bg-secondary">2</span></a>`,
			`Services <span class="badge text-bg-secondary">1</span></a>`)
		tab := b.get(t, path+"ip-addresses/").Want(t, http.StatusOK)
		shows(t, tab, fmt.Sprintf("10.%d.0.1/24", n), fmt.Sprintf("10.%d.0.2/24", n), `data-label="Used as">Primary IPv4</td>`,
			"eth0", "1–2 of 2",
			fmt.Sprintf(`href="/ipam/ip-addresses/?%s_id=%d"`, x.owner, x.owners[0]))
		hides(t, tab, fmt.Sprintf("10.%d.1.1/24", n))
		shows(t, b.get(t, path+"services/").Want(t, http.StatusOK), "web")
		other := b.get(t, fmt.Sprintf("%s%d/ip-addresses/", x.path, x.owners[1])).Want(t, http.StatusOK)
		shows(t, other, fmt.Sprintf("10.%d.1.1/24", n))
		hides(t, other, "Used as")
	}
	shows(t, b.get(t, fmt.Sprintf("/virtualization/virtual-machines/%d/", machines[0])), "Memory (MB)", "Disk (GB)") // numbers have units
}
