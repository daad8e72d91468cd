package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

func (r *rig) frame(t *testing.T, pairs ...any) record.Values {
	t.Helper()
	return r.create(t, "trial.frame", in(append([]any{"name", "f", "site", r.site}, pairs...)...))[0]
}

// TestTogether: a rule over the records that refer to the same one holds from every side, for the state after the request.
func TestTogether(t *testing.T) {
	r := newRig(t)
	frame := r.frame(t, "height", 10)
	tall := r.create(t, "trial.model", in("name", "tall", "height", 3))[0]
	low := r.gear(t, "frame", frame, "position", 1)
	high := r.gear(t, "frame", frame, "position", 10)
	r.gear(t, "frame", frame)
	at := func(position int, pairs ...any) ledger.Input {
		return r.gearInput(append([]any{"frame", frame, "position", position}, pairs...)...)
	}
	refused(t, "a taken place", r.tryCreate(t, "trial.gear", at(1)), "position", "The place is taken.")
	refused(t, "above the frame", r.tryCreate(t, "trial.gear", at(11)), "position", "does not fit")
	refused(t, "too tall", r.tryCreate(t, "trial.gear", at(8, "model", tall)), "position", "The place is taken.")
	err := r.tryCreate(t, "trial.gear", at(5, "model", tall), at(3), at(7))
	if items := itemsOf(err); len(items) != 3 || len(items[0])+len(items[1]) > 0 || len(items[2]["position"]) != 1 {
		t.Errorf("two in one list: %v", err)
	}
	_, err = r.tryUpdate(t, low, "position", 10)
	refused(t, "moved onto another", err, "position")
	_, err = r.tryUpdate(t, high, "model", tall)
	refused(t, "of another model", err, "position", "does not fit")
	swapped, err := r.Update(t.Context(), r.root, low.Type(), []ledger.Edit{
		{ID: low.ID(), Input: in("position", 10)}, {ID: high.ID(), Input: in("position", 1)}})
	if err != nil || swapped[0].Int("position") != 10 {
		t.Errorf("two that change places: %v", err)
	}
	_, err = r.tryUpdate(t, frame, "height", 9)
	refused(t, "a lower frame", err, "height", fmt.Sprintf("The gear %d: It does not fit into the frame.", low.ID()))
	r.update(t, frame, "height", 11)
	_, err = r.tryUpdate(t, r.model, "height", 3)
	refused(t, "a taller model", err, "height", fmt.Sprintf("The gear %d: It does not fit", low.ID()))
	r.update(t, r.model, "height", 2)
	other := r.frame(t, "height", 1)
	_, err = r.tryUpdate(t, low, "frame", other)
	refused(t, "moved to another frame", err, "position", "does not fit")
	r.update(t, low, "frame", other, "position", nil)
	r.update(t, frame, "height", 2)
	if err := r.delete(t, high); err != nil {
		t.Error(err)
	}
	r.update(t, frame, "height", 1)
}

// TestTogetherBehindTheOwner: a rule may read what the owner is, without reading anything of its members.
func TestTogetherBehindTheOwner(t *testing.T) {
	r := newRig(t)
	gear := r.gear(t)
	jack := func(name string, pairs ...any) ledger.Input {
		return in(append([]any{"gear", gear, "name", name}, pairs...)...)
	}
	plain := r.create(t, "trial.jack", jack("plain"))[0]
	refused(t, "no trunk", r.tryCreate(t, "trial.jack", jack("a", "trunk", plain)), "trunk", "A trunk must be one.")
	trunk := r.update(t, plain, "is_trunk", true)
	member := r.create(t, "trial.jack", jack("a", "trunk", trunk))[0]
	_, err := r.tryUpdate(t, trunk, "is_trunk", false)
	refused(t, "no longer a trunk", err, "is_trunk", fmt.Sprintf("Record %d: A trunk must be one.", member.ID()))
	r.update(t, member, "trunk", nil)
	r.update(t, trunk, "is_trunk", false)
}

// TestTogetherOfTheChanged: what was wrong before is not reported on records that did not make it so.
func TestTogetherOfTheChanged(t *testing.T) {
	r := newRig(t)
	frame := r.frame(t, "height", 10)
	other := r.create(t, "trial.model", in("name", "other"))[0]
	r.gear(t, "frame", frame, "position", 1)
	wrong := r.gear(t, "frame", frame, "position", 2)
	r.exec(t, "UPDATE trial_gear SET position = 1 WHERE id = $1", wrong.ID())
	free := r.gear(t, "frame", frame, "position", 5, "model", other)
	r.update(t, free, "position", 6)
	r.update(t, other, "height", 2)
	_, err := r.tryUpdate(t, r.model, "height", 3)
	refused(t, "of the model", err, "height")
	r.update(t, wrong, "finish", "red")
	_, err = r.tryUpdate(t, frame, "height", 9)
	refused(t, "the owner", err, "height")
}

