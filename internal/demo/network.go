package demo

import (
	"strings"
	"time"

	"terrier/internal/access"
)

// network is what has been recorded so far. It knows the ids that later records and edits refer to.
type network struct {
	*writer
	size Size
	end  time.Time

	people  []*access.Subject
	tenants []int64
	sites   []*site
	models  map[string]modelIDs
	roles   map[string]int64 // of devices, by slug
	makers  map[string]int64

	lineCard int64 // a module type

	racks, devices, interfaces, addresses, prefixes, vlans, machines []int64
	switches, routers                                                []int64 // among the devices
	reserved, temporary, maintained                                  []int64 // reservations, addresses and devices that are changed back
	installed, reservations                                          int     // racks and reservations so far
	rackRoles                                                        [2]int64

	hooks []hook
}

// slugOf returns the slug of a name in plain letters.
func slugOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }
