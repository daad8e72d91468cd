package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// tally is a type whose actions write in several ways.
func tally() record.Type {
	up := func(c record.Call) (any, error) {
		var v record.Values
		for range 2 {
			current, err := c.Find("trial.tally", map[string]string{"id": "1"})
			if err != nil {
				return nil, err
			}
			if v, err = c.Update(current[0], map[string]any{"number": current[0].Int("number") + 1}); err != nil {
				return nil, err
			}
		}
		_, err := c.Create("trial.tally", map[string]any{"name": "made by it"})
		return v, err
	}
	act := func(name, method string, do func(record.Call) (any, error)) record.Action {
		return record.Action{Name: name, Method: method, Needs: "change", Doc: "Count", Do: do}
	}
	return record.Type{App: "trial", Name: "tally", Plural: "tallies", Brief: []string{"name"}, Order: []string{"name"},
		Fields: record.Fields{record.Text{Name: "name", Max: 50, Required: true}, record.Int{Name: "number"}},
		Actions: []record.Action{act("up", "POST", up), act("peek", "GET", up), act("break", "POST", func(c record.Call) (any, error) {
			if _, err := up(c); err != nil {
				return nil, err
			}
			return nil, fault.New(fault.Invalid, "no")
		}), act("next", "POST", func(c record.Call) (any, error) {
			if _, err := c.Create("trial.tally", map[string]any{"name": "yours"}); err == nil {
				return nil, nil
			}
			return c.Create("trial.tally", map[string]any{"name": "mine"})
		})}}
}

// TestCallAfterARefusal holds that nothing stays of a change set in which a write was refused, even when the action goes on.
func TestCallAfterARefusal(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tally())
	first := b.create(t, "trial.tally", ledger.Input{"name": "mine too"})[0]
	mine := access.Grant{Types: []string{"trial.tally"}, Actions: []string{"view", "change", "add"},
		Constraints: json.RawMessage(`{"name__startswith": "mine"}`)}
	limited := ledger.Caller{RequestID: b.root.RequestID,
		Subject: &access.Subject{UserID: 2, Username: "limited", Grants: []access.Grant{mine}}}
	_, err := b.Act(t.Context(), limited, b.reg.Action("POST trial.tally/next"), first.ID(), ledger.Input{})
	if fault.KindOf(err) != fault.Denied {
		t.Errorf("an action goes on after a refused write: %v", err)
	}
	if n := b.number(t, "SELECT count(*) FROM trial_tally"); n != 1 {
		t.Errorf("%d records, want the first alone", n)
	}
}

// TestCallIsOneChangeSet holds that all that an action writes is one change set: a record that it changes twice has one change and one
// version more, what it finds is what it has written, nothing is left where it fails, and one that reads can't write.
func TestCallIsOneChangeSet(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tally())
	first := b.create(t, "trial.tally", ledger.Input{"name": "first"})[0]
	act := func(key string) (any, error) {
		return b.Act(t.Context(), b.root, b.reg.Action(key), first.ID(), ledger.Input{})
	}
	changes := func() (n int) {
		t.Helper()
		if err := b.db.QueryRow(t.Context(), "SELECT count(*) FROM extras_objectchange").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if _, err := act("POST trial.tally/break"); fault.KindOf(err) != fault.Invalid || changes() != 1 {
		t.Errorf("a failed action: %v, %d changes", err, changes())
	}
	if _, err := act("GET trial.tally/peek"); err == nil || errors.As(err, new(*fault.Error)) || changes() != 1 {
		t.Errorf("an action that reads and writes: %v", err)
	}
	answer, err := act("POST trial.tally/up")
	if err != nil {
		t.Fatal(err)
	}
	if v := answer.(record.Values); v.Int("number") != 2 || v.Version != 2 || changes() != 3 {
		t.Errorf("number %d, version %d, %d changes", v.Int("number"), v.Version, changes())
	}
}

