package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// contents returns a digest of each table of the database.
func (b *bundle) contents(t *testing.T) map[string]string {
	t.Helper()
	return dbtest.Contents(t, b.db)
}

// alter changes the database without the ledger.
func (b *bundle) alter(t *testing.T, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := b.db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// user returns a caller with permissions. Each is a type, an action and constraints.
func user(grants ...[3]string) ledger.Caller {
	s := &access.Subject{UserID: 7, Username: "anna"}
	for _, g := range grants {
		s.Grants = append(s.Grants, access.Grant{Types: []string{g[0]}, Actions: []string{g[1]}, Constraints: json.RawMessage(g[2])})
	}
	return ledger.Caller{Subject: s, RequestID: uuid.NewString()}
}

// within puts a reference into an input.
func within(in ledger.Input, field string, v record.Values) ledger.Input {
	in[field] = fmt.Sprint(v.ID())
	return in
}

// effects returns the effects of a rehearsal, one line each.
func effects(r *ledger.Rehearsal) []string {
	var lines []string
	for _, e := range r.Effects {
		lines = append(lines, fmt.Sprintf("%s %s %s", e.Action, e.Type.Key(), e.Name))
	}
	return lines
}

// TestRehearsalLeavesNoTrace rehearses each kind of change and then makes it: the rehearsal
// answers the same and changes nothing in any table.
func TestRehearsalLeavesNoTrace(t *testing.T) {
	b := newBundle(t)
	b.create(t, "extras.webhook", ledger.Input{"name": "all", "payload_url": "http://127.0.0.1:1/", "type_create": true,
		"type_update": true, "type_delete": true,
		"content_types": []any{"dcim.region", "dcim.site", "dcim.location"}})
	sites, regions := b.reg.Type("dcim.site"), b.reg.Type("dcim.region")
	top := b.create(t, "dcim.region", named(1))[0]
	below := b.create(t, "dcim.region", within(named(2), "parent", top))[0]
	kept := b.create(t, "dcim.site", within(named(1), "region", below), named(2))
	b.create(t, "dcim.location", within(named(1), "site", kept[1]))
	for _, row := range []struct {
		name    string
		do      func(context.Context) ([]record.Values, error)
		effects []string
	}{
		{"create", func(ctx context.Context) ([]record.Values, error) {
			return b.Create(ctx, b.root, sites, []ledger.Input{named(3), within(named(4), "region", top)})
		}, []string{"create dcim.site n3", "create dcim.site n4"}},
		{"update", func(ctx context.Context) ([]record.Values, error) {
			return b.Update(ctx, b.root, sites, []ledger.Edit{{ID: kept[0].ID(), Input: ledger.Input{"name": "new"}},
				{ID: kept[1].ID(), Input: ledger.Input{"name": "n2"}}})
		}, []string{"update dcim.site n1"}},
		{"delete with cascade and emptied references", func(ctx context.Context) ([]record.Values, error) {
			return nil, b.Delete(ctx, b.root, regions, []ledger.Edit{{ID: top.ID()}})
		}, []string{"delete dcim.region n1", "delete dcim.region n2", "update dcim.site new", "update dcim.site n4"}},
		{"delete with another type", func(ctx context.Context) ([]record.Values, error) {
			return nil, b.Delete(ctx, b.root, sites, []ledger.Edit{{ID: kept[1].ID()}})
		}, []string{"delete dcim.location n1 (n2)", "delete dcim.site n2"}},
	} {
		ctx, rehearsal := ledger.Rehearse(t.Context())
		var rehearsed []record.Values
		var err error
		dbtest.Untouched(t, b.db, func() { rehearsed, err = row.do(ctx) })
		if err != nil || !slices.Equal(effects(rehearsal), row.effects) || rehearsal.Unseen != 0 {
			t.Errorf("%s: effects %q and %d unseen, want %q (%v)", row.name, effects(rehearsal), rehearsal.Unseen, row.effects, err)
		}
		before := b.contents(t)
		made, err := row.do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(rehearsed) != len(made) {
			t.Fatalf("%s: rehearsed %d rows, made %d", row.name, len(rehearsed), len(made))
		}
		for i, v := range made {
			if rehearsed[i].Display() != v.Display() || rehearsed[i].Version != v.Version ||
				!reflect.DeepEqual(rehearsed[i].Get("region"), v.Get("region")) {
				t.Errorf("%s: rehearsed %v, made %v", row.name, rehearsed[i], v)
			}
		}
		after := b.contents(t)
		for _, table := range []string{"extras_objectchange", "extras_delivery", "river_job", "record_count"} {
			if before[table] == after[table] {
				t.Errorf("%s: made in earnest, it does not show in %s", row.name, table)
			}
		}
	}
}

// TestRehearsalFailsAsTheWriteDoes: a rehearsal returns the same errors as the write, by position and for every caller. This includes
// errors that only the last statements or the commit find.
func TestRehearsalFailsAsTheWriteDoes(t *testing.T) {
	b := newBundle(t)
	sites, regions, tenants := b.reg.Type("dcim.site"), b.reg.Type("dcim.region"), b.reg.Type("tenancy.tenant")
	site := b.create(t, "dcim.site", named(1))[0]
	tenant := b.create(t, "tenancy.tenant", named(1))[0]
	b.create(t, "dcim.site", within(named(2), "tenant", tenant))
	now, late := b.create(t, "dcim.region", named(1))[0], b.create(t, "dcim.region", named(2))[0]
	b.alter(t, "CREATE TABLE elsewhere (a bigint REFERENCES dcim_region, b bigint REFERENCES dcim_region DEFERRABLE INITIALLY DEFERRED)",
		fmt.Sprintf("INSERT INTO elsewhere VALUES (%d, NULL), (NULL, %d)", now.ID(), late.ID()))
	limited := user([3]string{"dcim.site", "add", `{"name":"n7"}`}, [3]string{"dcim.site", "change", `{"name":"n1"}`})
	creates := func(c ledger.Caller, inputs ...ledger.Input) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := b.Create(ctx, c, sites, inputs)
			return err
		}
	}
	renames := func(c ledger.Caller, name string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := b.Update(ctx, c, sites, []ledger.Edit{{ID: site.ID(), Input: ledger.Input{"name": name}}})
			return err
		}
	}
	deletes := func(c ledger.Caller, typ *record.Type, edit ledger.Edit) func(context.Context) error {
		return func(ctx context.Context) error { return b.Delete(ctx, c, typ, []ledger.Edit{edit}) }
	}
	for _, row := range []struct {
		name string
		kind fault.Kind
		do   func(context.Context) error
	}{
		{"fields by position", fault.Invalid, creates(b.root, named(5), ledger.Input{"slug": "no spaces allowed"},
			ledger.Input{"name": "x", "slug": "x", "region": "999"})},
		{"clash with what there is", fault.Invalid, creates(b.root, named(5), named(1), named(2))},
		{"clash with each other", fault.Invalid, creates(b.root, named(5), named(6), named(5))},
		{"clash of an update", fault.Invalid, renames(b.root, "n2")},
		{"outside the constraints when written", fault.Denied, creates(limited, named(8))},
		{"moved outside the constraints", fault.Denied, renames(limited, "n9")},
		{"no permission", fault.Denied, deletes(limited, sites, ledger.Edit{ID: site.ID()})},
		{"not there", fault.NotFound, deletes(b.root, sites, ledger.Edit{ID: 999})},
		{"another version", fault.Precondition, deletes(b.root, sites, ledger.Edit{ID: site.ID(), Match: []int64{5}})},
		{"held", fault.Held, deletes(b.root, tenants, ledger.Edit{ID: tenant.ID()})},
		{"held by the database", fault.Held, deletes(b.root, regions, ledger.Edit{ID: now.ID()})},
		{"held by the database at the commit", fault.Held, deletes(b.root, regions, ledger.Edit{ID: late.ID()})},
	} {
		ctx, rehearsal := ledger.Rehearse(t.Context())
		rehearsed, written := row.do(ctx), row.do(t.Context())
		r, okR := errors.AsType[*fault.Error](rehearsed)
		w, okW := errors.AsType[*fault.Error](written)
		if !okR || !okW || w.Kind != row.kind || !reflect.DeepEqual(r, w) {
			t.Errorf("%s: rehearsed %v, written %v", row.name, rehearsed, written)
		}
		if len(rehearsal.Effects) != 0 || rehearsal.Unseen != 0 {
			t.Errorf("%s: a change that is refused has effects: %+v", row.name, rehearsal)
		}
	}
}

// TestEffectsAreThoseOneMaySee: effects on records that the caller may not see are only counted. What counts is what the caller may see
// before the change, not after it.
func TestEffectsAreThoseOneMaySee(t *testing.T) {
	b := newBundle(t)
	sites, regions := b.reg.Type("dcim.site"), b.reg.Type("dcim.region")
	region := b.create(t, "dcim.region", named(1))[0]
	made := b.create(t, "dcim.site", within(named(1), "region", region), within(named(2), "region", region),
		within(named(3), "region", region))
	b.create(t, "dcim.location", within(named(1), "site", made[0]), within(named(2), "site", made[0]))
	deletes := func(typ *record.Type, v record.Values, grants ...[3]string) func(context.Context) error {
		return func(ctx context.Context) error {
			return b.Delete(ctx, user(append(grants, [3]string{typ.Key(), "delete"})...), typ, []ledger.Edit{{ID: v.ID()}})
		}
	}
	for _, row := range []struct {
		name    string
		do      func(context.Context) error
		effects []string
		unseen  int
	}{
		{"all", deletes(regions, region, [3]string{"dcim.region", "view"}, [3]string{"dcim.site", "view"}),
			[]string{"delete dcim.region n1", "update dcim.site n1", "update dcim.site n2", "update dcim.site n3"}, 0},
		{"some, by what will be emptied", deletes(regions, region,
			[3]string{"dcim.site", "view", fmt.Sprintf(`{"region":%d,"name__in":["n1","n2"]}`, region.ID())}),
			[]string{"update dcim.site n1", "update dcim.site n2"}, 2},
		{"none", deletes(regions, region), nil, 4},
		{"cascade", deletes(sites, made[0], [3]string{"dcim.site", "view"}, [3]string{"dcim.location", "view", `{"name":"n2"}`}),
			[]string{"delete dcim.location n2 (n1)", "delete dcim.site n1"}, 1},
		{"created", func(ctx context.Context) error {
			_, err := b.Create(ctx, user([3]string{"dcim.site", "add"}, [3]string{"dcim.site", "view", `{"name":"n8"}`}), sites,
				[]ledger.Input{named(8), named(9)})
			return err
		}, []string{"create dcim.site n8"}, 1},
		{"moved out of sight", func(ctx context.Context) error {
			_, err := b.Update(ctx, user([3]string{"dcim.site", "change"}, [3]string{"dcim.site", "view", `{"name":"n1"}`}), sites,
				[]ledger.Edit{{ID: made[0].ID(), Input: ledger.Input{"name": "x"}}, {ID: made[1].ID(), Input: ledger.Input{"name": "y"}}})
			return err
		}, []string{"update dcim.site n1"}, 1},
	} {
		ctx, rehearsal := ledger.Rehearse(t.Context())
		if err := row.do(ctx); err != nil || !slices.Equal(effects(rehearsal), row.effects) || rehearsal.Unseen != row.unseen {
			t.Errorf("%s: effects %q and %d unseen, want %q and %d (%v)", row.name, effects(rehearsal), rehearsal.Unseen, row.effects,
				row.unseen, err)
		}
	}
}

