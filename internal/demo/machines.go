package demo

import "fmt"

var machineKinds = []struct {
	name         string
	cpus, memory int
}{{"web", 4, 8192}, {"db", 8, 65536}, {"app", 4, 16384}, {"mon", 2, 4096}, {"dns", 2, 2048}, {"mail", 4, 8192}}

// addMachines adds a cluster of each site, with its hosts and virtual machines.
func (n *network) addMachines() {
	n.by = n.people[1]
	kind := n.add("virtualization.clustertype", in{"name": "KVM", "slug": "kvm"})[0]
	group := n.add("virtualization.clustergroup", in{"name": "Production", "slug": "production"})[0]
	for _, s := range n.sites {
		cluster := n.add("virtualization.cluster", in{"name": s.name + " compute", "type": kind, "group": group, "site": s.id})[0]
		var machines, interfaces, addresses, primary []in
		for i := range n.size.Racks * 6 {
			k := machineKinds[i%len(machineKinds)]
			machines = append(machines, in{"name": fmt.Sprintf("%s%02d.%s1", k.name, 1+i/len(machineKinds), s.slug), "cluster": cluster,
				"role": n.roles["server"], "vcpus": k.cpus, "memory": k.memory, "disk": 40 + 20*(i%5),
				"tenant": n.tenants[i%len(n.tenants)]})
		}
		ids := n.add("virtualization.virtualmachine", machines...)
		for _, id := range ids {
			interfaces = append(interfaces, in{"virtual_machine": id, "name": "eth0", "mode": "access", "untagged_vlan": s.servers})
		}
		for i, id := range n.add("virtualization.vminterface", interfaces...) {
			addresses = append(addresses, in{"address": fmt.Sprintf("10.%d.8.%d/24", s.number, 10+i),
				"assigned_object_type": "virtualization.vminterface", "assigned_object_id": id,
				"dns_name": machines[i]["name"].(string) + ".network.example"})
		}
		for _, id := range n.add("ipam.ipaddress", addresses...) {
			primary = append(primary, in{"primary_ip4": id})
		}
		n.changeEach("virtualization.virtualmachine", ids, primary)
		n.add("extras.configcontext", in{"name": s.name + " compute", "weight": 500, "clusters": []int64{cluster},
			"data": in{"ntp": []string{fmt.Sprintf("10.%d.0.1", s.number)}, "syslog": in{"level": "warning"}}})
		n.change("virtualization.virtualmachine", in{"local_context_data": in{"syslog": in{"level": "debug"}}}, ids[0])
		n.machines = append(n.machines, ids...)
	}
}

// addServices adds what some virtual machines offer.
func (n *network) addServices() {
	n.add("ipam.servicetemplate", in{"name": "HTTPS", "protocol": "tcp", "ports": []int{443}},
		in{"name": "DNS", "protocol": "udp", "ports": []int{53}})
	var services []in
	for i := range min(len(n.machines), 30) {
		switch machineKinds[i%len(machineKinds)].name {
		case "web":
			services = append(services, in{"virtual_machine": n.machines[i], "name": "HTTPS", "protocol": "tcp", "ports": []int{443, 8443}})
		case "dns":
			services = append(services, in{"virtual_machine": n.machines[i], "name": "DNS", "protocol": "udp", "ports": []int{53}})
		}
	}
	n.add("ipam.service", services...)
}
