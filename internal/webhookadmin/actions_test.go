package webhookadmin_test

import (
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/webhookadmin"
)

// TestActionsNeedTheRight uses every bound action as callers who may not change the webhook: those who may only see it, those who may
// change another one, and those with a read-only token. All are refused, and nothing is written.
func TestActionsNeedTheRight(t *testing.T) {
	b := newBundle(t)
	hook := b.listener(t, ledger.Input{"secret": "x"})
	b.sites(t, 1, 1)
	b.exec(t, "UPDATE extras_delivery SET state = 'failed', finished_at = now()")
	sent := b.number(t, "SELECT id FROM extras_delivery")
	state := func() string {
		t.Helper()
		var text string
		if err := b.db.QueryRow(t.Context(), `SELECT (SELECT string_agg(w::text, '') FROM extras_webhook w) ||
			(SELECT string_agg(d::text, '') FROM extras_delivery d) || (SELECT count(*) FROM extras_webhook_pause) ||
			(SELECT count(*) FROM extras_objectchange)`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := state()
	sees := [][3]string{{"extras.webhook", "view"}, {"extras.delivery", "view"}, {"extras.objectchange", "view"}}
	readOnly := user(append(sees, [3]string{"extras.webhook", "change"})...)
	readOnly.ReadOnly = true
	for key := range b.Actions() {
		a, id, in := b.reg.Action(key), hook, ledger.Input{}
		elsewhere := fault.NotFound
		if a.Type().Name == "delivery" {
			id, elsewhere = sent, fault.Denied // it is not hidden, but may not be sent
		}
		for _, field := range a.Input().Infos() {
			switch field.Name {
			case "filter":
				in["filter"] = ledger.Input{}
			case "secret":
				in["secret"] = "another"
			}
		}
		for name, c := range map[string]struct {
			caller ledger.Caller
			want   fault.Kind
		}{
			"who may only see it":         {user(sees...), fault.Denied},
			"who may change another":      {user(append(sees, [3]string{"extras.webhook", "change", `{"name": "another"}`})...), elsewhere},
			"who has a read-only token":   {readOnly, fault.Denied},
			"who may change but not see":  {user([3]string{"extras.webhook", "change", `{"name": "another"}`}), elsewhere},
			"who may do nothing whatever": {user(), fault.Denied},
		} {
			got, err := b.Act(t.Context(), c.caller, a, id, in)
			if a.OnList && got == (webhookadmin.Retried{}) && c.want == elsewhere {
				continue // none of the deliveries that the filter finds is to a webhook that they may change
			}
			if err == nil || fault.KindOf(err) != c.want {
				t.Errorf("%s, %s: %v, %v", strings.TrimPrefix(key, "POST "), name, got, err)
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("something was written: %s", after)
	}
}
