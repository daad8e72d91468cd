package ledger_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// stuck returns the input for a sticker on a record.
func stuck(name string, on record.Values) ledger.Input {
	return ledger.Input{"name": name, "stuck_on_type": on.Type().Key(), "stuck_on_id": fmt.Sprint(on.ID())}
}

// TestAnyRefPageIsOneStatement: a page of records that refer to records of several types takes no more statements than any other page.
func TestAnyRefPageIsOneStatement(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	item := b.create(t, "trial.item", ledger.Input{"name": "box", "shelf": fmt.Sprint(shelf.ID())})[0]
	site, region := b.create(t, "dcim.site", named(1))[0], b.create(t, "dcim.region", named(2))[0]
	var inputs []ledger.Input
	for n := range 100 {
		in := stuck(fmt.Sprint("s", n), []record.Values{shelf, item}[n%2])
		if scope := []record.Values{site, region, shelf}[n%3]; n%4 > 0 {
			in["scope_type"], in["scope_id"] = scope.Type().Key(), fmt.Sprint(scope.ID())
		}
		inputs = append(inputs, in)
	}
	for _, size := range []int{1, 100} {
		// BEGIN, ids, custom fields; one statement for each type referred to; insert, read back, webhooks; change rows, counts, COMMIT
		types := map[string]bool{}
		for _, in := range inputs[:size] {
			types[in["stuck_on_type"].(string)] = true
			if key, ok := in["scope_type"].(string); ok {
				types[key] = true
			}
		}
		n := b.count(func() { b.create(t, "trial.sticker", inputs[:size]...) })
		if want := int64(9 + len(types)); n != want {
			t.Errorf("creating %d took %d statements, want %d", size, n, want)
		}
		var page store.Page
		n = b.count(func() {
			var err error
			if page, err = b.List(t.Context(), b.root, b.reg.Type("trial.sticker"), store.Query{Limit: size}); err != nil {
				t.Fatal(err)
			}
		})
		if n != 2 || len(page.Rows) != size {
			t.Errorf("a page of %d took %d statements, want 2", len(page.Rows), n)
		}
		for _, v := range page.Rows {
			if on := v.Link("stuck_on"); on.Of == nil || on.Of.DisplayLink(on) == "" {
				t.Fatalf("%s is stuck on %v", v.Display(), on)
			}
		}
		b.exec(t, "DELETE FROM trial_sticker")
	}
}

// TestAnyRefTargetCanNotVanish deletes records while others begin to refer to them: no reference is left to a record
// that does not exist.
func TestAnyRefTargetCanNotVanish(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	keep := b.create(t, "trial.shelf", ledger.Input{"name": "keep"})[0]
	old := b.create(t, "trial.sticker", stuck("old", keep))[0]
	for round := range 10 {
		shelf := b.create(t, "trial.shelf", ledger.Input{"name": fmt.Sprint("shelf ", round)})[0]
		var done sync.WaitGroup
		try := func(do func() error) {
			done.Go(func() {
				if err := do(); err != nil && fault.KindOf(err) != fault.Invalid {
					t.Error(err)
				}
			})
		}
		try(func() error {
			_, err := b.Create(t.Context(), b.root, b.reg.Type("trial.sticker"), []ledger.Input{stuck(fmt.Sprint("new ", round), shelf)})
			return err
		})
		try(func() error {
			_, err := b.Update(t.Context(), b.root, b.reg.Type("trial.sticker"), []ledger.Edit{{ID: old.ID(),
				Input: ledger.Input{"scope_type": "trial.shelf", "scope_id": fmt.Sprint(shelf.ID())}}})
			return err
		})
		try(func() error {
			return b.Delete(t.Context(), b.root, b.reg.Type("trial.shelf"), []ledger.Edit{{ID: shelf.ID()}})
		})
		done.Wait()
	}
	lost := b.number(t, `SELECT count(*) FROM trial_sticker s WHERE NOT EXISTS (SELECT FROM trial_shelf WHERE id = s.stuck_on_id)
		OR scope_type = 'trial.shelf' AND NOT EXISTS (SELECT FROM trial_shelf WHERE id = s.scope_id)`)
	if lost != 0 {
		t.Errorf("%d stickers refer to a shelf that does not exist", lost)
	}
}

