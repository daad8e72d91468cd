package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// sync runs the action and returns its answer in short: what was added, "~" what is different, "+" what is extra.
func (b *bundle) sync(t *testing.T, c ledger.Caller, key string, id int64, in ledger.Input) ([]string, error) {
	t.Helper()
	answer, err := b.Act(t.Context(), c, b.reg.Action("POST "+key+"/sync-components"), id, in)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	type child struct {
		Type, Name string
		Fields     []string
		Rig        struct{ Display string }
	}
	var read struct{ Added, Different, Extra []child }
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	var short []string
	for sign, list := range map[string][]child{"": read.Added, "~": read.Different, "+": read.Extra} {
		for _, x := range list {
			short = append(short, strings.TrimSpace(fmt.Sprint(sign, x.Rig.Display, " ", strings.TrimPrefix(x.Type, "trial."), " ", x.Name, " ",
				strings.Join(x.Fields, ","))))
		}
	}
	slices.Sort(short)
	return short, nil
}

func (b *bundle) edit(t *testing.T, key string, id int64, in ledger.Input) {
	t.Helper()
	if _, err := b.Update(t.Context(), b.root, b.reg.Type(key), []ledger.Edit{{ID: id, Input: in}}); err != nil {
		t.Fatal(err)
	}
}

// TestSync compares a record with its templates. A dry run says the same as a real one and changes nothing. A real one adds what is
// missing, with its references, and leaves the rest as it is. The second finds nothing to add.
func TestSync(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t)
	id, model := rig.ID(), fmt.Sprint(rig.Link("model").ID)
	one := func(sql string) string { return fmt.Sprint(b.number(t, sql)) }
	lack := b.number(t, "SELECT id FROM trial_plug WHERE name = 'p1' AND rig_id = $1", id)
	for key, gone := range map[string]int64{"trial.plug": lack,
		"trial.piece": b.number(t, "SELECT id FROM trial_piece WHERE name = 'outer' AND rig_id = $1", id)} { // and inner, which is part of it
		if err := b.Delete(t.Context(), b.root, b.reg.Type(key), []ledger.Edit{{ID: gone}}); err != nil {
			t.Fatal(err)
		}
	}
	b.create(t, "trial.plugtemplate", ledger.Input{"model": model, "name": "p2",
		"bridge": one("SELECT id FROM trial_plugtemplate WHERE name = 'p0'")})
	b.edit(t, "trial.socket", b.number(t, "SELECT id FROM trial_socket WHERE name = 's1' AND rig_id = $1", id), ledger.Input{"position": "8"})
	b.create(t, "trial.plug", ledger.Input{"rig": fmt.Sprint(id), "name": "own"})
	want := []string{"+r plug own", "r piece inner", "r piece outer", "r plug p1", "r plug p2", "~r plug p0 bridge", "~r socket s1 position"}
	changes := func() int64 { return b.number(t, "SELECT count(*) FROM extras_objectchange") }
	before := changes()
	for _, dry := range []bool{true, false} {
		b.request()
		got, err := b.sync(t, b.root, "trial.rig", id, ledger.Input{"dry_run": dry})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("dry %v: %q (%v), want %q", dry, got, err, want)
		}
		if n := changes(); dry && n != before || !dry && n != before+4 {
			t.Errorf("dry %v: %d changes", dry, n-before)
		}
	}
	for what, sql := range map[string]string{
		"a new plug refers to one that was there": `SELECT count(*) FROM trial_plug a JOIN trial_plug b ON b.id = a.bridge_id
			WHERE a.name = 'p2' AND b.name = 'p0' AND b.version = 2 AND a.rig_id = $1 AND b.rig_id = $1`,
		"new ones refer to each other": `SELECT count(*) FROM trial_piece a JOIN trial_piece b ON b.id = a.parent_id
			JOIN trial_plug c ON c.id = a.component_id AND a.component_type = 'trial.plug'
			WHERE a.name = 'inner' AND b.name = 'outer' AND c.name = 'p1' AND c.rig_id = $1`,
		"a socket stays as it is": "SELECT count(*) FROM trial_socket WHERE name = 's1' AND position = '8' AND rig_id = $1",
	} {
		if n := b.number(t, sql, id); n != 1 {
			t.Errorf("%s: %d, want 1", what, n)
		}
	}
	if n := b.number(t, "SELECT count(*) FROM extras_objectchange WHERE request_id = $1", b.root.RequestID); n != 4 {
		t.Errorf("%d changes of the request, want 4", n)
	}
	got, err := b.sync(t, b.root, "trial.rig", id, ledger.Input{})
	if want := []string{"+r plug own", "~r plug p0 bridge", "~r socket s1 position"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the second time: %q (%v), want %q", got, err, want)
	}
}

