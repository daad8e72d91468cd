package ledger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/test/trial"
)

// kit creates a kit with pairs of slots. The first slot of each pair has a lid.
func (b *bundle) kit(t *testing.T, name string, pairs int) record.Values {
	t.Helper()
	kit := b.create(t, "trial.kit", ledger.Input{"name": name})[0]
	id := fmt.Sprint(kit.ID())
	for n := range pairs {
		left := b.create(t, "trial.slottemplate", ledger.Input{"kit": id, "name": fmt.Sprintf("{crate}/%d", 2*n)})[0]
		b.create(t, "trial.slottemplate", ledger.Input{"kit": id, "name": fmt.Sprintf("{crate}/%d", 2*n+1), "pair": fmt.Sprint(left.ID())})
		b.create(t, "trial.lidtemplate", ledger.Input{"kit": id, "name": fmt.Sprint("lid ", n), "color": "red", "slot": fmt.Sprint(left.ID())})
	}
	return kit
}

func crate(name string, kit record.Values) ledger.Input {
	return ledger.Input{"name": name, "kit": fmt.Sprint(kit.ID())}
}

// request gives the caller another request id.
func (b *bundle) request() string {
	b.root.RequestID = uuid.NewString()
	return b.root.RequestID
}

// TestChildrenAreMade creates a record with children of two types. They have the values of their templates and refer to each other
// as the templates do. Each is a change of the same request and has its own delivery.
func TestChildrenAreMade(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	b.create(t, "extras.webhook", ledger.Input{"name": "all", "content_types": []any{"trial.crate", "trial.slot", "trial.lid"},
		"type_create": true, "type_update": true, "type_delete": true, "payload_url": "http://127.0.0.1:9"})
	kit := b.kit(t, "a", 2)
	b.kit(t, "another", 1)
	request := b.request()
	made := b.create(t, "trial.crate", crate("x", kit), crate("y", kit))
	if made[0].Link("kit").ID != kit.ID() {
		t.Errorf("the kit is %v", made[0].Link("kit"))
	}
	check := func(what, sql string, want int64, args ...any) {
		t.Helper()
		if n := b.number(t, sql, args...); n != want {
			t.Errorf("%s: %d, want %d", what, n, want)
		}
	}
	check("slots", "SELECT count(*) FROM trial_slot WHERE version = 1", 8)
	check("lids", "SELECT count(*) FROM trial_lid WHERE color = 'red' AND version = 1", 4)
	check("pairs in the same crate", `SELECT count(*) FROM trial_slot s JOIN trial_slot p ON p.id = s.pair_id AND p.crate_id = s.crate_id
		WHERE split_part(s.name, '/', 2)::int = split_part(p.name, '/', 2)::int + 1`, 4)
	check("names", "SELECT count(*) FROM trial_slot s JOIN trial_crate c ON c.id = s.crate_id AND split_part(s.name, '/', 1) = c.name", 8)
	check("lids on the first of each pair",
		`SELECT count(*) FROM trial_lid l JOIN trial_slot s ON s.id = l.slot_id AND s.crate_id = l.crate_id AND s.pair_id IS NULL`, 4)
	check("changes of the request", "SELECT count(*) FROM extras_objectchange WHERE request_id = $1 AND action = 'create'", 14, request)
	check("moments", "SELECT count(DISTINCT changed_at) FROM extras_objectchange WHERE request_id = $1", 1, request)
	check("deliveries", "SELECT count(*) FROM extras_delivery WHERE request_id = $1", 14, request)
	check("counts", "SELECT sum(n) FROM record_count WHERE type IN ('trial.crate', 'trial.slot', 'trial.lid')", 14)

	request = b.request()
	if err := b.Delete(t.Context(), b.root, b.reg.Type("trial.crate"), []ledger.Edit{{ID: made[0].ID()}}); err != nil {
		t.Fatal(err)
	}
	check("deleted in one request", "SELECT count(*) FROM extras_objectchange WHERE request_id = $1 AND action = 'delete' AND version = 2",
		7, request)
	check("deliveries of the deletion", "SELECT count(*) FROM extras_delivery WHERE request_id = $1", 7, request)
	check("what is left", "SELECT (SELECT count(*) FROM trial_slot) + (SELECT count(*) FROM trial_lid)", 6)
}

