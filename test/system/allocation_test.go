package system_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
)

const (
	allocationClients  = 16
	allocationRequests = 500
	addressesPath      = "/api/ipam/ip-addresses/"
)

// registrar is two servers on one database that give out addresses, and what their clients were given.
type registrar struct {
	servers []*server
	admin   string
	pool    *pgxpool.Pool

	mu    sync.Mutex
	given map[netip.Addr]string // by address: the mark of the request
}

func newRegistrar(t *testing.T) *registrar {
	t.Helper()
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	return &registrar{servers: []*server{in.Serve(), in.Serve()}, admin: in.Token("admin"), pool: connect(t, database),
		given: map[netip.Addr]string{}}
}

// create creates a record and returns its id.
func (r *registrar) create(t *testing.T, path string, body object) (id int) {
	t.Helper()
	var made struct{ ID int }
	r.servers[0].Do(http.MethodPost, path, r.admin, body).Want(t, http.StatusCreated).Read(t, &made)
	return made.ID
}

// prefix and ipRange create one in a VRF and return the address of its allocation.
func (r *registrar) prefix(t *testing.T, vrf int, network string) string {
	t.Helper()
	return fmt.Sprintf("/api/ipam/prefixes/%d/available-ips/", r.create(t, "/api/ipam/prefixes/", object{"prefix": network, "vrf": vrf}))
}

func (r *registrar) ipRange(t *testing.T, vrf int, start, end string) string {
	t.Helper()
	return fmt.Sprintf("/api/ipam/ip-ranges/%d/available-ips/",
		r.create(t, "/api/ipam/ip-ranges/", object{"start_address": start, "end_address": end, "vrf": vrf}))
}

// took notes the addresses of an answer to a request, each of which nobody else may have been given.
func (r *registrar) took(t *testing.T, mark string, a answer, list bool) []netip.Addr {
	t.Helper()
	var records []struct{ Address netip.Prefix }
	if !list {
		a.Body = "[" + a.Body + "]"
	}
	a.Read(t, &records)
	var hosts []netip.Addr
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range records {
		host := x.Address.Addr()
		if other, twice := r.given[host]; twice {
			t.Errorf("%s was given to %s and to %s", host, other, mark)
		}
		r.given[host] = mark
		hosts = append(hosts, host)
	}
	return hosts
}

