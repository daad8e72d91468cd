package ledger_test

import (
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestGives: gear in a nest is where the gear with the nest is, from the moment when it is put there, and so is gear in a nest of
// that. Each is a change of the same request.
func TestGives(t *testing.T) {
	r := newRig(t)
	far := r.create(t, "dcim.site", named(2))[0]
	frame := r.frame(t, "site", far)
	outer, middle, inner := r.gear(t, "site", far, "frame", frame), r.gear(t), r.gear(t)
	isAt := func(what string, v, site, frame record.Values) {
		t.Helper()
		if v = r.read(t, v); v.Link("site").ID != site.ID() || v.Link("frame").ID != frame.ID() {
			t.Errorf("%s: in site %d and frame %d, want %d and %d", what, v.Link("site").ID, v.Link("frame").ID, site.ID(), frame.ID())
		}
	}
	nest := func(gear record.Values, pairs ...any) record.Values {
		return r.create(t, "trial.nest", in(append([]any{"gear", gear, "name", "n"}, pairs...)...))[0]
	}
	nest(middle, "inside", inner)
	isAt("nothing to take yet", inner, r.site, record.Values{})
	holder := nest(outer)
	request := r.request()
	r.update(t, holder, "inside", middle)
	isAt("put into a nest", middle, far, frame)
	isAt("in a nest of that", inner, far, frame)
	if n := r.number(t, "SELECT count(*) FROM extras_objectchange WHERE request_id = $1 AND action = 'update'", request); n != 3 {
		t.Errorf("%d changes of the request, want the nest and two pieces of gear", n)
	}
	r.update(t, outer, "site", r.site, "frame", nil)
	isAt("the outer one moved", inner, r.site, record.Values{})
	r.update(t, holder, "inside", nil)
	r.update(t, outer, "site", far)
	isAt("taken out", middle, r.site, record.Values{})
	created := nest(outer, "inside", middle)
	isAt("put into a new nest", middle, far, record.Values{})
	r.update(t, frame, "site", far)
	r.update(t, outer, "frame", frame)
	r.update(t, frame, "site", r.site)
	isAt("the frame of the outer one moved", inner, r.site, frame)
	clashing := r.gear(t, "site", far, "name", "same")
	r.gear(t, "name", "same")
	_, err := r.tryUpdate(t, created, "inside", clashing)
	refused(t, "a name that is taken there", err, "inside", "must make a unique set")
	one := r.count(func() { r.update(t, outer, "site", far, "frame", nil) })
	nest(outer, "inside", r.gear(t))
	nest(outer, "inside", r.gear(t))
	if n := r.count(func() { r.update(t, outer, "site", r.site, "frame", nil) }); n != one {
		t.Errorf("two more nests: %d statements, before %d", n, one)
	}
}

// TestGivesAtOnce puts gear into a nest while the gear with the nest moves: it is not left behind.
func TestGivesAtOnce(t *testing.T) {
	r := newRig(t)
	sites := []record.Values{r.site, r.create(t, "dcim.site", named(2))[0]}
	for round := range 10 {
		outer, inner := r.gear(t), r.gear(t)
		nest := r.create(t, "trial.nest", in("gear", outer, "name", "n"))[0]
		n := atOnce(t,
			func() error { _, err := r.tryUpdate(t, nest, "inside", inner); return err },
			func() error { _, err := r.tryUpdate(t, outer, "site", sites[1]); return err })
		if inner = r.read(t, inner); n != 2 || inner.Link("site").ID != sites[1].ID() {
			t.Errorf("round %d: %d succeeded, and it is in site %d, want %d", round, n, inner.Link("site").ID, sites[1].ID())
		}
	}
}

// TestJoins: the leader of a new stack becomes a member of it. Its rank is 1 unless it has one. From then on it must be a member.
func TestJoins(t *testing.T) {
	r := newRig(t)
	plain, ranked, other := r.gear(t), r.gear(t, "rank", 7), r.gear(t)
	made := r.create(t, "trial.stack", in("name", "a", "leader", plain), in("name", "b", "leader", ranked), in("name", "c"))
	for i, want := range []int64{1, 7} {
		if v := r.read(t, []record.Values{plain, ranked}[i]); v.Link("stack").ID != made[i].ID() || v.Int("rank") != want || v.Version != 2 {
			t.Errorf("leader %d: stack %d, rank %d, version %d", i, v.Link("stack").ID, v.Int("rank"), v.Version)
		}
	}
	_, err := r.tryUpdate(t, made[2], "leader", other)
	refused(t, "a leader that is not a member", err, "leader", "must be in the stack")
	r.update(t, other, "stack", made[2], "rank", 1)
	r.update(t, made[2], "leader", other)
	_, err = r.tryUpdate(t, other, "stack", nil)
	refused(t, "a leader that leaves", err, "stack", "must be in the stack")
	if err := r.delete(t, made[2]); err != nil {
		t.Errorf("the stack and its leader's membership go together: %v", err)
	}
	if v := r.read(t, other); v.Get("stack") != nil || v.Get("rank") != nil {
		t.Errorf("left: stack %v, rank %v", v.Get("stack"), v.Get("rank"))
	}
	if err := r.delete(t, plain); fault.KindOf(err) != fault.Held {
		t.Errorf("a leader is deleted: %v", err)
	}
}

// TestDeleteBreaksNoSame: a record is not deleted while others would have to break a rule without it. The answer names what holds it.
// Records that are deleted with it do not count.
func TestDeleteBreaksNoSame(t *testing.T) {
	r := newRig(t)
	stack := r.create(t, "trial.stack", in("name", "a"))[0]
	one, two := r.gear(t, "stack", stack, "rank", 1), r.gear(t, "stack", stack, "rank", 2)
	trunk := r.create(t, "trial.jack", in("gear", one, "name", "trunk", "is_trunk", true))[0]
	jack := r.create(t, "trial.jack", in("gear", two, "name", "j", "trunk", trunk))[0]
	_, err := r.tryUpdate(t, two, "stack", nil)
	refused(t, "a member that leaves", err, "stack", "trunk")
	err = r.delete(t, stack)
	if fault.KindOf(err) != fault.Held || !contains(err, "Unable to delete object", "The jack ", "trunk", "same gear") {
		t.Errorf("a stack with a trunk over two members: %v", err)
	}
	err = r.Delete(t.Context(), r.root, one.Type(), []ledger.Edit{{ID: one.ID()}, {ID: two.ID()}})
	if err != nil {
		t.Errorf("both members are deleted: %v", err)
	}
	if err := r.delete(t, stack); err != nil {
		t.Error(err)
	}
	if n := r.number(t, "SELECT count(*) FROM trial_jack WHERE id = $1", jack.ID()); n != 0 {
		t.Error("a jack outlives its gear")
	}
}