// TestChildrenThatClash: an error in a child is reported on the parent's field that it comes from, before anything is written.
func TestChildrenThatClash(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 1)
	b.create(t, "trial.slottemplate", ledger.Input{"kit": fmt.Sprint(kit.ID()), "name": "{crate}/0"})
	_, err := b.Create(t.Context(), b.root, b.reg.Type("trial.crate"), []ledger.Input{crate("x", b.kit(t, "good", 1)), crate("y", kit)})
	items := itemsOf(err)
	if len(items) != 2 || len(items[0]) != 0 || len(items[1]["kit"]) != 1 || !strings.Contains(items[1]["kit"][0], "slot y/0: ") {
		t.Errorf("two slots of one name: %v", err)
	}
	long := b.kit(t, "long", 0)
	b.create(t, "trial.slottemplate", ledger.Input{"kit": fmt.Sprint(long.ID()), "name": strings.Repeat("{crate}", 14)})
	_, err = b.Create(t.Context(), b.root, b.reg.Type("trial.crate"), []ledger.Input{crate(strings.Repeat("x", 60), long)})
	if items := itemsOf(err); len(items) != 1 || !strings.Contains(strings.Join(items[0]["kit"], ""), "no more than 100 characters") {
		t.Errorf("a name that is too long: %v", err)
	}
	if n := b.number(t, "SELECT count(*) FROM trial_crate"); n != 0 {
		t.Errorf("%d crates were made", n)
	}
}

func itemsOf(err error) []fault.Fields {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	return e.Items
}

// TestChildrenStatements: each step is one statement for each type, however many parents and children there are. Changes are written in
// parts of 1,000: each takes three statements more at most.
func TestChildrenStatements(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	few, many := b.kit(t, "few", 1), b.kit(t, "many", 20)
	// BEGIN, ids, custom fields, kit; 2 templates; ids of 2 types, 1 of custom fields; 3 inserts; 3 locks and checks of references;
	// 3 read back, 3 webhooks; change rows, counts, COMMIT
	n := b.count(func() { b.create(t, "trial.crate", crate("x", few)) })
	if n > 40 {
		t.Errorf("a crate with its parts took %d statements", n)
	}
	for _, test := range []struct {
		crates int
		want   int64
	}{{16, n}, {50, n + 3*3}} {
		var inputs []ledger.Input
		for i := range test.crates {
			inputs = append(inputs, crate(fmt.Sprint(test.crates, "/", i), many))
		}
		if m := b.count(func() { b.create(t, "trial.crate", inputs...) }); m > test.want {
			t.Errorf("%d crates with 60 parts each took %d statements, one with 3 parts %d", test.crates, m, n)
		}
	}
	for what, wrong := range map[string]string{
		"one change of each record": `SELECT count(*) FROM extras_objectchange WHERE object_type LIKE 'trial.%'
			GROUP BY object_type, object_id HAVING count(*) <> 1`,
		"changes that show the nested crate": `SELECT count(*) FROM extras_objectchange WHERE object_type IN ('trial.slot', 'trial.lid')
			AND data::json->'crate'->>'display' IS NULL`,
	} {
		if n := b.number(t, "SELECT count(*) FROM ("+wrong+") x WHERE count > 0"); n != 0 {
			t.Errorf("%s: this does not hold for %d records", what, n)
		}
	}
}

