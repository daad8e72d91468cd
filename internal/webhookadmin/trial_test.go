package webhookadmin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/webhookadmin"
)

// TestTrial checks which changes a webhook would have been notified of, and the reasons for the others.
func TestTrial(t *testing.T) {
	b := newPreviewBundle(t)
	hook := b.create(t, "extras.webhook", hookInput(ledger.Input{"enabled": false}))[0].ID()
	b.create(t, "dcim.region", named(1))
	site := b.create(t, "dcim.site", named(1))[0].ID()
	b.create(t, "dcim.site", named(2))
	sites := b.reg.Type("dcim.site")
	if _, err := b.Update(t.Context(), b.root, sites, []ledger.Edit{{ID: site, Input: ledger.Input{"status": "planned"}}}); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(t.Context(), b.root, sites, []ledger.Edit{{ID: site}}); err != nil {
		t.Fatal(err)
	}
	limited := user([3]string{"extras.webhook", "change"},
		[3]string{"extras.objectchange", "view", fmt.Sprintf(`{"changed_object_id":%d,"action":"create"}`, site)})
	const created, deleted = "The webhook is not notified when a record is created: type_create is not selected.",
		"The webhook is not notified when a record is deleted: type_delete is not selected."
	type line struct {
		action        string
		fires, broken bool
		reason        string
	}
	for _, row := range []struct {
		name   string
		caller ledger.Caller
		id     int64
		in     ledger.Input
		n      int
		want   []line
	}{
		{"as saved", b.root, hook, nil, 100, []line{{"delete", true, false, ""}, {"update", true, false, ""}, {"create", true, false, ""},
			{"create", true, false, ""}}},
		{"the last", b.root, hook, nil, 2, []line{{"delete", true, false, ""}, {"update", true, false, ""}}},
		{"events", b.root, hook, ledger.Input{"type_create": false, "type_delete": false}, 100,
			[]line{{"delete", false, false, deleted}, {"update", true, false, ""}, {"create", false, false, created},
				{"create", false, false, created}}},
		{"conditions", b.root, hook, ledger.Input{"conditions": ledger.Input{"attr": "name", "value": "n2"}}, 100, []line{
			{"delete", false, false, `name is "n1", not "n2"`}, {"update", false, false, `name is "n1", not "n2"`},
			{"create", true, false, ""}, {"create", false, false, `name is "n1", not "n2"`}}},
		{"conditions that break", b.root, hook, ledger.Input{"type_delete": false, "type_create": false,
			"conditions": ledger.Input{"attr": "name", "op": "gt", "value": 5}}, 100, []line{
			{"delete", false, false, deleted}, {"update", false, true, `name is "n1", and gt can't compare it with 5`},
			{"create", false, false, created}, {"create", false, false, created}}},
		{"unsaved, of another type", b.root, 0, hookInput(ledger.Input{"name": "new", "content_types": []any{"dcim.region"}}), 100,
			[]line{{"create", true, false, ""}}},
		{"what one may see", limited, hook, nil, 100, []line{{"create", true, false, ""}}},
	} {
		var got webhookadmin.Trial
		var err error
		dbtest.Untouched(t, b.db, func() {
			got, err = b.Trial(t.Context(), row.caller, row.id, webhookadmin.TrialInput{Webhook: row.in, Changes: row.n})
		})
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		fired := 0
		for i, l := range got.Lines {
			if l.Fires {
				fired++
			}
			if shown := (line{l.Change.Text("action"), l.Fires, l.Broken, l.Reason}); i >= len(row.want) || shown != row.want[i] {
				t.Errorf("%s: line %d is %+v", row.name, i, shown)
			}
		}
		if got.Fired != fired || got.Of != len(row.want) || len(got.Lines) != len(row.want) {
			t.Errorf("%s: %d of %d, %d lines", row.name, got.Fired, got.Of, len(got.Lines))
		}
	}
	for _, row := range []struct {
		name   string
		caller ledger.Caller
		in     ledger.Input
		want   error
	}{
		{"no sight of the log", user([3]string{"extras.webhook", "change"}), nil, fault.ErrDenied},
		{"no permission", user([3]string{"extras.objectchange", "view"}), nil, fault.ErrDenied},
	} {
		if _, err := b.Trial(t.Context(), row.caller, hook, webhookadmin.TrialInput{Webhook: row.in, Changes: 10}); !errors.Is(err, row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if _, err := b.Trial(t.Context(), b.root, hook, webhookadmin.TrialInput{Webhook: ledger.Input{"conditions": ledger.Input{"attr": "name"}},
		Changes: 10}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("conditions that can't be read: %v", err)
	}
}

// TestTrialReadsOnce: the changes are read with the same number of statements however many there are, and never more than MaxTrial.
func TestTrialReadsOnce(t *testing.T) {
	b := newPreviewBundle(t)
	hook := b.create(t, "extras.webhook", hookInput(ledger.Input{"enabled": false}))[0].ID()
	inputs := make([]ledger.Input, webhookadmin.MaxTrial+1)
	for i := range inputs {
		inputs[i] = named(i)
	}
	b.create(t, "dcim.site", inputs...)
	var counts []int64
	for _, n := range []int{1, 2 * webhookadmin.MaxTrial} {
		counts = append(counts, b.statements.During(func() {
			got, err := b.Trial(t.Context(), b.root, hook, webhookadmin.TrialInput{Webhook: nil, Changes: n})
			if want := min(n, webhookadmin.MaxTrial); err != nil || got.Of != want || got.Fired != want {
				t.Errorf("%d: %d of %d (%v)", n, got.Fired, got.Of, err)
			}
		}))
	}
	if counts[0] != counts[1] {
		t.Errorf("%d statements for one change, %d for many", counts[0], counts[1])
	}
}

// TestTrialOfUnknownTypes checks that a webhook is tried on changes of the known types, even if it also names unknown types and the log
// has changes of them.
func TestTrialOfUnknownTypes(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.create(t, "dcim.site", named(1), named(2))
	hook := b.create(t, "extras.webhook", ledger.Input{"name": "h", "content_types": []any{"dcim.site"}, "type_create": true,
		"payload_url": "https://r.example/"})[0]
	for _, statement := range []string{"UPDATE extras_objectchange SET object_type = 'dcim.gone' WHERE object_id = 1",
		"UPDATE extras_webhook SET content_types = '{dcim.gone,dcim.site}'"} {
		if _, err := b.db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	trial, err := b.Trial(t.Context(), b.root, hook.ID(), webhookadmin.TrialInput{Webhook: ledger.Input{}, Changes: 10})
	if err != nil || trial.Of != 1 || trial.Fired != 1 {
		t.Errorf("the trial: %+v, %v", trial, err)
	}
	change := b.number(t, "SELECT min(id) FROM extras_objectchange WHERE object_type = 'dcim.gone'")
	if _, err := b.Preview(t.Context(), b.root, hook.ID(),
		webhookadmin.PreviewInput{Webhook: ledger.Input{},
			Sample: webhookadmin.Sample{Change: change}}); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "dcim.gone") {
		t.Errorf("a preview of a change to a type that is gone: %v", err)
	}
}
