package demo

import (
	"crypto/rand"
	"strings"

	"terrier/internal/access"
)

// The first four work on the network every day, and automation around the clock.
var people = []struct{ first, last, group string }{
	{"Amara", "Okafor", "Network operations"},
	{"Lucía", "Ferrer", "Network operations"},
	{"Jonas", "Weber", "Data centre"},
	{"Priya", "Nair", "Data centre"},
	{"Tomás", "Silva", "Security"},
	{"Hanna", "Lindqvist", "Security"},
	{"Grace", "Kim", "Auditors"},
	{"Automation", "", "Network operations"},
}

// plainLetters spell a name in a username.
var plainLetters = strings.NewReplacer("í", "i", "á", "a")

func usernameOf(first, last string) string {
	return strings.Trim(strings.ToLower(plainLetters.Replace(first+"."+last)), ".")
}

// addPeople adds users, groups, permissions and tokens. Nobody knows the passwords and the keys.
func (n *network) addPeople() {
	names := []string{"Network operations", "Data centre", "Security", "Auditors"}
	groups := map[string]int64{}
	for i, id := range n.add("users.group", in{"name": names[0], "description": "Routers, switches, addresses"},
		in{"name": names[1], "description": "Racks, power, cabling"}, in{"name": names[2], "description": "Firewalls and reviews"},
		in{"name": names[3], "description": "Read everything, change nothing"}) {
		groups[names[i]] = id
	}
	users := make([]in, len(people))
	for i, p := range people {
		username := usernameOf(p.first, p.last)
		users[i] = in{"username": username, "password": rand.Text(), "first_name": p.first, "last_name": p.last,
			"email": username + "@network.example", "groups": []int64{groups[p.group]}}
	}
	ids := n.add("users.user", users...)
	for i, id := range ids {
		n.people = append(n.people, &access.Subject{UserID: id, Username: users[i]["username"].(string), Superuser: true})
	}
	all := []string{"view", "add", "change", "delete"}
	n.add("users.permission",
		in{"name": "Everybody reads the network", "object_types": networkTypes, "actions": []string{"view"},
			"groups": []int64{groups[names[0]], groups[names[1]], groups[names[2]], groups[names[3]]}},
		in{"name": "Operations edit addresses", "object_types": []string{"ipam.prefix", "ipam.ipaddress", "ipam.vlan", "ipam.vrf"},
			"actions": all, "groups": []int64{groups[names[0]]}},
		in{"name": "Data centre edits hardware", "object_types": []string{"dcim.rack", "dcim.device", "dcim.interface", "dcim.rackreservation"},
			"actions": all, "groups": []int64{groups[names[1]]}},
		in{"name": "Operations edit active sites", "object_types": []string{"dcim.site"}, "actions": []string{"change"},
			"groups": []int64{groups[names[0]]}, "constraints": map[string]any{"status": "active"}},
		in{"name": "Security manages webhooks", "object_types": []string{"extras.webhook", "extras.delivery"},
			"actions": []string{"view", "change"}, "groups": []int64{groups[names[2]]}})
	n.add("users.token", in{"user": ids[len(ids)-1], "description": "Nightly import"},
		in{"user": ids[0], "description": "Reports", "write_enabled": false})
	n.by = n.people[0]
}

var networkTypes = []string{"dcim.region", "dcim.site", "dcim.location", "dcim.rack", "dcim.device", "dcim.interface", "ipam.prefix",
	"ipam.ipaddress", "ipam.vlan", "ipam.vrf", "tenancy.tenant", "virtualization.virtualmachine", "extras.objectchange"}
