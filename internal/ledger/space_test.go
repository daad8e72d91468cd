package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// tables is a rig with two VRFs: one with unique space, one without.
type tables struct {
	*rig
	strict, loose record.Values
}

func newTables(t *testing.T) *tables {
	t.Helper()
	r := &tables{rig: newRig(t)}
	vrfs := r.create(t, "ipam.vrf", in("name", "red", "enforce_unique", true), in("name", "grey", "enforce_unique", false))
	r.strict, r.loose = vrfs[0], vrfs[1]
	return r
}

// TestPlacesAreUnique: where a VRF or the setting says so, two prefixes can't have one network, and two addresses one host, unless all of
// them have a role that is shared. Only what a request leaves behind counts.
func TestPlacesAreUnique(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	address := func(pairs ...any) ledger.Input { return in(append([]any{"address"}, pairs...)...) }
	first := r.create(t, "ipam.ipaddress", address("10.0.0.1/24", "vrf", r.strict), address("10.0.0.1/24", "vrf", r.loose),
		address("10.0.0.1/24"), address("10.0.0.1/24"), address("10.0.0.1/24", "vrf", r.loose), address("10.0.0.2/24", "vrf", r.strict))
	refused(t, "the same host", r.tryCreate(t, "ipam.ipaddress", address("10.0.0.1/32", "vrf", r.strict)), "address",
		"The VRF red", "10.0.0.1/24")
	refused(t, "twice in a list", r.tryCreate(t, "ipam.ipaddress", address("2001:db8::1/64", "vrf", r.strict),
		address("2001:DB8:0::1/128", "vrf", r.strict)), "address", "twice")
	_, err := r.tryUpdate(t, first[1], "vrf", r.strict)
	refused(t, "moved", err, "address")
	_, err = r.tryUpdate(t, first[5], "address", "10.0.0.1/25")
	refused(t, "changed", err, "address")
	r.update(t, first[0], "address", "10.0.0.1/25", "description", "another mask")
	typ := r.reg.Type("ipam.ipaddress")
	if _, err := r.Update(t.Context(), r.root, typ, []ledger.Edit{{ID: first[0].ID(), Input: in("address", "10.0.0.2/24")},
		{ID: first[5].ID(), Input: in("address", "10.0.0.1/24")}}); err != nil {
		t.Errorf("two that change places: %v", err)
	}
	shared := r.create(t, "ipam.ipaddress", address("10.0.0.9/24", "vrf", r.strict, "role", "vip"),
		address("10.0.0.9/24", "vrf", r.strict, "role", "anycast"))
	refused(t, "one without a shared role",
		r.tryCreate(t, "ipam.ipaddress", address("10.0.0.9/24", "vrf", r.strict, "role", "loopback")), "address")
	refused(t, "one without a role", r.tryCreate(t, "ipam.ipaddress", address("10.0.0.9/24", "vrf", r.strict)), "address")
	refused(t, "a shared role beside another",
		r.tryCreate(t, "ipam.ipaddress", address("10.0.0.1/24", "vrf", r.strict, "role", "vip")), "address")
	_, err = r.tryUpdate(t, shared[0], "role", nil)
	refused(t, "no longer shared", err, "address")

	r.create(t, "ipam.prefix", in("prefix", "10.0.0.0/24", "vrf", r.strict), in("prefix", "10.0.0.0/25", "vrf", r.strict),
		in("prefix", "10.0.0.0/24"))
	refused(t, "the same network", r.tryCreate(t, "ipam.prefix", in("prefix", "10.0.0.0/24", "vrf", r.strict)), "prefix", "10.0.0.0/24")
	r.create(t, "ipam.prefix", in("prefix", "10.0.0.0/24"))
	r.EnforceGlobalUnique = true
	refused(t, "with the setting", r.tryCreate(t, "ipam.prefix", in("prefix", "10.0.0.0/24")), "prefix", "The global table")
	refused(t, "an address, with the setting", r.tryCreate(t, "ipam.ipaddress", address("10.0.0.1/24")), "address", "The global table")
	r.create(t, "ipam.ipaddress", address("10.0.0.3/24"))

	adder := ledger.Caller{RequestID: r.root.RequestID, Subject: &access.Subject{UserID: 2, Username: "adder", Grants: []access.Grant{
		{Types: []string{"ipam.prefix"}, Actions: []string{"add"}}}}}
	_, err = r.Create(t.Context(), adder, r.reg.Type("ipam.prefix"), []ledger.Input{in("prefix", "10.0.0.0/24")})
	refused(t, "by one who sees none", err, "prefix", "has this one already")
}

