package webhookadmin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/internal/account"
	"terrier/internal/dbtest"
	"terrier/internal/delivery"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
	"terrier/internal/webhookadmin"
)

// change returns the id of the newest change to sites.
func (b *bundle) change(t *testing.T) (id int64) {
	t.Helper()
	if err := b.db.QueryRow(t.Context(), "SELECT max(id) FROM extras_objectchange WHERE object_type = 'dcim.site'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestPreviewIsWhatIsSent compares the previews of webhooks, saved and not yet saved, with what a worker sends.
func TestPreviewIsWhatIsSent(t *testing.T) {
	b := newPreviewBundle(t)
	keys := b.Sealer.(*account.Sealer).Keys
	inputs := []ledger.Input{
		hookInput(ledger.Input{"name": "plain"}),
		hookInput(ledger.Input{"name": "signed", "secret": "whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2lnbmluZyBrZXk=", "previous_secret": "s0",
			"standard_headers": true}),
		hookInput(ledger.Input{"name": "templates", "http_method": "PUT", "http_content_type": "text/plain",
			"body_template":      "{{ event }} {{ data.name }}: {{ snapshots.prechange.status }}",
			"additional_headers": "Authorization: Bearer abc\nX-Model: {{ model }}", "secret": "s2"}),
		hookInput(ledger.Input{"name": "broken", "body_template": "first\n{{ 1 / 0 }}"}),
	}
	hooks := b.create(t, "extras.webhook", inputs...)
	sites := b.reg.Type("dcim.site")
	site := b.create(t, "dcim.site", named(1))[0]
	for _, step := range []func() error{
		func() error { return nil },
		func() error {
			_, err := b.Update(t.Context(), b.root, sites, []ledger.Edit{{ID: site.ID(), Input: ledger.Input{"status": "planned"}}})
			return err
		},
		func() error { return b.Delete(t.Context(), b.root, sites, []ledger.Edit{{ID: site.ID()}}) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		change := b.change(t)
		for i, hook := range hooks {
			var id int64
			if err := b.db.QueryRow(t.Context(), "SELECT id FROM extras_delivery WHERE change_id = $1 AND webhook_id = $2", change,
				hook.ID()).Scan(&id); err != nil {
				t.Fatal(err)
			}
			due, err := b.Store.LoadDue(t.Context(), []int64{id})
			if err != nil || len(due) != 1 {
				t.Fatalf("%d deliveries (%v)", len(due), err)
			}
			saved, err := b.Store.Webhook(t.Context(), hook.ID())
			if err != nil {
				t.Fatal(err)
			}
			sent, problem := delivery.Preview(saved, keys, due[0], b.Now())
			if problem == "" && sent.Header.Get("X-Hook-Signature") == webhook.MadeWhenSent {
				t.Errorf("%s: the worker does not sign", inputs[i]["name"])
			}
			sent = sent.Unsigned()
			var got, unsaved webhookadmin.Preview
			dbtest.Untouched(t, b.db, func() {
				if got, err = b.Preview(t.Context(), b.root, hook.ID(),
					webhookadmin.PreviewInput{Webhook: nil, Sample: webhookadmin.Sample{Change: change}}); err != nil {
					t.Fatal(err)
				}
				in := maps.Clone(inputs[i])
				in["name"] = "unsaved"
				if unsaved, err = b.Preview(t.Context(), b.root, 0,
					webhookadmin.PreviewInput{Webhook: in, Sample: webhookadmin.Sample{Change: change}}); err != nil {
					t.Fatal(err)
				}
			})
			name := fmt.Sprint(inputs[i]["name"], " ", due[0].Kind)
			if diff := different(got.Request, sent); diff != "" || got.Error != problem || got.Body != string(sent.Body) || !got.Fires ||
				got.Event != due[0].Kind {
				t.Errorf("%s: %s, error %q where the worker has %q, fires %v", name, diff, got.Error, problem, got.Fires)
			}
			if delivered := b.reg.Type(store.DeliveryType).FormatID(id); got.Delivery != delivered || problem == "" &&
				got.Request.Header.Get("X-Hook-Delivery") != delivered {
				t.Errorf("%s: delivery %s, want %s", name, got.Delivery, delivered)
			}
			if problem == "" {
				if id := unsaved.Request.Header.Get("X-Hook-Delivery"); id != "00000000-0000-7000-8000-000000000000" || unsaved.Delivery != "" {
					t.Errorf("%s, unsaved: delivery %q and header %q", name, unsaved.Delivery, id)
				}
				for _, header := range []string{"X-Hook-Delivery", "Webhook-Id"} { // these depend on the id
					unsaved.Request.Header[header] = sent.Header[header]
				}
			}
			maps.DeleteFunc(unsaved.Request.Header, func(_ string, values []string) bool { return values == nil })
			if diff := different(unsaved.Request, sent); diff != "" || unsaved.Error != problem {
				t.Errorf("%s, unsaved: %s, error %q where the worker has %q", name, diff, unsaved.Error, problem)
			}
			if i == len(hooks)-1 && !strings.Contains(got.Error, "line 2") {
				t.Errorf("%s: the error does not name its line: %q", name, got.Error)
			}
		}
	}
}

func different(got, want webhook.Request) string {
	switch {
	case got.Method != want.Method || got.URL != want.URL:
		return fmt.Sprintf("%s %s instead of %s %s", got.Method, got.URL, want.Method, want.URL)
	case string(got.Body) != string(want.Body):
		return fmt.Sprintf("body %s instead of %s", got.Body, want.Body)
	case !maps.EqualFunc(got.Header, want.Header, slices.Equal):
		return fmt.Sprintf("headers %v instead of %v", got.Header, want.Header)
	}
	return ""
}

// TestPreviewTakesTheInput: typed values count, and so does whether there are secrets. Nothing is signed. Fields that were not
// typed keep their values.
func TestPreviewTakesTheInput(t *testing.T) {
	b := newPreviewBundle(t)
	saved := hookInput(ledger.Input{"secret": "old", "additional_headers": "X-Key: kept", "body_template": "{{ data.name }}"})
	hook := b.create(t, "extras.webhook", saved)[0]
	b.create(t, "dcim.site", named(1))
	change := b.change(t)
	const unsigned = webhook.MadeWhenSent // a preview cannot be used to sign a body
	for _, row := range []struct {
		name                     string
		in                       ledger.Input
		header                   http.Header
		body                     string
		fires                    bool
		problem, reason, refused string
	}{
		{"nothing", nil, http.Header{"X-Hook-Signature": {unsigned}, "X-Key": {"kept"}}, "n1", true, "", "", ""},
		{"a new secret", ledger.Input{"secret": "new"}, http.Header{"X-Hook-Signature": {unsigned}, "X-Hook-Signature-Previous": nil},
			"n1", true, "", "", ""},
		{"rotation", ledger.Input{"secret": "new", "previous_secret": "old"},
			http.Header{"X-Hook-Signature": {unsigned}, "X-Hook-Signature-Previous": {unsigned}}, "n1", true, "", "", ""},
		{"no secret", ledger.Input{"secret": ""}, http.Header{"X-Hook-Signature": nil}, "n1", true, "", "", ""},
		{"headers", ledger.Input{"additional_headers": "X-Other: {{ data.slug }}"}, http.Header{"X-Other": {"n1"}, "X-Key": nil}, "n1",
			true, "", "", ""},
		{"body", ledger.Input{"body_template": "{{ username }}"}, nil, "root", true, "", "", ""},
		{"body that fails", ledger.Input{"body_template": "a\nb\n{{ 1 / 0 }}"}, nil, "", true, "body_template: line 3: division by zero", "", ""},
		{"body that can't be read", ledger.Input{"body_template": "a\n{{ data."}, nil, "", false, "", "", "body_template: line 2"},
		{"disabled", ledger.Input{"enabled": false}, nil, "n1", false, "", "The webhook is disabled.", ""},
		{"another type", ledger.Input{"content_types": []any{"dcim.region"}}, nil, "n1", false, "",
			"The webhook is not notified of changes to dcim.site: it is not among its content types.", ""},
		{"another event", ledger.Input{"type_create": false}, nil, "n1", false, "",
			"The webhook is not notified when a record is created: type_create is not selected.", ""},
		{"conditions", ledger.Input{"conditions": ledger.Input{"attr": "name", "value": "n2"}}, nil, "n1", false, "",
			`name is "n1", not "n2"`, ""},
		{"conditions that hold", ledger.Input{"conditions": ledger.Input{"attr": "name", "value": "n1"}}, nil, "n1", true, "", "", ""},
		{"no event", ledger.Input{"type_create": false, "type_update": false, "type_delete": false}, nil, "", false, "", "",
			"type_create: Select at least one event"},
		{"no address", ledger.Input{"payload_url": "ftp://x/"}, nil, "", false, "", "", "payload_url: "},
	} {
		got, err := b.Preview(t.Context(), b.root, hook.ID(),
			webhookadmin.PreviewInput{Webhook: row.in, Sample: webhookadmin.Sample{Change: change}})
		if row.refused != "" {
			if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(err.Error(), row.refused) {
				t.Errorf("%s: %v, want %s", row.name, err, row.refused)
			}
			continue
		}
		if err != nil || got.Body != row.body || got.Fires != row.fires || got.Error != row.problem || got.Reason != row.reason {
			t.Errorf("%s: %+v (%v)", row.name, got, err)
		}
		for name, want := range row.header {
			if !slices.Equal(got.Request.Header[name], want) {
				t.Errorf("%s: %s is %q, want %q", row.name, name, got.Request.Header[name], want)
			}
		}
	}
}

// TestPreviewOfARecord: the preview shows a record as if it were updated now.
func TestPreviewOfARecord(t *testing.T) {
	b := newPreviewBundle(t)
	sites := b.reg.Type("dcim.site")
	site := b.create(t, "dcim.site", named(1))[0]
	if _, err := b.Update(t.Context(), b.root, sites, []ledger.Edit{{ID: site.ID(), Input: ledger.Input{"status": "planned"}}}); err != nil {
		t.Fatal(err)
	}
	in := hookInput(ledger.Input{"conditions": ledger.Input{"attr": "status", "op": "changed"}})
	got, err := b.Preview(t.Context(), b.root, 0, webhookadmin.PreviewInput{Webhook: in,
		Sample: webhookadmin.Sample{Type: sites, Record: site.ID()}})
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Event, Username, Timestamp string
		Request                    string `json:"request_id"`
		Data                       json.RawMessage
		Snapshots                  struct{ Prechange, Postchange json.RawMessage }
	}
	if err := json.Unmarshal(got.Request.Body, &body); err != nil {
		t.Fatal(err)
	}
	var data, snapshot string
	if err := b.db.QueryRow(t.Context(), "SELECT data, postchange FROM extras_objectchange WHERE id = $1", b.change(t)).
		Scan(&data, &snapshot); err != nil {
		t.Fatal(err)
	}
	if body.Event != "updated" || body.Username != "root" || body.Request != b.root.RequestID ||
		body.Timestamp != b.Now().UTC().Format(record.TimeLayout) {
		t.Errorf("event %s by %s in %s at %s", body.Event, body.Username, body.Request, body.Timestamp)
	}
	if string(body.Data) != data || string(body.Snapshots.Prechange) != snapshot || string(body.Snapshots.Postchange) != snapshot {
		t.Errorf("data %s\nsnapshots %s\n%s", body.Data, body.Snapshots.Prechange, body.Snapshots.Postchange)
	}
	if got.Request.Header.Get("X-Hook-Sequence") != "2" || got.Fires || got.Reason != `status did not change, it is "planned"` {
		t.Errorf("sequence %s, fires %v: %s", got.Request.Header.Get("X-Hook-Sequence"), got.Fires, got.Reason)
	}
}

// TestPreviewPermissions: a preview needs the permission to save the webhook, and to see the sample.
func TestPreviewPermissions(t *testing.T) {
	b := newPreviewBundle(t)
	sites := b.reg.Type("dcim.site")
	hook := b.create(t, "extras.webhook", hookInput(nil))[0].ID()
	made := b.create(t, "dcim.site", named(1), named(2))
	var changes []int64
	if err := b.db.QueryRow(t.Context(), "SELECT array_agg(id ORDER BY object_id) FROM extras_objectchange WHERE object_type = 'dcim.site'").
		Scan(&changes); err != nil {
		t.Fatal(err)
	}
	add, change := [3]string{"extras.webhook", "add"}, [3]string{"extras.webhook", "change"}
	sees, log := [3]string{"dcim.site", "view", `{"name":"n1"}`},
		[3]string{"extras.objectchange", "view", fmt.Sprintf(`{"changed_object_id":%d}`, made[0].ID())}
	readOnly := user(add, change, sees, log)
	readOnly.ReadOnly = true
	record1, change1 := webhookadmin.Sample{Type: sites, Record: made[0].ID()}, webhookadmin.Sample{Change: changes[0]}
	noSite := func(id int64) error {
		return fault.Field("object_id", "There is no dcim.site with the id %d that you may see.", id)
	}
	noChange := func(id int64) error {
		return fault.Field("change", "There is no change with the id %d that you may see.", id)
	}
	for _, row := range []struct {
		name   string
		caller ledger.Caller
		id     int64
		sample webhookadmin.Sample
		want   error
	}{
		{"new, may add", user(add, sees), 0, record1, nil},
		{"new, may only change", user(change, sees), 0, record1, fault.ErrDenied},
		{"saved, may change", user(change, log), hook, change1, nil},
		{"saved, may only add", user(add, log), hook, change1, fault.ErrDenied},
		{"saved, may only see", user([3]string{"extras.webhook", "view"}, sees), hook, record1, fault.ErrDenied},
		{"saved, outside the constraints", user([3]string{"extras.webhook", "change", `{"name":"x"}`}, sees), hook, record1, fault.ErrNotFound},
		{"read-only token", readOnly, hook, record1, fault.ErrDenied},
		{"not there", b.root, 999, record1, fault.ErrNotFound},
		{"a record outside", user(change, sees), hook, webhookadmin.Sample{Type: sites, Record: made[1].ID()}, noSite(made[1].ID())},
		{"a record of a type one may not see", user(change, log), hook, record1, noSite(made[0].ID())},
		{"a change outside", user(change, log), hook, webhookadmin.Sample{Change: changes[1]}, noChange(changes[1])},
		{"no sight of the log", user(change, sees), hook, change1, noChange(changes[0])},
		{"no such change", b.root, hook, webhookadmin.Sample{Change: 999}, noChange(999)},
	} {
		if _, err := b.Preview(t.Context(), row.caller, row.id,
			webhookadmin.PreviewInput{Webhook: hookInput(ledger.Input{"name": fmt.Sprint("hook ", row.id)}),
				Sample: row.sample}); fmt.Sprint(err) != fmt.Sprint(row.want) {
			t.Errorf("%s: %v, want %v", row.name, err, row.want)
		}
	}
	var ofHook int64
	if err := b.db.QueryRow(t.Context(), "SELECT id FROM extras_objectchange WHERE object_type = 'extras.webhook'").Scan(&ofHook); err != nil {
		t.Fatal(err)
	}
	for field, sample := range map[string]webhookadmin.Sample{"object_id": {}, "change": {Change: ofHook},
		"object_type": {Type: b.reg.Type("extras.webhook"), Record: hook}} {
		_, err := b.Preview(t.Context(), b.root, hook, webhookadmin.PreviewInput{Webhook: nil, Sample: sample})
		if e, ok := errors.AsType[*fault.Error](err); !ok || len(e.Fields[field]) != 1 {
			t.Errorf("%+v: %v", sample, err)
		}
	}
}
