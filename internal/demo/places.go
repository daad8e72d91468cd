package demo

import "fmt"

// city is where a site is.
type city struct {
	name, slug, country, zone string
	latitude, longitude       float64
}

var cities = []city{
	{"Lisbon", "lis", "Portugal", "Europe/Lisbon", 38.7223, -9.1393},
	{"Frankfurt", "fra", "Germany", "Europe/Berlin", 50.1109, 8.6821},
	{"New York", "nyc", "United States", "America/New_York", 40.7128, -74.0060},
	{"Singapore", "sin", "Singapore", "Asia/Singapore", 1.3521, 103.8198},
	{"Madrid", "mad", "Spain", "Europe/Madrid", 40.4168, -3.7038},
	{"Paris", "par", "France", "Europe/Paris", 48.8566, 2.3522},
	{"Tokyo", "tyo", "Japan", "Asia/Tokyo", 35.6762, 139.6503},
	{"São Paulo", "sao", "Brazil", "America/Sao_Paulo", -23.5505, -46.6333},
	{"London", "lon", "United Kingdom", "Europe/London", 51.5072, -0.1276},
	{"Chicago", "chi", "United States", "America/Chicago", 41.8781, -87.6298},
	{"Sydney", "syd", "Australia", "Australia/Sydney", -33.8688, 151.2093},
	{"Stockholm", "sto", "Sweden", "Europe/Stockholm", 59.3293, 18.0686},
	{"Amsterdam", "ams", "Netherlands", "Europe/Amsterdam", 52.3676, 4.9041},
	{"Mumbai", "bom", "India", "Asia/Kolkata", 19.0760, 72.8777},
	{"Toronto", "tor", "Canada", "America/Toronto", 43.6532, -79.3832},
	{"Dublin", "dub", "Ireland", "Europe/Dublin", 53.3498, -6.2603},
	{"Warsaw", "waw", "Poland", "Europe/Warsaw", 52.2297, 21.0122},
	{"Seoul", "sel", "South Korea", "Asia/Seoul", 37.5665, 126.9780},
	{"Milan", "mil", "Italy", "Europe/Rome", 45.4642, 9.1900},
	{"Johannesburg", "jnb", "South Africa", "Africa/Johannesburg", -26.2041, 28.0473},
	{"Dallas", "dal", "United States", "America/Chicago", 32.7767, -96.7970},
	{"Vienna", "vie", "Austria", "Europe/Vienna", 48.2082, 16.3738},
	{"Osaka", "osa", "Japan", "Asia/Tokyo", 34.6937, 135.5023},
	{"Nairobi", "nbo", "Kenya", "Africa/Nairobi", -1.2921, 36.8219},
}

// continents are the regions at the top, with the countries in them.
var continents = []struct {
	name, slug string
	countries  []string
}{
	{"Europe", "europe", []string{"Portugal", "Germany", "Spain", "France", "United Kingdom", "Sweden", "Netherlands", "Ireland", "Poland",
		"Italy", "Austria"}},
	{"Americas", "americas", []string{"United States", "Brazil", "Canada"}},
	{"Asia Pacific", "asia-pacific", []string{"Singapore", "Japan", "Australia", "India", "South Korea"}},
	{"Africa", "africa", []string{"South Africa", "Kenya"}},
}

// site is a site with what is in it.
type site struct {
	city
	number          int // from 1
	id, room, vlans int64
	servers         int64 // a VLAN
	hosts           int   // addresses that were given out
	devices, tests  int
	named           map[string]int // devices by the middle of their names
}

// addPlaces adds regions, site groups, sites and their rooms.
func (n *network) addPlaces() {
	countries := map[string]int64{}
	for _, c := range continents {
		top := n.add("dcim.region", in{"name": c.name, "slug": c.slug})[0]
		var inputs []in
		for _, name := range c.countries {
			inputs = append(inputs, in{"name": name, "slug": slugOf(name), "parent": top})
		}
		for i, id := range n.add("dcim.region", inputs...) {
			countries[c.countries[i]] = id
		}
	}
	groups := n.add("dcim.sitegroup", in{"name": "Data centres", "slug": "data-centres"}, in{"name": "Edge", "slug": "edge"})
	var sites, floors []in
	for i, c := range cities[:n.size.Sites] {
		sites = append(sites, in{"name": c.name + " 1", "slug": c.slug + "1", "region": countries[c.country], "group": groups[min(i/4, 1)],
			"status": []string{"active", "active", "active", "staging"}[i%4], "time_zone": c.zone, "latitude": c.latitude,
			"longitude": c.longitude, "facility": fmt.Sprintf("Hall %d", 1+i%3),
			"physical_address": fmt.Sprintf("%d Exchange Street, %s", 10+7*i, c.name),
			"custom_fields":    in{"access_hours": []string{"24/7", "Mon–Fri 7–19"}[i%2]}})
	}
	for i, id := range n.add("dcim.site", sites...) {
		n.sites = append(n.sites, &site{city: cities[i], number: i + 1, id: id, named: map[string]int{}})
		floors = append(floors, in{"name": "Ground floor", "slug": "ground-floor", "site": id})
	}
	var rooms []in
	for i, floor := range n.add("dcim.location", floors...) {
		rooms = append(rooms, in{"name": "Server room", "slug": "server-room", "site": n.sites[i].id, "parent": floor})
	}
	for i, id := range n.add("dcim.location", rooms...) {
		n.sites[i].room = id
	}
}