// TestCallThatReads holds that an action that reads finds what its input refers to, and locks nothing, not even by name.
func TestCallThatReads(t *testing.T) {
	t.Parallel()
	typ := tally()
	typ.Allocates = &record.Allocation{Field: "number"}
	typ.Actions = []record.Action{
		{Name: "name", Method: "GET", Needs: "view", Doc: "Name another", Answer: record.Schema{"type": "string"},
			Body: record.Fields{record.Ref{Name: "of", To: "trial.tally"}},
			Do:   func(c record.Call) (any, error) { return c.Inputs()[0].Link("of").Brief[0], nil }},
		{Name: "hold", Method: "GET", Needs: "view", Doc: "Lock", Do: func(c record.Call) (any, error) { return nil, c.Hold("trial.tally", 0) }},
	}
	b := newBundle(t, typ)
	rows := b.create(t, "trial.tally", ledger.Input{"name": "first"}, ledger.Input{"name": "second"})
	other, err := b.db.Begin(t.Context())
	if err == nil {
		_, err = other.Exec(t.Context(), "SELECT FROM trial_tally FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	act := func(name string, in ledger.Input) (any, error) {
		return b.Act(t.Context(), b.root, b.reg.Action("GET trial.tally/"+name), rows[0].ID(), in)
	}
	if name, err := act("name", ledger.Input{"of": fmt.Sprint(rows[1].ID())}); err != nil || name != "second" {
		t.Errorf("while others change both records: %v, %v", name, err)
	}
	if _, err := act("hold", ledger.Input{}); err == nil || !strings.Contains(err.Error(), "so its Method must be POST") {
		t.Errorf("a lock in a GET: %v", err)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestCallReadsABoundedAmount holds that an action is refused more records, or more of them, than fit into memory for any number of
// callers, with a message that says what to do; and that Taken does not read what it is not asked for.
func TestCallReadsABoundedAmount(t *testing.T) {
	t.Parallel()
	typ := tally()
	typ.Fields = append(typ.Fields, record.Text{Name: "essay"})
	typ.Actions = []record.Action{
		{Name: "find", Method: "GET", Needs: "view", Doc: "Find", OnList: true, Answer: record.Schema{"type": "integer"},
			Do: func(c record.Call) (any, error) {
				rows, err := c.Find("trial.tally", nil)
				return len(rows), err
			}},
		{Name: "taken", Method: "POST", Needs: "view", Doc: "Taken", OnList: true, Answer: record.Schema{"type": "integer"},
			Do: func(c record.Call) (any, error) {
				numbers, err := c.Taken("trial.tally", "number", nil)
				return len(numbers), err
			}},
	}
	b := newBundle(t, typ)
	fill := func(rows, length int) {
		b.exec(t, "INSERT INTO trial_tally (version, name, number, essay, created, last_updated) "+
			"SELECT 1, 'x', n, repeat('x', $2), now(), now() FROM generate_series(1, $1) n", rows, length)
	}
	wants := func(key string, want any) {
		t.Helper()
		n, err := b.Act(t.Context(), b.root, b.reg.Action(key), 0, ledger.Input{})
		switch {
		case want != nil && (err != nil || n != want):
			t.Errorf("%s: %v, %v, want %v", key, n, err, want)
		case want == nil && (fault.KindOf(err) != fault.Invalid ||
			!strings.Contains(err.Error(), "more than 10000 tallies, or more than 4 MiB of them") ||
			!strings.Contains(err.Error(), "read the list /api/trial/tallies/ page by page")):
			t.Errorf("%s: %v, %v", key, n, err)
		}
	}
	fill(100, 60<<10)
	wants("GET trial.tallies/find", nil)
	wants("POST trial.tallies/taken", 100)
	fill(9_900, 0)
	wants("POST trial.tallies/taken", 10_000)
	fill(1, 0)
	wants("POST trial.tallies/taken", nil)
	b.exec(t, "DELETE FROM trial_tally WHERE essay <> ''")
	wants("GET trial.tallies/find", 9_901)
}
