package ledger_test

import (
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// TestUnknownChoiceMayStay holds that a choice which the program does not know, or no longer, blocks no other change, can be
// written back and replaced, and is never chosen again.
func TestUnknownChoiceMayStay(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	if _, err := b.db.Exec(t.Context(), "UPDATE dcim_site SET status = 'dreamt'"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		in   ledger.Input
		want string // of the status, "" where it is refused
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

// TestTrialOfUnknownTypes holds that a webhook is tried over the changes of the types that there are, also where it names others
// and the log has changes of them.
func TestTrialOfUnknownTypes(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.create(t, "dcim.site", named(1), named(2))
	hook := b.create(t, "extras.webhook", ledger.Input{"name": "h", "content_types": []any{"dcim.site"}, "type_create": true, "payload_url": "https://r.example/"})[0]
	for _, statement := range []string{"UPDATE extras_objectchange SET object_type = 'dcim.gone' WHERE object_id = 1", "UPDATE extras_webhook SET content_types = '{dcim.gone,dcim.site}'"} {
		if _, err := b.db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	trial, err := b.Trial(t.Context(), b.root, hook.ID(), ledger.Input{}, 10)
	if err != nil || trial.Of != 1 || trial.Fired != 1 {
		t.Errorf("the trial: %+v, %v", trial, err)
	}
	change := b.number(t, "SELECT min(id) FROM extras_objectchange WHERE object_type = 'dcim.gone'")
	if _, err := b.Preview(t.Context(), b.root, hook.ID(), ledger.Input{}, ledger.Sample{Change: change}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "dcim.gone") {
		t.Errorf("a preview of a change to a type that is gone: %v", err)
	}
}
