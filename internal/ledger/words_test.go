package ledger_test

import (
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// TestUnknownChoiceMayStay: a stored choice that the program does not know does not block other changes. It can be written back and
// replaced, but not chosen again.
func TestUnknownChoiceMayStay(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	if _, err := b.db.Exec(t.Context(), "UPDATE dcim_site SET status = 'dreamt'"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		in   ledger.Input
		want string // the status; "" where the change is refused
	}{
		{ledger.Input{"description": "d"}, "dreamt"},
		{ledger.Input{"status": "dreamt"}, "dreamt"},
		{ledger.Input{"status": "actvie"}, ""},
		{ledger.Input{"status": "planned"}, "planned"},
		{ledger.Input{"status": "dreamt"}, ""},
	} {
		rows, err := b.Update(t.Context(), b.root, site.Type(), []ledger.Edit{{ID: site.ID(), Input: step.in}})
		switch {
		case step.want == "":
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v: %v", step.in, err)
			}
		case err != nil || rows[0].Text("status") != step.want:
			t.Errorf("%v: %v, %v", step.in, rows, err)
		}
	}
}