// TestSyncTakenName: the children of another record, such as a card, are neither compared nor extra. A name that one of them has is an
// error
// on the name, and nothing is written.
func TestSyncTakenName(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t)
	card := b.create(t, "trial.cardmodel", ledger.Input{"name": "c"})[0]
	b.create(t, "trial.plugtemplate", ledger.Input{"cardmodel": fmt.Sprint(card.ID()), "name": "x"})
	b.create(t, "trial.card", ledger.Input{"name": "c", "rig": fmt.Sprint(rig.ID()), "cardmodel": fmt.Sprint(card.ID()),
		"socket": fmt.Sprint(b.number(t, "SELECT id FROM trial_socket WHERE rig_id = $1 LIMIT 1", rig.ID()))})
	if got, err := b.sync(t, b.root, "trial.rig", rig.ID(), ledger.Input{}); err != nil || len(got) > 0 {
		t.Errorf("a rig with a card: %q (%v)", got, err)
	}
	for _, name := range []string{"x", "y"} {
		b.create(t, "trial.plugtemplate", ledger.Input{"model": fmt.Sprint(rig.Link("model").ID), "name": name})
	}
	before := b.number(t, "SELECT count(*) FROM trial_plug")
	for key, id := range map[string]int64{"trial.rig": rig.ID(), "trial.model": rig.Link("model").ID} {
		for _, dry := range []bool{true, false} {
			_, err := b.sync(t, b.root, key, id, ledger.Input{"dry_run": dry})
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "name: ") || !strings.Contains(err.Error(), "plug x: ") {
				t.Errorf("%s, dry %v, a name that is taken: %v", key, dry, err)
			}
		}
	}
	if n := b.number(t, "SELECT count(*) FROM trial_plug"); n != before {
		t.Errorf("%d plugs were made", n-before)
	}
}