// take uses the action available-ips of a record for n addresses, and returns them.
func (r *tables) take(t *testing.T, of record.Values, n int) ([]string, error) {
	action := r.reg.Action("POST " + of.Type().Key() + "/available-ips")
	answer, err := r.Act(t.Context(), r.root, action, of.ID(), slices.Repeat([]ledger.Input{{}}, n)...)
	if err != nil {
		return nil, err
	}
	var got []string
	for _, v := range answer.([]record.Values) {
		got = append(got, v.Text("address"))
	}
	return got, nil
}

func (r *tables) free(t *testing.T, of record.Values, limit int) []string {
	t.Helper()
	action := r.reg.Action("GET " + of.Type().Key() + "/available-ips")
	answer, err := r.Act(t.Context(), r.root, action, of.ID(), ledger.Input{"limit": fmt.Sprint(limit)})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, item := range answer.([]map[string]any) {
		got = append(got, item["address"].(string))
	}
	return got
}

// TestFreeAddresses states which addresses of a prefix or a range are free.
func TestFreeAddresses(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	prefix := func(text string, pairs ...any) record.Values {
		return r.create(t, "ipam.prefix", in(append([]any{"prefix", text}, pairs...)...))[0]
	}
	run := func(start, end string, pairs ...any) record.Values {
		return r.create(t, "ipam.iprange", in(append([]any{"start_address", start, "end_address", end}, pairs...)...))[0]
	}
	address := func(pairs ...any) { r.create(t, "ipam.ipaddress", in(append([]any{"address"}, pairs...)...)) }
	wants := func(what string, of record.Values, limit int, want string) {
		t.Helper()
		if got := strings.Join(r.free(t, of, limit), " "); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	wants("an empty network", prefix("10.0.0.0/29"), 50, "10.0.0.1/29 10.0.0.2/29 10.0.0.3/29 10.0.0.4/29 10.0.0.5/29 10.0.0.6/29")
	wants("two addresses", prefix("10.0.1.0/31"), 50, "10.0.1.0/31 10.0.1.1/31")
	wants("one address", prefix("10.0.1.8/32"), 50, "10.0.1.8/32")
	wants("a pool", prefix("10.0.2.0/30", "is_pool", true), 50, "10.0.2.0/30 10.0.2.1/30 10.0.2.2/30 10.0.2.3/30")
	wants("a full one", prefix("10.0.3.0/30", "mark_utilized", true), 50, "")
	wants("IPv6", prefix("2001:db8::/64"), 2, "2001:db8::1/64 2001:db8::2/64")
	wants("two of IPv6", prefix("2001:db8::2/127"), 5, "2001:db8::2/127 2001:db8::3/127")
	wants("the last of IPv6", prefix("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127"), 5,
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127")
	wants("across a boundary", prefix("8000::/1"), 1, "8000::1/1")
	last := prefix("255.255.255.252/30", "is_pool", true)
	address("255.255.255.255/32")
	address("255.255.255.253/8")
	wants("the last of IPv4", last, 9, "255.255.255.252/30 255.255.255.254/30")

	wide := prefix("10.1.0.0/28")
	run("10.1.0.0/28", "10.1.0.3/28") // it has the network's own address
	whole := run("10.1.0.8/24", "10.1.0.10/24")
	run("10.1.0.14/24", "10.1.0.20/24") // only partly in it
	address("10.1.0.5/32")
	address("10.1.0.5/24")
	address("10.1.0.9/24")
	address("10.1.0.6/28", "vrf", r.strict)
	wants("with ranges and addresses", wide, 50, "10.1.0.4/28 10.1.0.6/28 10.1.0.7/28 10.1.0.11/28 10.1.0.12/28 10.1.0.13/28 10.1.0.14/28")
	wants("limited", wide, 2, "10.1.0.4/28 10.1.0.6/28")
	wants("a range", whole, 50, "10.1.0.8/24 10.1.0.10/24")
	wants("a container of the global table", prefix("10.1.0.0/29", "status", "container", "is_pool", true), 50, "10.1.0.4/29 10.1.0.7/29")
	wants("of a VRF", prefix("10.1.0.4/30", "vrf", r.strict, "is_pool", true), 50, "10.1.0.4/30 10.1.0.5/30 10.1.0.7/30")

	if got, err := r.take(t, wide, 3); err != nil || strings.Join(got, " ") != "10.1.0.4/28 10.1.0.6/28 10.1.0.7/28" {
		t.Errorf("taken: %v, %v", got, err)
	}
	_, err := r.take(t, wide, 5)
	if fault.KindOf(err) != fault.Held || !strings.Contains(err.Error(), "5 requested, 4 available") {
		t.Errorf("too many: %v", err)
	}
	if got, err := r.take(t, prefix("10.2.0.0/24"), 100); err != nil || len(got) != 100 || got[99] != "10.2.0.100/24" {
		t.Errorf("a long list: %v, %v", got, err)
	}
}

// TestFreeAddressesPastFullBlocks: full blocks of 256 addresses are skipped, and none that only has as many records.
func TestFreeAddressesPastFullBlocks(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	fill := func(vrf any, first string, n int) {
		t.Helper()
		if _, err := r.db.Exec(t.Context(), `INSERT INTO ipam_ipaddress (version, address, vrf_id, status, dns_name, description, comments, tags,
			custom_fields, created, last_updated) SELECT 1, $1::inet + i, $2, 'active', '', '', '', '{}', '{}', now(), now()
			FROM generate_series(0, $3 - 1) i`, first, vrf, n); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, prefix string
		filled       map[string]int
		want         string
	}{
		{"all but the last", "10.0.0.0/21", map[string]int{"10.0.0.1": 2045}, "10.0.7.254/21"},
		{"a gap at the end of a block", "10.1.0.0/22", map[string]int{"10.1.0.1": 510, "10.1.2.0": 300}, "10.1.1.255/22"},
		{"a gap at the start of one", "10.2.0.0/22", map[string]int{"10.2.0.1": 511, "10.2.2.1": 300}, "10.2.2.0/22"},
		{"a gap beside two records with the same address", "10.3.0.0/22", map[string]int{"10.3.0.1": 300, "10.3.1.200": 1, "10.3.1.46": 900},
			"10.3.1.45/22"},
		{"a first address in the middle of a block", "10.4.0.128/25", map[string]int{"10.4.0.129": 125}, "10.4.0.254/25"},
		{"the end of IPv4", "255.255.252.0/22", map[string]int{"255.255.252.1": 1021}, "255.255.255.254/22"},
		{"the end of IPv6", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fc00/118", map[string]int{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fc01": 1022},
			"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/118"},
	} {
		for first, n := range c.filled {
			fill(nil, first, n)
			fill(r.strict.ID(), first, n)
		}
		for _, pairs := range [][]any{{"vrf", nil}, {"vrf", r.strict}, {"status", "container"}} { // where an address of any VRF counts
			prefix := r.create(t, "ipam.prefix", in(append(pairs, "prefix", c.prefix)...))[0]
			if got := strings.Join(r.free(t, prefix, 1), " "); got != c.want {
				t.Errorf("%s, %v: %q, want %q", c.name, pairs, got, c.want)
			}
		}
	}
	fill(nil, "10.5.0.0", 700)
	run := r.create(t, "ipam.iprange", in("start_address", "10.5.0.0/22", "end_address", "10.5.3.255/22"))[0]
	if got := strings.Join(r.free(t, run, 1), " "); got != "10.5.2.188/22" {
		t.Errorf("of a range: %q", got)
	}
}

// TestPlacesAreLocked: while a request has an address that it has not committed, another allocation gets the next one, at once. One that
// needs all of them, and a plain create of the same address, wait. What a request that failed had is given out again.
func TestPlacesAreLocked(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	prefix := r.create(t, "ipam.prefix", in("prefix", "10.0.0.0/29", "vrf", r.strict))[0]
	block := func(address string) (release func()) { // somebody who is creating it
		other, err := r.db.Begin(t.Context())
		if err == nil {
			_, err = other.Exec(t.Context(), `SELECT
				pg_advisory_xact_lock_shared(hashtextextended('space:ipam.ipaddress ' || $1::bigint % 64, 0)),
				pg_advisory_xact_lock(hashtextextended('place:ipam.ipaddress ' || $1 || ' ' || $2::inet::text, 0))`, r.strict.ID(), address)
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := other.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	release := block("10.0.0.1")
	if got, err := r.take(t, prefix, 2); err != nil || strings.Join(got, " ") != "10.0.0.2/29 10.0.0.3/29" {
		t.Errorf("beside somebody else: %v, %v", got, err)
	}
	type outcome struct {
		got []string
		err error
	}
	outcomes := make(chan outcome)
	go func() {
		got, err := r.take(t, prefix, 4) // the first one is among the four that are free
		outcomes <- outcome{got, err}
	}()
	dbtest.AwaitWaiters(t, r.db, 1)
	if got := r.free(t, prefix, 50); len(got) != 4 {
		t.Errorf("free meanwhile: %v", got)
	}
	release()
	if x := <-outcomes; x.err != nil || strings.Join(x.got, " ") != "10.0.0.1/29 10.0.0.4/29 10.0.0.5/29 10.0.0.6/29" {
		t.Errorf("after a rollback: %v, %v", x.got, x.err)
	}
	if _, err := r.take(t, prefix, 1); fault.KindOf(err) != fault.Held || !strings.Contains(err.Error(), "1 requested, 0 available") {
		t.Errorf("full: %v", err)
	}
	release = block("10.0.0.99")
	go func() {
		outcomes <- outcome{nil, r.tryCreate(t, "ipam.ipaddress", in("address", "10.0.0.99/24", "vrf", r.strict))}
	}()
	dbtest.AwaitWaiters(t, r.db, 1)
	r.create(t, "ipam.ipaddress", in("address", "10.0.0.98/24", "vrf", r.strict)) // another one does not wait
	release()
	if x := <-outcomes; x.err != nil {
		t.Errorf("a plain create: %v", x.err)
	}
	release = block("10.0.9.0")
	var many []ledger.Input
	for n := range 65 {
		many = append(many, in("address", fmt.Sprintf("10.0.1.%d/24", n), "vrf", r.strict))
	}
	go func() { outcomes <- outcome{nil, r.tryCreate(t, "ipam.ipaddress", many...)} }()
	dbtest.AwaitWaiters(t, r.db, 1) // for all of the VRF
	release()
	if x := <-outcomes; x.err != nil {
		t.Errorf("many: %v", x.err)
	}
}

// TestNoPlaceIsGivenTwice lets many callers take addresses and create some by hand at once, in space that is not unique: whoever is given
// an address by the action is the only one who has it, and all are given out.
func TestNoPlaceIsGivenTwice(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	prefix := r.create(t, "ipam.prefix", in("prefix", "10.0.0.0/26"))[0]
	const callers, each = 8, 8
	var given sync.Map
	var group sync.WaitGroup
	full := make(chan error, callers*each)
	for caller := range callers {
		group.Go(func() {
			for i := range each {
				if caller == 0 && i > 0 { // a caller who creates the addresses that the others want
					_ = r.tryCreate(t, "ipam.ipaddress", in("address", fmt.Sprintf("10.0.0.%d/26", i*6)))
					continue
				}
				got, err := r.take(t, prefix, 1+i%2)
				if err != nil {
					full <- err
				}
				for _, address := range got {
					if _, twice := given.LoadOrStore(address, caller); twice {
						t.Errorf("%s was given twice", address)
					}
				}
			}
		})
	}
	group.Wait()
	close(full)
	for err := range full {
		if fault.KindOf(err) != fault.Held {
			t.Error(err)
		}
	}
	for err := error(nil); err == nil; {
		_, err = r.take(t, prefix, 1)
		if err != nil && fault.KindOf(err) != fault.Held {
			t.Error(err)
		}
	}
	if n := r.number(t, "SELECT count(DISTINCT address_key) FROM ipam_ipaddress"); n != 62 {
		t.Errorf("%d addresses have records, want 62", n)
	}
	if n := r.number(t, "SELECT count(*) FROM (SELECT address_key FROM ipam_ipaddress GROUP BY 1 HAVING count(*) > 2) x"); n != 0 {
		t.Errorf("%d addresses have more records than one that was given and one by hand", n)
	}
}

// TestContendedAllocationIsAnswered: of callers who want the last numbers of a group at once, half of them with one name, each gets a
// number or a reason why not, however often its change set has to start over.
func TestContendedAllocationIsAnswered(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	const callers, rounds = 12, 42
	action := r.reg.Action("POST ipam.vlangroup/available-vlans")
	for round := range rounds {
		name := fmt.Sprint("group ", round)
		group := r.create(t, "ipam.vlangroup", in("name", name, "slug", fmt.Sprint("group-", round), "min_vid", 1, "max_vid", 3))[0]
		answers := make(chan error, callers)
		for caller := range callers {
			go func() {
				_, err := r.Act(t.Context(), r.root, action, group.ID(), in("name", fmt.Sprint("vlan ", caller*(caller%2))))
				answers <- err
			}()
		}
		given := 0
		for range callers {
			switch err := <-answers; {
			case err == nil:
				given++
			case fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Held:
				t.Errorf("%s: %v", name, err)
			}
		}
		if given != 3 {
			t.Errorf("%s: %d callers were given one of its 3 numbers", name, given)
		}
	}
}

// TestFreeNumbers: VLAN groups and ASN ranges give out their lowest free numbers, however many there are, and each once.
func TestFreeNumbers(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	rir := r.create(t, "ipam.rir", in("name", "r", "slug", "r"))[0]
	all := r.create(t, "ipam.asnrange", in("name", "all", "slug", "all", "rir", rir, "start", "1", "end", "4294967295"))[0]
	last := r.create(t, "ipam.asnrange", in("name", "last", "slug", "last", "rir", rir, "start", "4294967294", "end", "4294967295"))[0]
	group := r.create(t, "ipam.vlangroup", in("name", "g", "slug", "g", "min_vid", "10", "max_vid", "14"))[0]
	r.create(t, "ipam.asn", in("asn", "2", "rir", rir), in("asn", "4294967294", "rir", rir))
	r.create(t, "ipam.vlan", in("vid", "10", "name", "x"), in("vid", "11", "name", "y", "group", group))
	take := func(of record.Values, name, field string, n int) string {
		t.Helper()
		var inputs []ledger.Input
		for i := range n {
			inputs = append(inputs, in("name", fmt.Sprint("n", r.made, i)))
		}
		r.made++
		answer, err := r.Act(t.Context(), r.root, r.reg.Action("POST "+of.Type().Key()+"/"+name), of.ID(), inputs...)
		if err != nil {
			return err.Error()
		}
		var got []string
		for _, v := range answer.([]record.Values) {
			got = append(got, fmt.Sprint(v.Int(field)))
		}
		return strings.Join(got, " ")
	}
	wide := r.create(t, "ipam.vlangroup", in("name", "wide", "slug", "wide"))[0]
	if _, err := r.db.Exec(t.Context(), `INSERT INTO ipam_vlan (version, vid, name, group_id, status, description, comments, tags,
		custom_fields, created, last_updated) SELECT 1, i, 'v' || i, $1, 'active', '', '', '{}', '{}', now(), now() FROM generate_series(1, 600) i
		WHERE i <> 513`, wide.ID()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of          record.Values
		name, field string
		n           int
		want        string
	}{
		{all, "available-asns", "asn", 3, "1 3 4"},
		{last, "available-asns", "asn", 2, "last (4294967294-4294967295) does not have enough free AS numbers: 2 requested, 1 available."},
		{last, "available-asns", "asn", 1, "4294967295"},
		{group, "available-vlans", "vid", 1, "10"},
		{group, "available-vlans", "vid", 4, "g does not have enough free VLAN numbers: 4 requested, 3 available."},
		{group, "available-vlans", "vid", 3, "12 13 14"},
		{wide, "available-vlans", "vid", 3, "513 601 602"},
	} {
		if got := take(c.of, c.name, c.field, c.n); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.name, c.of.Display(), got, c.want)
		}
	}
	answer, err := r.Act(t.Context(), r.root, r.reg.Action("GET ipam.asnrange/available-asns"), all.ID(), ledger.Input{"limit": "2"})
	if items, ok := answer.([]map[string]any); err != nil || !ok || len(items) != 2 || items[0]["asn"] != int64(5) {
		t.Errorf("free: %v, %v", answer, err)
	}
}

// TestFreePrefixes states what is free in a prefix and where new prefixes are placed.
func TestFreePrefixes(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	prefix := func(text string, pairs ...any) record.Values {
		return r.create(t, "ipam.prefix", in(append([]any{"prefix", text}, pairs...)...))[0]
	}
	free := func(of record.Values) string {
		t.Helper()
		answer, err := r.Act(t.Context(), r.root, r.reg.Action("GET ipam.prefix/available-prefixes"), of.ID(), ledger.Input{})
		if err != nil {
			return err.Error()
		}
		var got []string
		for _, item := range answer.([]map[string]any) {
			got = append(got, item["prefix"].(string))
		}
		return strings.Join(got, " ")
	}
	take := func(of record.Values, lengths ...int) string {
		var inputs []ledger.Input
		for _, length := range lengths {
			inputs = append(inputs, in("prefix_length", length, "prefix", "192.0.2.0/24", "description", "taken"))
		}
		answer, err := r.Act(t.Context(), r.root, r.reg.Action("POST ipam.prefix/available-prefixes"), of.ID(), inputs...)
		if err != nil {
			return err.Error()
		}
		var got []string
		for _, v := range answer.([]record.Values) {
			got = append(got, v.Text("prefix"))
		}
		return strings.Join(got, " ")
	}
	wants := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	wide := prefix("10.0.0.0/16")
	prefix("10.0.0.0/16") // the same again is not inside of it
	wants("empty", free(wide), "10.0.0.0/16")
	prefix("10.0.0.0/18")
	prefix("10.0.16.0/24")
	prefix("10.0.128.0/18")
	prefix("10.0.128.0/18")
	prefix("10.0.0.0/17", "vrf", r.strict)
	prefix("10.0.255.0/24")
	wants("with some", free(wide), "10.0.64.0/18 10.0.192.0/19 10.0.224.0/20 10.0.240.0/21 10.0.248.0/22 10.0.252.0/23 10.0.254.0/24")
	wants("taken", take(wide, 24, 19, 18), "10.0.0.0/16 does not have enough free space: 3 prefixes requested, 2 available, and then no /18.")
	wants("taken", take(wide, 24, 19, 24, 24, 19), "10.0.64.0/24 10.0.96.0/19 10.0.65.0/24 10.0.66.0/24 10.0.192.0/19")
	wants("shorter than the parent", take(wide, 15),
		"10.0.0.0/16 does not have enough free space: 1 prefixes requested, 0 available, and then no /15.")
	wants("too long", take(wide, 33), "prefix_length: The length of a network in 10.0.0.0/16 is at most 32.")
	wants("its own length, not empty", take(wide, 16),
		"10.0.0.0/16 does not have enough free space: 1 prefixes requested, 0 available, and then no /16.")
	empty := prefix("10.9.0.0/24")
	wants("its own length", take(empty, 24), "10.9.0.0/24")
	unique := prefix("10.9.0.0/24", "vrf", r.strict)
	if got := take(unique, 24); !strings.Contains(got, "may have each prefix only once") {
		t.Errorf("its own length, unique: %q", got)
	}
	last := prefix("255.255.255.0/24")
	prefix("255.255.255.128/25")
	wants("at the end", take(last, 26, 26), "255.255.255.0/26 255.255.255.64/26")
	wants("full", free(last), "")
	six := prefix("ffff:ffff::/32")
	wants("IPv6", take(six, 64, 128, 48), "ffff:ffff::/64 ffff:ffff:0:1::/128 ffff:ffff:1::/48")
	prefix("ffff:ffff:8000::/33")
	wants("the last of IPv6", take(six, 33),
		"ffff:ffff::/32 does not have enough free space: 1 prefixes requested, 0 available, and then no /33.")
	half := prefix("2001:db8::/126")
	prefix("2001:db8::1/128")
	wants("addresses of IPv6", free(half), "2001:db8::/128 2001:db8::2/127")

	busy := prefix("10.20.0.0/24")
	var group sync.WaitGroup
	var given sync.Map
	for caller := range 8 {
		group.Go(func() {
			for range 2 {
				got := take(busy, 29, 30)
				for _, text := range strings.Fields(got) {
					if _, twice := given.LoadOrStore(text, caller); twice || !strings.HasPrefix(text, "10.20.0.") {
						t.Errorf("given: %s of %q", text, got)
					}
				}
			}
		})
	}
	group.Wait()
	if n := r.number(t, "SELECT count(*) FROM ipam_prefix a JOIN ipam_prefix b ON a.id < b.id AND a.prefix && b.prefix "+
		"WHERE a.prefix << '10.20.0.0/24' AND b.prefix << '10.20.0.0/24'"); n != 0 {
		t.Errorf("%d pairs overlap", n)
	}
	if n := r.number(t, "SELECT count(*) FROM ipam_prefix WHERE prefix << '10.20.0.0/24'"); n != 32 {
		t.Errorf("%d were created, want 32", n)
	}
}

// TestFreePrefixesBetweenMany: what is free is found behind more networks than are read from the index at once, side by side and nested.
func TestFreePrefixesBetweenMany(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	for _, vrf := range []any{nil, r.strict} {
		parent := r.create(t, "ipam.prefix", in("prefix", "10.0.0.0/16", "vrf", vrf))[0]
		r.create(t, "ipam.prefix", in("prefix", "10.0.16.0/20", "vrf", vrf), in("prefix", "11.0.0.0/16", "vrf", vrf),
			in("prefix", "2001:db8::/32", "vrf", vrf))
		if _, err := r.db.Exec(t.Context(), `INSERT INTO ipam_prefix (version, prefix, vrf_id, status, is_pool, mark_utilized, description,
				comments, tags, custom_fields, created, last_updated)
			SELECT 1, set_masklen(low::inet + n * 8, 29), vrf_id, status, FALSE, FALSE, '', '', '{}', '{}', now(), now()
			FROM ipam_prefix, generate_series(0, 299) n, unnest('{10.0.0.0,10.0.16.0}'::text[]) low WHERE id = $1`, parent.ID()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"10.0.9.96/29", "10.0.9.104/29"} {
			answer, err := r.Act(t.Context(), r.root, r.reg.Action("POST ipam.prefix/available-prefixes"), parent.ID(), in("prefix_length", 29))
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.([]record.Values)[0].Text("prefix"); got != want {
				t.Errorf("the first free prefix is %s, want %s", got, want)
			}
		}
		answer, err := r.Act(t.Context(), r.root, r.reg.Action("GET ipam.prefix/available-prefixes"), parent.ID(), ledger.Input{})
		if err != nil {
			t.Fatal(err)
		}
		var free []string
		for _, item := range answer.([]map[string]any) {
			free = append(free, item["prefix"].(string))
		}
		want := "10.0.9.112/28 10.0.9.128/25 10.0.10.0/23 10.0.12.0/22 10.0.32.0/19 10.0.64.0/18 10.0.128.0/17"
		if got := strings.Join(free, " "); got != want {
			t.Errorf("free: %s, want %s", got, want)
		}
	}
}

// TestRecordsStayApart: aggregates never overlap, nor do the ranges of one VRF, whatever their masks, and whoever writes them at once.
func TestRecordsStayApart(t *testing.T) {
	t.Parallel()
	r := newTables(t)
	rir := r.create(t, "ipam.rir", in("name", "r", "slug", "r"))[0]
	aggregate := func(text string) ledger.Input { return in("prefix", text, "rir", rir) }
	first := r.create(t, "ipam.aggregate", aggregate("10.0.0.0/16"), aggregate("10.2.0.0/16"), aggregate("2001:db8::/32"))[0]
	for _, text := range []string{"10.0.0.0/16", "10.0.1.0/24", "10.0.255.255/32", "8.0.0.0/6", "2001:db8::/31", "2001:db8:ffff::/48"} {
		refused(t, text, r.tryCreate(t, "ipam.aggregate", aggregate(text)), "prefix", "overlaps with")
	}
	refused(t, "two in a list", r.tryCreate(t, "ipam.aggregate", aggregate("11.0.0.0/8"), aggregate("11.1.0.0/16")), "prefix")
	r.create(t, "ipam.aggregate", aggregate("10.1.0.0/16"))
	_, err := r.tryUpdate(t, first, "prefix", "10.0.0.0/15")
	refused(t, "a wider one", err, "prefix", "10.1.0.0/16")
	r.update(t, first, "prefix", "10.0.0.0/17")

	run := func(start, end string, pairs ...any) ledger.Input {
		return in(append([]any{"start_address", start, "end_address", end}, pairs...)...)
	}
	r.create(t, "ipam.iprange", run("10.0.0.10/24", "10.0.0.20/24"), run("10.0.0.30/24", "10.0.0.40/24"),
		run("10.0.0.10/24", "10.0.0.20/24", "vrf", r.strict))
	for _, ends := range [][2]string{{"10.0.0.20", "10.0.0.25"}, {"10.0.0.5", "10.0.0.10"}, {"10.0.0.12", "10.0.0.13"},
		{"10.0.0.1", "10.0.0.99"}} {
		refused(t, ends[0], r.tryCreate(t, "ipam.iprange", run(ends[0]+"/16", ends[1]+"/16")), fault.General, "overlaps with")
	}
	refused(t, "two in a list", r.tryCreate(t, "ipam.iprange", run("10.9.0.1/24", "10.9.0.9/24"), run("10.9.0.9/24", "10.9.0.10/24")),
		fault.General)
	between := r.create(t, "ipam.iprange", run("10.0.0.21/24", "10.0.0.29/24"))[0]
	_, err = r.tryUpdate(t, between, "vrf", r.strict, "start_address", "10.0.0.20/24")
	refused(t, "moved", err, fault.General)
	if size := r.read(t, between); size.Int("size") != 9 {
		t.Errorf("a range of 9 addresses has the size %v", size.Get("size"))
	}
	for _, ends := range [][2]string{{"10.0.0.1/24", "10.0.0.1/24"}, {"10.0.0.2/24", "10.0.0.1/24"}, {"10.0.0.1/24", "10.0.0.2/25"},
		{"10.0.0.1/24", "2001:db8::1/24"}, {"2001:db8::/64", "2001:db8::ffff:ffff/64"}, {"2001:db8::/32", "2001:db9::/32"}} {
		refused(t, ends[1], r.tryCreate(t, "ipam.iprange", run(ends[0], ends[1])), "end_address")
	}
	r.create(t, "ipam.iprange", run("2001:db8::1/64", "2001:db8::ffff:ffff/64"),
		run("2001:db8:0:1:ffff:ffff:ffff:ffff/32", "2001:db8:0:2::/32"))

	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			_ = r.tryCreate(t, "ipam.iprange", run(fmt.Sprintf("10.5.0.%d/24", 10+n), fmt.Sprintf("10.5.0.%d/24", 20+n)))
		})
	}
	group.Wait()
	if n := r.number(t, "SELECT count(*) FROM ipam_iprange WHERE start_address_key << '10.5.0.0/24'"); n != 1 {
		t.Errorf("%d ranges that overlap were created at once", n)
	}
}