// TestDependantsLimit refuses a request that would touch too many records besides those it names, and says what to do.
func TestDependantsLimit(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	b.Dependants = 40
	kit := b.kit(t, "a", 5) // 15 parts
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	refused := func(what string, err error, words ...string) {
		t.Helper()
		if fault.KindOf(err) != fault.Held {
			t.Errorf("%s: %v", what, err)
			return
		}
		for _, word := range append(words, "TERRIER_DEPENDANTS_LIMIT") {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", what, err, word)
			}
		}
	}
	on := func(name string) ledger.Input {
		in := crate(name, kit)
		in["shelf"] = fmt.Sprint(shelf.ID())
		return in
	}
	made := b.create(t, "trial.crate", on("a"), on("b"), on("c"))
	var edits []ledger.Edit
	for _, v := range made {
		edits = append(edits, ledger.Edit{ID: v.ID()})
	}
	refused("deleting 45 parts", b.Delete(t.Context(), b.root, b.reg.Type("trial.crate"), edits), "more than 40", "Delete some")
	b.Dependants = 20 // at most 2 others
	site := b.create(t, "dcim.site", named(1))[0]
	_, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID(), Input: ledger.Input{"site": fmt.Sprint(site.ID())}}})
	refused("moving 3 crates", err, "more than 2", "trial.crate")
	refused("emptying 3 crates", b.Delete(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID()}}), "more than 2",
		"Change or delete some")
	if n := b.number(t, "SELECT count(*) FROM trial_crate WHERE version = 1 AND shelf_id IS NOT NULL"); n != 3 {
		t.Errorf("%d crates are as they were, want 3", n)
	}
}

// TestMostCreated refuses a request that would create more than 50,000 records, children included, before it writes any.
func TestMostCreated(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 20) // 60 parts
	var inputs []ledger.Input
	for i := range 820 { // 820 * 61 = 50,020
		inputs = append(inputs, crate(fmt.Sprint("c", i), kit))
	}
	_, err := b.Create(t.Context(), b.root, b.reg.Type("trial.crate"), inputs)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "more than 50000 records") {
		t.Errorf("50,020 records: %v", err)
	}
}

// TestFollows moves a shelf to another site: its crates follow, as changes of the same request. A new crate takes the site of
// its shelf.
func TestFollows(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 0)
	one, two := fmt.Sprint(b.create(t, "dcim.site", named(1))[0].ID()), fmt.Sprint(b.create(t, "dcim.site", named(2))[0].ID())
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper", "site": one})[0]
	on := func(name string, more ...any) ledger.Input {
		in := crate(name, kit)
		in["shelf"] = fmt.Sprint(shelf.ID())
		for i := 0; i < len(more); i += 2 {
			in[more[i].(string)] = more[i+1]
		}
		return in
	}
	made := b.create(t, "trial.crate", on("a"), on("b", "site", one), on("c", "site", nil))
	for _, v := range made {
		if fmt.Sprint(v.Link("site").ID) != one {
			t.Errorf("%s is in site %d", v.Display(), v.Link("site").ID)
		}
	}
	if _, err := b.Create(t.Context(), b.root, made[0].Type(),
		[]ledger.Input{on("d", "site", two)}); !strings.Contains(fmt.Sprint(err), "shelf") {
		t.Errorf("a crate in another site than its shelf: %v", err)
	}
	request := b.request()
	if _, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID(), Input: ledger.Input{"site": two}}}); err != nil {
		t.Fatal(err)
	}
	if n := b.number(t, "SELECT count(*) FROM trial_crate WHERE site_id = $1 AND version = 2", two); n != 3 {
		t.Errorf("%d crates followed", n)
	}
	if n := b.number(t, "SELECT count(*) FROM extras_objectchange WHERE request_id = $1 AND action = 'update' AND version = 2",
		request); n != 4 {
		t.Errorf("%d changes of one request", n)
	}
	// Crates that are at the right site already don't count.
	b.Dependants = 20
	b.exec(t, "UPDATE trial_crate SET site_id = $1", one)
	if _, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID(), Input: ledger.Input{"site": one}}}); err != nil {
		t.Error(err)
	}
	b.Dependants = 0
	if _, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID(), Input: ledger.Input{"site": two}}}); err != nil {
		t.Error(err)
	}
	// A crate can't follow to a site that has a crate of the same name: the answer names it.
	lower := b.create(t, "trial.shelf", ledger.Input{"name": "lower", "site": one})[0]
	b.create(t, "trial.crate", ledger.Input{"name": "a", "kit": fmt.Sprint(kit.ID()), "shelf": fmt.Sprint(lower.ID())})
	_, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: lower.ID(), Input: ledger.Input{"site": two}}})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(itemsOf(err)), "crate a: ") {
		t.Errorf("a crate that can't follow: %v", err)
	}
}

