package webhookadmin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// written is a test's change row.
type written struct{ action, object, user, request, data, pre, post string }

func (b *bundle) written(t *testing.T, delivery record.Values) (w written) {
	t.Helper()
	err := b.db.QueryRow(t.Context(), `SELECT c.action, c.object_type || ' ' || c.object_id || ' v' || c.version, c.user_name,
		c.request_id::text, c.data, coalesce(c.prechange, ''), coalesce(c.postchange, '')
		FROM extras_delivery d JOIN extras_objectchange c ON c.id = d.change_id AND c.changed_at = d.changed_at WHERE d.id = $1`, delivery.ID()).
		Scan(&w.action, &w.object, &w.user, &w.request, &w.data, &w.pre, &w.post)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTestSend(t *testing.T) {
	b := newBundle(t)
	hook := b.listener(t, ledger.Input{"type_create": false, "conditions": json.RawMessage(`{"attr": "name", "value": "never"}`)})
	tester := b.root
	tester.Subject = &access.Subject{UserID: 1, Username: "tester", Superuser: true}
	tester.RequestID = uuid.NewString()
	send := func(s webhookadmin.Sample) written {
		t.Helper()
		d, err := b.test(t, tester, hook, s)
		if err != nil {
			t.Fatal(err)
		}
		if d.Text("state") != store.Queued || d.Link("webhook").ID != hook || !strings.HasPrefix(d.Text("object_type"), "test.") {
			t.Errorf("the delivery of a test: %s to %d, about %s", d.Text("state"), d.Link("webhook").ID, d.Text("object_type"))
		}
		b.sound(t)
		w := b.written(t, d)
		if w.user != "tester" || w.request != tester.RequestID {
			t.Errorf("a test by %s in request %s", w.user, w.request)
		}
		return w
	}
	if w := send(webhookadmin.Sample{}); w.object != "test.site 0 v1" || w.action != "create" ||
		w.data != `{"id":0,"url":"http://terrier.test/api/dcim/sites/0/","display":"Sample","name":"Sample"}` || w.pre != "" {
		t.Errorf("without anything to show: %+v", w)
	}

	region := b.create(t, "dcim.region", named(1))[0]
	b.sites(t, 1, 1)
	newest := b.sites(t, 2, 1)[0]
	// Tests don't count as the newest change, and a change of another type is not used.
	for range 2 {
		if w := send(webhookadmin.Sample{}); w.object != "test.site 2 v1" || w.action != "create" || !strings.Contains(w.data, `"n2"`) ||
			!strings.Contains(w.post, `"n2"`) {
			t.Errorf("the newest change of its type: %+v", w)
		}
	}
	if w := send(webhookadmin.Sample{Type: region.Type(), Record: region.ID()}); w.object != "test.region 1 v1" || w.action != "update" {
		t.Errorf("a record of a type that is none of its own: %+v", w)
	}
	if w := send(webhookadmin.Sample{Change: b.number(t,
		"SELECT id FROM extras_objectchange WHERE object_type = 'dcim.site' AND object_id = 1")}); w.object != "test.site 1 v1" {
		t.Errorf("a past change: %+v", w)
	}

	// The test changed no record, and a replay does not send it.
	if v, err := b.Get(t.Context(), b.root, newest.Type(), newest.ID()); err != nil || v.Version != 1 {
		t.Errorf("the record of a sample: version %d, %v", v.Version, err)
	}
	changes := b.reg.Type(store.ChangeType)
	page, err := b.List(t.Context(), b.root, changes,
		store.Query{Where: b.where(t, "changed_object_type", "dcim.site", "changed_object_id", "2"), Limit: 10})
	if err != nil || page.Count != 1 {
		t.Errorf("the change log of a record has %d rows, %v", page.Count, err)
	}
	b.replay(t, b.listener(t, nil), webhookadmin.ReplayCount{Changes: 2, Matching: 2, New: 2})
	test := b.number(t, "SELECT min(id) FROM extras_objectchange WHERE object_type = 'test.site'")
	if _, err := b.test(t, tester, hook, webhookadmin.Sample{Change: test}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a test of a test: %v", err)
	}
	// The whole change log contains tests too, and they belong to no record.
	page, err = b.List(t.Context(), b.root, changes, store.Query{Where: b.where(t, "changed_object_type", "test.site"), Limit: 10})
	if err != nil || len(page.Rows) != 4 {
		t.Fatalf("the whole log: %v, %v", page.Rows, err)
	}
	for _, v := range page.Rows {
		if shown := string(b.Printer.Append(nil, v, changes.Plan(record.View{}))); !strings.Contains(shown, `"changed_object":null`) ||
			strings.Contains(shown, "secret name") {
			t.Errorf("a test in the log: %s", shown)
		}
	}
}

func TestTestSendIsRefused(t *testing.T) {
	b := newBundle(t)
	hook, disabled := b.listener(t, nil), b.listener(t, ledger.Input{"enabled": false})
	paused := b.listener(t, nil)
	if _, err := act[record.Values](t.Context(), b, b.root, "pause", paused, nil); err != nil {
		t.Fatal(err)
	}
	someone := func(actions ...string) ledger.Caller {
		return ledger.Caller{RequestID: uuid.NewString(),
			Subject: &access.Subject{UserID: 2, Grants: []access.Grant{{Types: []string{"extras.webhook"}, Actions: actions}}}}
	}
	secret := b.sites(t, 1, 1)[0]
	for _, row := range []struct {
		name   string
		caller ledger.Caller
		hook   int64
		sample webhookadmin.Sample
		kind   fault.Kind
		says   string
	}{
		{"disabled", b.root, disabled, webhookadmin.Sample{}, fault.Invalid, "enable it first"},
		{"paused", b.root, paused, webhookadmin.Sample{}, fault.Invalid, "resume it first"},
		{"no such webhook", b.root, 99, webhookadmin.Sample{}, fault.NotFound, ""},
		{"no such change", b.root, hook, webhookadmin.Sample{Change: 99}, fault.Invalid, "change: There is no change with the id 99"},
		{"a viewer", someone("view"), hook, webhookadmin.Sample{}, fault.Denied, ""},
		{"a record that they may not see", someone("change"), hook, webhookadmin.Sample{Type: secret.Type(), Record: secret.ID()},
			fault.Invalid, "object_id: There is no dcim.site with the id 1 that you may see"},
	} {
		_, err := b.test(t, row.caller, row.hook, row.sample)
		if err == nil || fault.KindOf(err) != row.kind || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if n := b.number(t, "SELECT count(*) FROM extras_objectchange WHERE object_type LIKE 'test.%'"); n != 0 {
		t.Errorf("%d tests were written", n)
	}
	// A caller who may change a webhook but sees no changes sends the made-up record.
	d, err := b.test(t, someone("change"), hook, webhookadmin.Sample{})
	if err != nil {
		t.Fatal(err)
	}
	if w := b.written(t, d); w.object != "test.site 0 v1" || strings.Contains(w.data, "n1") {
		t.Errorf("a test by somebody who sees no changes: %+v", w)
	}
}