// TestTogetherHidesNames: a message names another record only to those who may see it.
func TestTogetherHidesNames(t *testing.T) {
	r := newRig(t)
	frame := r.frame(t)
	gear := r.gear(t, "frame", frame, "position", 10)
	writer := ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "writer", Grants: []access.Grant{
		{Types: []string{"trial.frame", "trial.model"}, Actions: []string{"view", "change"}}}}, RequestID: r.root.RequestID}
	for key, value := range map[string]record.Values{"frame": frame, "model": r.model} {
		height := map[string]int{"frame": 9, "model": 2}[key]
		_, err := r.Update(t.Context(), writer, value.Type(), []ledger.Edit{{ID: value.ID(), Input: in("height", height)}})
		refused(t, key, err, "height", "A record of type trial.gear: It does not fit")
		if strings.Contains(fmt.Sprint(err), fmt.Sprint(gear.ID())) {
			t.Errorf("%s: %v names the gear", key, err)
		}
	}
}

// TestTogetherStatements: a rule costs the same number of statements for one record and for many, and none where nothing refers to an
// owner.
func TestTogetherStatements(t *testing.T) {
	r := newRig(t)
	create := func(n int, pairs ...any) int64 {
		var inputs []ledger.Input
		for range n {
			inputs = append(inputs, r.gearInput(pairs...))
		}
		return r.count(func() { r.create(t, "trial.gear", inputs...) })
	}
	frame := r.frame(t)
	none, one, many := create(1), create(1, "frame", frame, "location", nil), create(100, "frame", frame)
	if one != many {
		t.Errorf("100 took %d statements, one %d", many, one)
	}
	// the frame for the reference and for what is followed; one lock and two questions for two rules Same; two locks and one question
	if one-none != 8 {
		t.Errorf("a frame took %d statements more than none", one-none)
	}
	gear := r.gear(t, "frame", frame)
	rename := func(field string, value any) int64 { return r.count(func() { r.update(t, gear, field, value) }) }
	if plain, placed := rename("finish", "red"), rename("position", 3); placed != plain+3 {
		t.Errorf("a position took %d statements, another field %d", placed, plain)
	}
}

// atOnce runs functions at the same time and returns how many succeeded. Others may only be refused.
func atOnce(t *testing.T, fns ...func() error) (succeeded int) {
	t.Helper()
	var done sync.WaitGroup
	start, errs := make(chan struct{}), make([]error, len(fns))
	for i, fn := range fns {
		done.Go(func() {
			<-start
			errs[i] = fn()
		})
	}
	close(start)
	done.Wait()
	for _, err := range errs {
		switch {
		case err == nil:
			succeeded++
		case fault.KindOf(err) != fault.Invalid:
			t.Error(err)
		}
	}
	return succeeded
}

// TestTogetherOfNewOwners: a new device that gets bays waits for somebody who changes device types, because the devices of a type that is
// no parent any more have no bays. A rehearsal gives up instead of waiting long.
func TestTogetherOfNewOwners(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	device := b.deviceType(t, "a")
	b.create(t, "dcim.devicebaytemplate", ledger.Input{"device_type": device["device_type"], "name": "bay"})
	other, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('together:dcim.devicebay device', 0))"); err != nil {
		t.Fatal(err)
	}
	ctx, _ := ledger.Rehearse(t.Context())
	create := func() error {
		_, err := b.Create(ctx, b.root, b.reg.Type("dcim.device"), []ledger.Input{device})
		return err
	}
	if err := create(); fault.KindOf(err) != fault.Busy {
		t.Errorf("while device types change: %v", err)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := create(); err != nil {
		t.Error(err)
	}
}