// checkStored checks that what was given in a VRF is in the database, once each with its change row.
func (r *registrar) checkStored(t *testing.T, vrf int) {
	t.Helper()
	rows, err := r.pool.Query(t.Context(), `SELECT host(a.address), (SELECT count(*) FROM extras_objectchange c
		WHERE c.object_type = 'ipam.ipaddress' AND c.object_id = a.id) FROM ipam_ipaddress a WHERE a.vrf_id = $1`, vrf)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[netip.Addr]int{}
	for rows.Next() {
		var text string
		var changes int
		if err := rows.Scan(&text, &changes); err != nil {
			t.Fatal(err)
		}
		host := netip.MustParseAddr(text)
		if stored[host]++; stored[host] > 1 || changes != 1 {
			t.Errorf("%s has %d records and %d change rows, want one each", host, stored[host], changes)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for host, mark := range r.given {
		if stored[host] == 0 {
			t.Errorf("%s was given to %s, and is not in the database", host, mark)
		}
	}
}

// TestAllocation lets 16 clients of two servers send 500 requests for addresses at once. Every address that was acknowledged is in the
// database, none twice, and requests fail only when there is none left. Afterwards single requests are given the rest, lowest first.
func TestAllocation(t *testing.T) {
	t.Parallel()
	r := newRegistrar(t)
	for n, c := range []struct {
		name   string
		places func(vrf int) []string
		plain  bool // every other request creates an address of its choice
		usable int
	}{
		{"one prefix", func(vrf int) []string { return []string{r.prefix(t, vrf, "10.0.0.0/24")} }, false, 254},
		{"nested prefixes", func(vrf int) []string {
			return []string{r.prefix(t, vrf, "10.0.0.0/24"), r.prefix(t, vrf, "10.0.0.0/25"), r.prefix(t, vrf, "10.0.0.64/26")}
		}, false, 254},
		{"a range in a prefix", func(vrf int) []string {
			return []string{r.prefix(t, vrf, "10.0.0.0/24"), r.ipRange(t, vrf, "10.0.0.64/24", "10.0.0.127/24")}
		}, false, 254},
		{"all of it, and plain creates", func(vrf int) []string {
			return []string{r.prefix(t, vrf, "10.0.0.0/23"), r.prefix(t, vrf, "10.0.0.0/25"),
				r.ipRange(t, vrf, "10.0.1.0/23", "10.0.1.63/23")}
		}, true, 510},
	} {
		t.Run(c.name, func(t *testing.T) {
			vrf := r.create(t, "/api/ipam/vrfs/", object{"name": fmt.Sprint("table ", n)})
			places := c.places(vrf)
			clear(r.given)
			full := r.race(t, places, func(n int) object {
				if !c.plain || n%2 == 0 {
					return nil
				}
				return object{"address": fmt.Sprintf("10.0.%d.%d/23", n/2%2, 1+n/2%254), "vrf": vrf}
			})
			r.checkStored(t, vrf)
			if !c.plain && len(places) == 1 && len(r.given) != c.usable {
				t.Errorf("%d requests were given an address, and %d addresses were free", len(r.given), c.usable)
			}
			for place := range full {
				if a := r.servers[1].Get(place, r.admin).Want(t, http.StatusOK); a.Body != "[]" && a.Body != "[]\n" {
					t.Errorf("%s was said to be full, and has %s", place, a.Body)
				}
			}
			for _, place := range []string{places[0], places[len(places)-1]} { // a range in a prefix is not the prefix's to give out
				r.fill(t, place)
			}
			if stored := number(t, r.pool, "SELECT count(DISTINCT host(address)) FROM ipam_ipaddress WHERE vrf_id = $1", vrf); stored != c.usable {
				t.Errorf("%d addresses are in use at the end, want %d", stored, c.usable)
			}
		})
	}
}

// duplicate is all that a plain create may be refused for.
var duplicate = regexp.MustCompile(`^\{"address":\["[^"]* may have each IP address only once, and has [^"]* already\."\]\}\s*$`)

// race sends the requests of all clients at once: to one place after the other, or to the list if plain returns a body. It returns
// the places that were said to be full.
func (r *registrar) race(t *testing.T, places []string, plain func(n int) object) (full map[string]bool) {
	t.Helper()
	full = map[string]bool{}
	jobs := make(chan int, allocationRequests)
	for n := range allocationRequests {
		jobs <- n
	}
	close(jobs)
	var group sync.WaitGroup
	for client := range allocationClients {
		group.Go(func() {
			for n := range jobs {
				place, body := places[n%len(places)], object{}
				chosen := plain(n)
				if chosen != nil {
					place, body = addressesPath, chosen
				}
				switch a := r.servers[client%2].Do(http.MethodPost, place, r.admin, body); {
				case a.Status == http.StatusCreated:
					r.took(t, fmt.Sprint("request ", n), a, false)
				case chosen != nil && a.Status == http.StatusBadRequest && duplicate.MatchString(a.Body): // somebody has it
				case chosen == nil && a.Status == http.StatusConflict:
					r.mu.Lock()
					full[place] = true
					r.mu.Unlock()
				default:
					t.Errorf("request %d to %s: %v", n, place, a)
				}
			}
		})
	}
	group.Wait()
	return full
}

// fill takes single addresses of a place until it is full, and checks that they come lowest first.
func (r *registrar) fill(t *testing.T, place string) {
	t.Helper()
	for last := (netip.Addr{}); ; {
		a := r.servers[0].Do(http.MethodPost, place, r.admin, object{})
		if a.Status == http.StatusConflict {
			return
		}
		hosts := r.took(t, "the rest", a.Want(t, http.StatusCreated), false)
		if last.IsValid() && hosts[0].Compare(last) <= 0 {
			t.Fatalf("%s was given after %s", hosts[0], last)
		}
		last = hosts[0]
	}
}