// TestSyncAll compares all records of a model, in change sets of 100.
func TestSyncAll(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	model := b.create(t, "trial.model", ledger.Input{"name": "m"})[0].ID()
	var inputs []ledger.Input
	for n := range 205 {
		inputs = append(inputs, ledger.Input{"name": fmt.Sprint(n), "model": fmt.Sprint(model)})
	}
	rigs := b.create(t, "trial.rig", inputs...)
	b.create(t, "trial.plugtemplate", ledger.Input{"model": fmt.Sprint(model), "name": "p"})
	b.create(t, "trial.plug", ledger.Input{"rig": fmt.Sprint(rigs[0].ID()), "name": "p"})
	request := b.request()
	act := func(in ledger.Input) *ledger.Synced {
		answer, err := b.Act(t.Context(), b.root, b.reg.Action("POST trial.model/sync-components"), model, in)
		if err != nil {
			t.Fatal(err)
		}
		return answer.(*ledger.Synced)
	}
	if s := act(ledger.Input{"dry_run": true, "after": fmt.Sprint(rigs[199].ID())}); len(s.Added) != 5 || s.Compared != 5 || s.Next != nil {
		t.Errorf("after the 200th: %d added, %d compared", len(s.Added), s.Compared)
	}
	if s := act(ledger.Input{}); len(s.Added) != 204 || s.Compared != 205 || s.Next != nil || len(s.Different)+len(s.Extra) > 0 {
		t.Errorf("%d added, %d compared", len(s.Added), s.Compared)
	}
	if n := b.number(t, "SELECT count(DISTINCT changed_at) FROM extras_objectchange WHERE request_id = $1", request); n != 3 {
		t.Errorf("%d change sets, want 3", n)
	}
	if n := b.number(t, "SELECT count(DISTINCT rig_id) FROM trial_plug"); n != 205 {
		t.Errorf("%d rigs have a plug", n)
	}
	// There is no time left after the first change set: the answer says where to go on.
	b.exec(t, "DELETE FROM trial_plug")
	now, step := b.Now, 0
	b.Now = func() time.Time { step++; return now().Add(time.Duration(step) * time.Hour) }
	s := act(ledger.Input{})
	b.Now = now
	if s.Compared != 100 || s.Next == nil || *s.Next != rigs[99].ID() || len(s.Added) != 100 {
		t.Fatalf("without time: %d compared, %d added, next %v", s.Compared, len(s.Added), s.Next)
	}
	if s := act(ledger.Input{"after": fmt.Sprint(*s.Next)}); s.Compared != 105 || len(s.Added) != 105 {
		t.Errorf("going on: %d compared, %d added", s.Compared, len(s.Added))
	}
}

// TestSyncOfManyChildren: records that have more children together than are read at once are compared in smaller change sets, so that
// no child is missed. A single record with so many is refused.
func TestSyncOfManyChildren(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	began := b.Now()
	b.Now = func() time.Time { return began } // however slow the machine is, it does not stop for its patience
	model := b.create(t, "trial.model", ledger.Input{"name": "m"})[0].ID()
	rigs := b.create(t, "trial.rig", ledger.Input{"name": "a", "model": fmt.Sprint(model)},
		ledger.Input{"name": "b", "model": fmt.Sprint(model)})
	fill := func(rig int64, prefix string, n int) {
		t.Helper()
		own := b.create(t, "trial.plug", ledger.Input{"rig": fmt.Sprint(rig), "name": prefix})[0]
		b.exec(t, `INSERT INTO trial_plug SELECT r.* FROM trial_plug p, generate_series(1, $2::int) n, LATERAL jsonb_populate_record(p,
			jsonb_build_object('id', nextval('trial_plug_id_seq'), 'name', p.name || n)) r WHERE p.id = $1`, own.ID(), n)
	}
	fill(rigs[0].ID(), "own", 30_000)
	fill(rigs[1].ID(), "own", 20_000)
	b.create(t, "trial.plug", ledger.Input{"rig": fmt.Sprint(rigs[1].ID()), "name": "p"}) // the last one
	b.create(t, "trial.plugtemplate", ledger.Input{"model": fmt.Sprint(model), "name": "p"})
	act := func() (*ledger.Synced, error) {
		answer, err := b.Act(t.Context(), b.root, b.reg.Action("POST trial.model/sync-components"), model, ledger.Input{"dry_run": true})
		s, _ := answer.(*ledger.Synced)
		return s, err
	}
	s, err := act()
	if err != nil || len(s.Added) != 1 || s.Added[0].Parent.ID() != rigs[0].ID() || s.Compared != 2 || len(s.Extra) != 50_002 {
		t.Errorf("%v, %d compared, %d added, %d extra", err, s.Compared, len(s.Added), len(s.Extra))
	}
	fill(rigs[0].ID(), "more", 20_000)
	if _, err := act(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a record with too many children: %v", err)
	}
}