// TestSameFromEverySide: a change that breaks a Same is refused, whichever of its records is changed.
func TestSameFromEverySide(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 1)
	shelves := b.create(t, "trial.shelf", ledger.Input{"name": "upper"}, ledger.Input{"name": "lower"})
	upper, lower := fmt.Sprint(shelves[0].ID()), fmt.Sprint(shelves[1].ID())
	in := crate("x", kit)
	in["shelf"] = upper
	box := b.create(t, "trial.crate", in)[0]
	item := b.create(t, "trial.item", ledger.Input{"name": "box", "shelf": upper})[0]
	slot := b.number(t, "SELECT min(id) FROM trial_slot")
	change := func(key string, id int64, field string, value any, on string) {
		t.Helper()
		_, err := b.Update(t.Context(), b.root, b.reg.Type(key), []ledger.Edit{{ID: id, Input: ledger.Input{field: value}}})
		if on == "" && err != nil || on != "" && (len(itemsOf(err)) == 0 || len(itemsOf(err)[0][on]) == 0) {
			t.Errorf("%s %d with %s %v: %v, want an error on %q", key, id, field, value, err, on)
		}
	}
	other := b.create(t, "trial.item", ledger.Input{"name": "other", "shelf": lower})[0]
	change("trial.slot", slot, "item", fmt.Sprint(other.ID()), "item") // the record that refers
	change("trial.slot", slot, "item", fmt.Sprint(item.ID()), "")
	change("trial.item", item.ID(), "shelf", lower, "shelf") // the record behind the reference
	change("trial.crate", box.ID(), "shelf", lower, "shelf") // one that the record refers to
	change("trial.slot", slot, "item", nil, "")
	change("trial.item", item.ID(), "shelf", lower, "")
	change("trial.crate", box.ID(), "shelf", lower, "")
	in["name"] = "y"
	second := b.create(t, "trial.crate", in)[0]
	moved := b.number(t, "SELECT max(id) FROM trial_slot WHERE crate_id = $1 AND pair_id IS NOT NULL", box.ID())
	change("trial.slot", moved, "crate", fmt.Sprint(second.ID()), "pair") // neither the crate nor its shelf is the same
	change("trial.crate", second.ID(), "shelf", lower, "")
	change("trial.slot", moved, "crate", fmt.Sprint(second.ID()), "") // the shelf is
	change("trial.crate", second.ID(), "shelf", upper, "shelf")       // and has to stay the same
	change("trial.crate", box.ID(), "shelf", upper, "shelf")          // whichever crate is moved
	change("trial.crate", second.ID(), "name", "z", "")
	change("trial.lid", b.number(t, "SELECT min(id) FROM trial_lid"), "slot", fmt.Sprint(moved), "slot")
}