// TestEffectsOfARunThatWasRepeated: effects are not counted twice when the database fails the first run at its last statement.
func TestEffectsOfARunThatWasRepeated(t *testing.T) {
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	b.create(t, "dcim.location", within(named(1), "site", site))
	b.alter(t, "CREATE SEQUENCE runs", `CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF nextval('runs') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF; RETURN NULL; END $$`,
		"CREATE TRIGGER fail_once AFTER INSERT ON record_count FOR EACH STATEMENT EXECUTE FUNCTION fail_once()")
	limited := user([3]string{"dcim.site", "delete"}, [3]string{"dcim.site", "view", `{"name":"n1"}`})
	ctx, rehearsal := ledger.Rehearse(t.Context())
	if err := b.Delete(ctx, limited, b.reg.Type("dcim.site"), []ledger.Edit{{ID: site.ID()}}); err != nil {
		t.Fatal(err)
	}
	var runs int
	if err := b.db.QueryRow(t.Context(), "SELECT last_value FROM runs").Scan(&runs); err != nil || runs != 2 {
		t.Errorf("%d runs (%v)", runs, err)
	}
	if !slices.Equal(effects(rehearsal), []string{"delete dcim.site n1"}) || rehearsal.Unseen != 1 {
		t.Errorf("effects %q, %d unseen", effects(rehearsal), rehearsal.Unseen)
	}
}