// TestAnyRefWaitsForDelete: a write that refers to a record which is being deleted waits for the deletion, and is then refused.
func TestAnyRefWaitsForDelete(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	other, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), "DELETE FROM trial_shelf"); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		_, err := b.Create(t.Context(), b.root, b.reg.Type("trial.sticker"), []ledger.Input{stuck("late", shelf)})
		refused <- err
	}()
	b.waitForWaiter(t)
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-refused; fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "stuck_on_id") {
		t.Errorf("a sticker on a shelf that is gone: %v", err)
	}
}

// TestAnyRefOnDelete deletes records that others refer to. As each reference declares, the others are deleted too, their reference is
// emptied, or the delete is refused. Records of another type with the same id stay untouched.
func TestAnyRefOnDelete(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	shelf, other := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0], b.create(t, "trial.shelf", ledger.Input{"name": "lower"})[0]
	b.exec(t, "SELECT setval('dcim_site_id_seq', $1, false), setval('tenancy_tenant_id_seq', $1, false)", shelf.ID())
	site, tenant := b.create(t, "dcim.site", named(1))[0], b.create(t, "tenancy.tenant", named(1))[0]
	if site.ID() != shelf.ID() || tenant.ID() != shelf.ID() {
		t.Fatal("the ids must be the same")
	}
	refer := func(in ledger.Input, typ, id string, to record.Values) ledger.Input {
		in[typ], in[id] = to.Type().Key(), fmt.Sprint(to.ID())
		return in
	}
	made := b.create(t, "trial.sticker",
		stuck("on the shelf", shelf),
		refer(stuck("for the shelf", other), "scope_type", "scope_id", shelf),
		refer(stuck("for the site", other), "scope_type", "scope_id", site),
		refer(stuck("of the tenant", other), "content_type", "object_id", tenant))
	find := func(v record.Values) record.Values {
		t.Helper()
		found, err := b.Get(t.Context(), b.root, b.reg.Type("trial.sticker"), v.ID())
		if err != nil {
			return record.Values{}
		}
		return found
	}
	remove := func(v record.Values) error {
		return b.Delete(t.Context(), b.root, v.Type(), []ledger.Edit{{ID: v.ID()}})
	}
	if err := remove(tenant); fault.KindOf(err) != fault.Held || !strings.Contains(err.Error(), "of the tenant") {
		t.Errorf("deleting what is protected: %v", err)
	}
	if err := remove(shelf); err != nil {
		t.Fatal(err)
	}
	if find(made[0]).Type() != nil {
		t.Error("the sticker on the deleted shelf is still there")
	}
	if v := find(made[1]); v.Get("scope_type") != nil || v.Get("scope_id") != nil || v.Get("scope") != nil || v.Version != 2 {
		t.Errorf("the scope of the deleted shelf is %v %v, version %d", v.Get("scope_type"), v.Get("scope_id"), v.Version)
	}
	for _, v := range made[2:] {
		if found := find(v); found.Version != 1 || !found.Equal(v) {
			t.Errorf("%s changed although nothing was done to what it refers to", v.Display())
		}
	}
	var pre, post string
	err := b.db.QueryRow(t.Context(),
		"SELECT prechange, postchange FROM extras_objectchange WHERE object_type = 'trial.sticker' AND action = 'update'").Scan(&pre, &post)
	if err != nil || !strings.Contains(pre, `"scope_type":"trial.shelf","scope_id":`) ||
		!strings.Contains(post, `"scope_type":null,"scope_id":null`) {
		t.Errorf("the log says %s and %s (%v)", pre, post, err)
	}
	if related, err := b.Related(t.Context(), b.root, tenant); err != nil || !counts(related, "trial.sticker", 1) {
		t.Errorf("%v refer to the tenant (%v)", related, err)
	}
	if err := remove(made[3]); err != nil {
		t.Fatal(err)
	}
	if err := remove(tenant); err != nil {
		t.Errorf("nothing refers to the tenant any more: %v", err)
	}
}

func counts(related []ledger.Related, key string, n int64) bool {
	for _, r := range related {
		if r.Type.Key() == key && r.Count == n {
			return true
		}
	}
	return false
}

// TestAnyRefUnseen finds the records that a caller may not see among references to several types.
func TestAnyRefUnseen(t *testing.T) {
	b := newBundle(t, trial.Types()...)
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	sticker := b.create(t, "trial.sticker", stuck("one", shelf))[0]
	unseen, err := b.Unseen(t.Context(), ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "nobody"}}, sticker)
	if err != nil || !unseen[b.reg.Type("trial.shelf")][shelf.ID()] {
		t.Errorf("unseen is %v (%v)", unseen, err)
	}
}