// TestSyncWhileAChildIsDeleted: a new child refers to one that is there when it is written. One that somebody deletes meanwhile is made
// again.
func TestSyncWhileAChildIsDeleted(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t).ID()
	outer := b.number(t, "SELECT id FROM trial_piece WHERE name = 'outer' AND rig_id = $1", rig)
	if err := b.Delete(t.Context(), b.root, b.reg.Type("trial.piece"), []ledger.Edit{{ID: outer}}); err != nil { // and inner
		t.Fatal(err)
	}
	b.exec(t, "UPDATE trial_plug SET bridge_id = NULL")
	other, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.Background()) }() // it is over, unless the test has failed
	if _, err := other.Exec(t.Context(), "DELETE FROM trial_plug WHERE name = 'p1' AND rig_id = $1", rig); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		short []string
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		short, err := b.sync(t, b.root, "trial.rig", rig, ledger.Input{})
		done <- answer{short, err}
	}()
	for waiting := false; !waiting; {
		select {
		case a := <-done:
			t.Fatalf("it does not wait for the other session: %v", a)
		default:
		}
		waiting = b.number(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0
	}
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := <-done
	if want := []string{"r piece inner", "r piece outer", "r plug p1", "~r plug p0 bridge"}; a.err != nil || !slices.Equal(a.short, want) {
		t.Errorf("%q (%v), want %q", a.short, a.err, want)
	}
	if n := b.number(t, `SELECT count(*) FROM trial_piece a JOIN trial_plug b ON b.id = a.component_id AND b.name = 'p1'
		WHERE a.name = 'inner' AND a.component_type = 'trial.plug' AND a.rig_id = $1`, rig); n != 1 {
		t.Errorf("%d new pieces refer to the new plug, want 1", n)
	}
}

// TestSyncPermissions: the caller must see the model, and be allowed to change the rig and to add what it lacks. Plugs that the caller
// may not
// see are not named.
func TestSyncPermissions(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t)
	id := rig.ID()
	b.create(t, "trial.plugtemplate", ledger.Input{"model": fmt.Sprint(rig.Link("model").ID), "name": "p2"})
	b.create(t, "trial.plug", ledger.Input{"rig": fmt.Sprint(id), "name": "own"}, ledger.Input{"rig": fmt.Sprint(id), "name": "hidden"})
	grant := func(right, key, constraint string) access.Grant {
		g := access.Grant{Types: []string{key}, Actions: []string{right}}
		if constraint != "" {
			g.Constraints = json.RawMessage(constraint)
		}
		return g
	}
	all := []access.Grant{grant("view", "trial.model", ""), grant("change", "trial.rig", `{"name": "r"}`),
		grant("add", "trial.plug", `{"name": "p2"}`),
		grant("view", "trial.plug", `{"name": "own"}`)}
	as := func(grants []access.Grant) ledger.Caller {
		return ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "u", Grants: grants}, RequestID: b.request()}
	}
	for i, what := range []string{"without view of the model", "without change of the rig", "without add of plugs"} {
		for key, of := range map[string]int64{"trial.rig": id, "trial.model": rig.Link("model").ID} {
			_, err := b.sync(t, as(slices.Delete(slices.Clone(all), i, i+1)), key, of, ledger.Input{"dry_run": true})
			if kind := fault.KindOf(err); kind != fault.Denied && kind != fault.NotFound {
				t.Errorf("%s %s: %v", key, what, err)
			}
		}
	}
	narrow := slices.Clone(all)
	narrow[2] = grant("add", "trial.plug", `{"name": "other"}`)
	if _, err := b.sync(t, as(narrow), "trial.rig", id, ledger.Input{}); fault.KindOf(err) != fault.Denied {
		t.Errorf("a plug outside the permission: %v", err)
	}
	got, err := b.sync(t, as(all), "trial.model", rig.Link("model").ID, ledger.Input{})
	if want := []string{"+r plug own", "r plug p2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("with all rights: %q (%v), want %q", got, err, want)
	}
	if n := b.number(t, "SELECT count(*) FROM trial_plug WHERE name = 'p2'"); n != 1 {
		t.Errorf("%d plugs were added, want 1: the other rig may not be changed", n)
	}
}
