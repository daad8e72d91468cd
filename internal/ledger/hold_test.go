package ledger_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestHoldStopsWhoeverTakesAValue holds that while an action chooses a value, those who take one among the same values wait, and are
// refused if the action took theirs; and that nobody else waits, also not for those who wait.
func TestHoldStopsWhoeverTakesAValue(t *testing.T) {
	t.Parallel()
	held, release := make(chan bool, 1), make(chan bool)
	take := func(c record.Call) (any, error) {
		region := c.Inputs()[0].Link("region").ID
		if err := c.Hold("trial.ticket", region); err != nil {
			return nil, err
		}
		held <- true
		<-release
		return c.Create("trial.ticket", map[string]any{"name": "taken", "region": region, "number": 1})
	}
	b := newBundle(t, record.Type{App: "trial", Name: "ticket", Plural: "tickets", Brief: []string{"name"}, Order: []string{"name"},
		Fields: record.Fields{record.Text{Name: "name", Max: 50}, record.Int{Name: "number", Null: true},
			record.Ref{Name: "region", To: "dcim.region"}},
		Unique:    []record.Unique{{Name: "trial_ticket_number_unique", Fields: []string{"region", "number"}, NullsDiffer: true}},
		Allocates: &record.Allocation{Field: "number", Within: "region"},
		Actions: []record.Action{{Name: "take", Method: "POST", Needs: "view", OnList: true, Adds: "trial.ticket", Doc: "Take a number",
			Body: record.Fields{record.Ref{Name: "region", To: "dcim.region"}}, Do: take}}})
	tickets, many := b.reg.Type("trial.ticket"), 70
	var places []ledger.Input
	for n := range many {
		places = append(places, named(n))
	}
	regions := b.create(t, "dcim.region", places...)
	in := func(region int, number any) ledger.Input {
		return ledger.Input{"region": fmt.Sprint(regions[region].ID()), "number": number}
	}
	kept := b.create(t, "trial.ticket", in(1, nil), in(2, "1"))
	edit := func(i int, change ledger.Input) error {
		_, err := b.Update(t.Context(), b.root, tickets, []ledger.Edit{{ID: kept[i].ID(), Input: change}})
		return err
	}

	action := make(chan error)
	go func() {
		_, err := b.Act(t.Context(), b.root, b.reg.Action("POST trial.tickets/take"), 0, ledger.Input{"region": in(1, nil)["region"]})
		action <- err
	}()
	<-held
	b.create(t, "trial.ticket", in(2, "2"), in(1, nil)) // other values, and none
	if err := edit(0, ledger.Input{"name": "renamed"}); err != nil {
		t.Error(err)
	}

	type outcome struct {
		name string
		err  error
	}
	waits := map[string]func() error{
		"a new record": func() error {
			_, err := b.Create(t.Context(), b.root, tickets, []ledger.Input{in(1, "1")})
			return err
		},
		"a moved record": func() error { return edit(1, ledger.Input{"region": in(1, nil)["region"]}) },
		"many values": func() error {
			var inputs []ledger.Input
			for n := 3; n < many; n++ {
				inputs = append(inputs, in(n, "1"))
			}
			_, err := b.Create(t.Context(), b.root, tickets, inputs)
			return err
		},
	}
	outcomes := make(chan outcome, len(waits))
	try := func(name string) { outcomes <- outcome{name, waits[name]()} }
	go try("many values")
	b.awaitAllocations(1)
	b.create(t, "trial.ticket", in(5, "2")) // among other values than those that "many values" waits for
	rehearsal, _ := ledger.Rehearse(t.Context())
	if _, err := b.Create(rehearsal, b.root, tickets, []ledger.Input{in(1, "3")}); err != nil {
		t.Errorf("a rehearsal: %v", err)
	}
	go try("a new record")
	go try("a moved record")
	b.awaitAllocations(len(waits))
	close(release)
	if err := <-action; err != nil {
		t.Errorf("the action lost: %v", err)
	}
	for range waits {
		got := <-outcomes
		refused := got.name != "many values" // the action was given what they want
		if refused != (fault.KindOf(got.err) == fault.Invalid) || !refused && got.err != nil {
			t.Errorf("%s: %v", got.name, got.err)
		}
	}
}

// awaitAllocations returns when so many change sets wait for a lock within a record. They have no connection meanwhile.
func (b *bundle) awaitAllocations(n int) { b.awaitBudget("allocations", n) }

// awaitBudget returns when so many requests wait for a part of a budget.
func (b *bundle) awaitBudget(name string, n int) {
	until := time.Now().Add(10 * time.Second)
	for waiting := 0; waiting < n; runtime.Gosched() {
		if time.Now().After(until) {
			panic(fmt.Sprintf("%d requests wait for %s, want %d", waiting, name, n))
		}
		for _, budget := range b.Store.Budgets() {
			if budget.Name == name {
				waiting = budget.Waiting
			}
		}
	}
}