// TestTogetherOneWins: of requests that want the same place at the same time, one gets it. Nobody takes a place that a model needs which
// grows meanwhile, nor one that a frame loses.
func TestTogetherOneWins(t *testing.T) {
	r := newRig(t)
	for round := range 15 {
		frame, model := r.frame(t), r.create(t, "trial.model", in("name", "grows"))[0]
		r.gear(t, "frame", frame, "position", 4)
		create := func(position int) func() error {
			input := r.gearInput("frame", frame, "position", position, "model", model)
			return func() error { return r.tryCreate(t, "trial.gear", input) }
		}
		wanted := make([]func() error, 16)
		for i := range wanted {
			wanted[i] = create(8)
		}
		if n := atOnce(t, wanted...); n != 1 {
			t.Errorf("round %d: %d of 16 got the place", round, n)
		}
		update := func(v record.Values, pairs ...any) func() error {
			return func() error {
				_, err := r.tryUpdate(t, v, pairs...)
				return err
			}
		}
		if n := atOnce(t, create(3), update(model, "height", 2)); n != 1 {
			t.Errorf("round %d: %d of a new one below another and a model that grows", round, n)
		}
		if n := atOnce(t, create(10), update(frame, "height", 9)); n != 1 {
			t.Errorf("round %d: %d of a new one at the top and a frame that shrinks", round, n)
		}
	}
	if n := r.number(t, overlaps); n != 0 {
		t.Errorf("%d pairs of gear overlap", n)
	}
}

// TestTogetherUnderConcurrency writes into the same owners in many requests at once, one record and several at a time, while the heights
// of frames and models change: no two of them break the rule together.
func TestTogetherUnderConcurrency(t *testing.T) {
	r := newRig(t)
	models := r.create(t, "trial.model", in("name", "a"), in("name", "b"), in("name", "c"))
	var frames, gear []record.Values
	for range 3 {
		frames = append(frames, r.frame(t, "height", 12))
	}
	for n := range 24 {
		gear = append(gear, r.gear(t, "model", models[n%3]))
	}
	var done sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[fault.Kind]int{}
	tally := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if outcomes[fault.KindOf(err)]++; err != nil && fault.KindOf(err) != fault.Invalid {
			t.Error(err)
		}
	}
	change := func(v record.Values, pairs ...any) {
		_, err := r.Update(t.Context(), r.root, v.Type(), []ledger.Edit{{ID: v.ID(), Input: in(pairs...)}})
		tally(err)
	}
	anyOf := func(rows []record.Values) record.Values { return rows[rand.IntN(len(rows))] }
	moved := func() []any { return []any{"frame", anyOf(frames), "position", 1 + rand.IntN(12)} }
	const writers, each = 16, 12
	for w := range writers {
		done.Go(func() {
			for n := range each {
				switch {
				case w == 0:
					change(anyOf(models), "height", 1+rand.IntN(3))
				case w == 1:
					change(anyOf(frames), "height", 9+rand.IntN(4))
				case w%3 == 0:
					var edits []ledger.Edit
					for _, i := range rand.Perm(len(gear))[:4] {
						edits = append(edits, ledger.Edit{ID: gear[i].ID(), Input: in(moved()...)})
					}
					_, err := r.Update(t.Context(), r.root, gear[0].Type(), edits)
					tally(err)
				case w%3 == 1:
					input := in(append(moved(), "model", anyOf(models), "site", r.site, "name", fmt.Sprintf("new %d-%d", w, n))...)
					tally(r.tryCreate(t, "trial.gear", input))
				default:
					change(anyOf(gear), moved()...)
				}
			}
		})
	}
	done.Wait()
	if outcomes[fault.Invalid] == 0 || outcomes[fault.KindOf(nil)] == 0 {
		t.Errorf("the outcomes are %v: some must succeed and some be refused", outcomes)
	}
	if n := r.number(t, "SELECT count(*) FROM trial_gear WHERE position IS NOT NULL"); n < 6 {
		t.Errorf("only %d have a place", n)
	}
	if n := r.number(t, overlaps); n != 0 {
		t.Errorf("%d pairs of gear overlap", n)
	}
	if n := r.number(t, `SELECT count(*) FROM trial_gear g JOIN trial_model m ON m.id = g.model_id JOIN trial_frame f ON f.id = g.frame_id
		WHERE position + m.height - 1 > f.height`); n != 0 {
		t.Errorf("%d pieces of gear stick out", n)
	}
}

const overlaps = `SELECT count(*) FROM trial_gear a JOIN trial_model ma ON ma.id = a.model_id JOIN trial_gear b ON b.frame_id = a.frame_id
	AND b.id > a.id JOIN trial_model mb ON mb.id = b.model_id
	WHERE int8range(a.position, a.position + ma.height) && int8range(b.position, b.position + mb.height)`