// TestSameOfUntouchedFields moves a parent in a request that says that its child stays where it is.
func TestSameOfUntouchedFields(t *testing.T) {
	b := newBundle(t)
	var sites []string
	for n := range 2 {
		sites = append(sites, fmt.Sprint(b.create(t, "dcim.site", named(n))[0].ID()))
	}
	place := func(n int, more ...any) ledger.Input {
		in := named(n)
		in["site"] = sites[0]
		for i := 0; i < len(more); i += 2 {
			in[more[i].(string)] = more[i+1]
		}
		return in
	}
	parent := b.create(t, "dcim.location", place(1))[0]
	child := b.create(t, "dcim.location", place(2, "parent", fmt.Sprint(parent.ID())))[0]
	_, err := b.Update(t.Context(), b.root, parent.Type(), []ledger.Edit{
		{ID: child.ID(), Input: ledger.Input{"site": sites[0], "description": "x"}}, {ID: parent.ID(), Input: ledger.Input{"site": sites[1]}}})
	if items := itemsOf(err); len(items) != 2 || len(items[0]["parent"]) != 1 || len(items[1]) != 0 {
		t.Errorf("the child is left behind: %v", err)
	}
	_, err = b.Update(t.Context(), b.root, parent.Type(), []ledger.Edit{
		{ID: parent.ID(), Input: ledger.Input{"site": sites[1], "parent": fmt.Sprint(child.ID())}}})
	if items := itemsOf(err); len(items) != 1 || len(items[0]) != 1 || len(items[0]["parent"]) != 1 {
		t.Errorf("a cycle is one error: %v", err)
	}
}

// TestDeletionMissesNobody deletes a record that some records belong to and another only refers to. The other one is found, though more
// belong to the record than may change because they refer to it.
func TestDeletionMissesNobody(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	b.Dependants = 100 // at most 10 others
	shelf, other := b.create(t, "trial.shelf", ledger.Input{"name": "a"})[0], b.create(t, "trial.shelf", ledger.Input{"name": "b"})[0]
	var inputs []ledger.Input
	for n := range 15 {
		in := stuck(fmt.Sprint("s", n), shelf)
		in["scope_type"], in["scope_id"] = "trial.shelf", fmt.Sprint(shelf.ID())
		inputs = append(inputs, in)
	}
	last := stuck("last", other)
	last["scope_type"], last["scope_id"] = "trial.shelf", fmt.Sprint(shelf.ID())
	b.create(t, "trial.sticker", append(inputs, last)...)
	if err := b.Delete(t.Context(), b.root, shelf.Type(), []ledger.Edit{{ID: shelf.ID()}}); err != nil {
		t.Fatal(err)
	}
	if n := b.number(t, "SELECT count(*) FROM trial_sticker WHERE scope_id IS NULL"); n != 1 {
		t.Errorf("%d stickers have forgotten the shelf, want the one that is left", n)
	}
}

// TestFollowersOfTheMoment creates records while the record that they follow moves: none keeps the old value.
func TestFollowersOfTheMoment(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 0)
	var sites []string
	for n := range 2 {
		sites = append(sites, fmt.Sprint(b.create(t, "dcim.site", named(n))[0].ID()))
	}
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper", "site": sites[0]})[0]
	var done sync.WaitGroup
	done.Go(func() {
		for n := range 30 {
			in := crate(fmt.Sprint("c", n), kit)
			in["shelf"] = fmt.Sprint(shelf.ID())
			b.create(t, "trial.crate", in)
		}
	})
	done.Go(func() {
		for n := range 30 {
			edit := ledger.Edit{ID: shelf.ID(), Input: ledger.Input{"site": sites[(n+1)%2]}}
			if _, err := b.Update(t.Context(), b.root, shelf.Type(), []ledger.Edit{edit}); err != nil {
				t.Error(err)
			}
		}
	})
	done.Wait()
	const leftBehind = "SELECT count(*) FROM trial_crate c JOIN trial_shelf s ON s.id = c.shelf_id WHERE c.site_id IS DISTINCT FROM s.site_id"
	if n := b.number(t, leftBehind); n != 0 {
		t.Errorf("%d crates were left behind", n)
	}
}

// TestHiddenFollowers does not name a record to a caller who may not see it.
func TestHiddenFollowers(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 0)
	two := fmt.Sprint(b.create(t, "dcim.site", named(2))[0].ID())
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	in := crate("secret", kit)
	in["site"] = two
	on := crate("secret", kit)
	on["shelf"] = fmt.Sprint(shelf.ID())
	b.create(t, "trial.crate", in, on)
	writer := ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "writer", Grants: []access.Grant{
		{Types: []string{"trial.shelf", "dcim.site"}, Actions: []string{"view", "change"}}}}, RequestID: b.root.RequestID}
	_, err := b.Update(t.Context(), writer, shelf.Type(), []ledger.Edit{{ID: shelf.ID(), Input: ledger.Input{"site": two}}})
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "trial.crate") {
		t.Errorf("a crate that can't follow: %v", err)
	}
}