// TestEffectsAreAskedForByType: the number of statements depends on the types that a deletion touches, not on the records.
func TestEffectsAreAskedForByType(t *testing.T) {
	b := newBundle(t)
	limited := user([3]string{"dcim.site", "delete"}, [3]string{"dcim.location", "view", `{"name":"n1"}`})
	var counts []int64
	for n, size := range []int{1, 100} {
		site := b.create(t, "dcim.site", named(n))[0]
		var inputs []ledger.Input
		for i := range size {
			inputs = append(inputs, within(named(i), "site", site))
		}
		b.create(t, "dcim.location", inputs...)
		ctx, _ := ledger.Rehearse(t.Context())
		counts = append(counts, b.count(func() {
			if err := b.Delete(ctx, limited, b.reg.Type("dcim.site"), []ledger.Edit{{ID: site.ID()}}); err != nil {
				t.Error(err)
			}
		}))
	}
	if counts[0] != counts[1] {
		t.Errorf("%d statements for one, %d for a hundred", counts[0], counts[1])
	}
}

// TestRehearsalDoesNotWaitForOthers: a rehearsal soon gives up on a record that another request is changing, and locks no record while
// it waits.
func TestRehearsalDoesNotWaitForOthers(t *testing.T) {
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	b.create(t, "dcim.location", within(named(1), "site", site), within(named(2), "site", site))
	other, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := other.Exec(t.Context(), "SELECT FROM dcim_location WHERE slug = 'n2' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	deletion := func() error {
		ctx, _ := ledger.Rehearse(t.Context())
		return b.Delete(ctx, b.root, b.reg.Type("dcim.site"), []ledger.Edit{{ID: site.ID()}})
	}
	began := time.Now()
	ended := make(chan error)
	go func() { ended <- deletion() }()
	for waiting := true; waiting; {
		select {
		case err := <-ended:
			if fault.KindOf(err) != fault.Busy || !strings.Contains(err.Error(), "Try again") {
				t.Errorf("beside another change: %v", err)
			}
			waiting = false
		default:
			if n := b.number(t, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"); n > 0 {
				t.Error("it waits in the middle of a transaction, with what it has locked by then")
				waiting = <-ended == nil
			}
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it gave up after %v", took)
	}
	if _, err := other.Exec(t.Context(), "SELECT FROM dcim_site FOR UPDATE NOWAIT"); err != nil {
		t.Errorf("it still holds the site: %v", err)
	}
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := deletion(); err != nil {
		t.Errorf("after the other change: %v", err)
	}
}

// TestRehearsalShowsNoKey: a rehearsal does not show the key of a token, which would open nothing.
func TestRehearsalShowsNoKey(t *testing.T) {
	b := newBundle(t)
	owner := b.create(t, "users.user", ledger.Input{"username": "anna", "password": "correct horse battery staple 7"})[0]
	ctx, _ := ledger.Rehearse(t.Context())
	rows, err := b.Create(ctx, b.root, b.reg.Type("users.token"), []ledger.Input{within(ledger.Input{}, "user", owner)})
	if err != nil {
		t.Fatal(err)
	}
	if plain, ok := rows[0].Get("key").(record.Plain); ok {
		t.Errorf("a key of %d characters is shown", len(plain))
	}
}