// TestSameUnderConcurrency changes both sides of a rule in many requests at once: no two of them break it together.
func TestSameUnderConcurrency(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	kit := b.kit(t, "a", 1)
	var shelves []string
	for n := range 3 {
		shelves = append(shelves, fmt.Sprint(b.create(t, "trial.shelf", ledger.Input{"name": fmt.Sprint(n)})[0].ID()))
	}
	in := crate("x", kit)
	in["shelf"] = shelves[0]
	box := b.create(t, "trial.crate", in)[0]
	item := b.create(t, "trial.item", ledger.Input{"name": "box", "shelf": shelves[0]})[0]
	slot := b.number(t, "SELECT min(id) FROM trial_slot")
	var done sync.WaitGroup
	change := func(key string, id int64, field string, value func() any) {
		done.Go(func() {
			for range 40 {
				_, err := b.Update(t.Context(), b.root, b.reg.Type(key), []ledger.Edit{{ID: id, Input: ledger.Input{field: value()}}})
				if err != nil && fault.KindOf(err) != fault.Invalid {
					t.Error(err)
				}
			}
		})
	}
	shelf := func() any { return shelves[rand.IntN(len(shelves))] }
	change("trial.slot", slot, "item", func() any { return []any{nil, fmt.Sprint(item.ID())}[rand.IntN(2)] })
	change("trial.item", item.ID(), "shelf", shelf)
	change("trial.crate", box.ID(), "shelf", shelf)
	stop, broken := make(chan struct{}), int64(0)
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				broken += b.number(t, `SELECT count(*) FROM trial_slot s JOIN trial_item i ON i.id = s.item_id JOIN trial_crate c ON c.id = s.crate_id
					WHERE i.shelf_id IS DISTINCT FROM c.shelf_id`)
			}
		}
	})
	done.Wait()
	close(stop)
	watch.Wait()
	if broken > 0 {
		t.Errorf("a slot held an item of another shelf, %d times", broken)
	}
}

// TestManyChildren measures what a request with nearly 50,000 records costs, 48 children for each that it names. It must not take more than
// 256 MiB of memory. Without TERRIER_LONG it creates fewer.
func TestManyChildren(t *testing.T) {
	crates := 20
	if os.Getenv("TERRIER_LONG") != "" {
		crates = 1020
	}
	b := newBundle(t, trial.Types()...)
	b.Dependants = ledger.Dependants(48 * crates)
	kit := b.kit(t, "a", 16)
	var inputs []ledger.Input
	for i := range crates {
		inputs = append(inputs, crate(fmt.Sprint("c", i), kit))
	}
	var made []record.Values
	cost(t, fmt.Sprintf("create %d records with 48 children each", crates), func() { made = b.create(t, "trial.crate", inputs...) })
	if n := b.number(t, "SELECT (SELECT count(*) FROM trial_slot) + (SELECT count(*) FROM trial_lid)"); n != int64(48*crates) {
		t.Errorf("%d children", n)
	}
	var edits []ledger.Edit
	for _, v := range made {
		edits = append(edits, ledger.Edit{ID: v.ID()})
	}
	cost(t, "delete them", func() {
		if err := b.Delete(t.Context(), b.root, b.reg.Type("trial.crate"), edits); err != nil {
			t.Fatal(err)
		}
	})
}

// cost logs how long fn takes, and how much memory the process takes for it from the system. That must not be more than 256 MiB.
func cost(t *testing.T, what string, fn func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	fn()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	grown := (after.Sys - before.Sys) >> 20
	t.Logf("%s: %s, %d MiB", what, took.Round(time.Millisecond), grown)
	if grown > 256 {
		t.Errorf("%s: took %d MiB of memory, want at most 256", what, grown)
	}
}
