package webhookadmin_test

import (
	"errors"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestRotate follows a secret through its fields, and checks that it does not appear anywhere else.
func TestRotate(t *testing.T) {
	b := newPreviewBundle(t)
	hook := b.create(t, "extras.webhook", hookInput(nil))[0]
	holds := func(secret, previous record.Plain) {
		t.Helper()
		v, err := b.Store.Webhook(t.Context(), hook.ID())
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]record.Plain{"secret": secret, "previous_secret": previous} {
			var got record.Plain
			if sealed := v.Get(name).(record.Sealed); sealed != "" {
				if got, err = b.Sealer.Open(v.Type().Field(name).(record.Sealing).Secrecy().Place(v.Type(), v.ID()), sealed); err != nil {
					t.Errorf("%s does not open: %v", name, err)
				}
			}
			if got != want {
				t.Errorf("%s is %q, want %q", name, string(got), string(want))
			}
		}
	}
	for _, step := range []struct{ secret, previous record.Plain }{{"canary-1", ""}, {"canary-2", "canary-1"}, {"canary-3", "canary-2"}} {
		v, err := b.rotate(t, b.root, hook.ID(), step.secret)
		if err != nil {
			t.Fatal(err)
		}
		if hook.Version++; v.Version != hook.Version {
			t.Errorf("version %d, want %d", v.Version, hook.Version)
		}
		holds(step.secret, step.previous)
	}
	var log string
	if err := b.db.QueryRow(t.Context(), "SELECT string_agg(c::text, ' ') FROM extras_objectchange c").Scan(&log); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log, "canary") || strings.Count(log, "extras.webhook") < 4 {
		t.Errorf("the change log: %s", log)
	}

	readOnly := user([3]string{"extras.webhook", "change"})
	readOnly.ReadOnly = true
	for name, row := range map[string]struct {
		caller ledger.Caller
		id     int64
		secret record.Plain
		want   error
	}{
		"may only see":            {user([3]string{"extras.webhook", "view"}), hook.ID(), "x", fault.ErrDenied},
		"outside the constraints": {user([3]string{"extras.webhook", "change", `{"name":"x"}`}), hook.ID(), "x", fault.ErrNotFound},
		"read-only token":         {readOnly, hook.ID(), "x", fault.ErrDenied},
		"not there":               {b.root, 999, "x", fault.ErrNotFound},
	} {
		if _, err := b.rotate(t, row.caller, row.id, row.secret); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
	for _, secret := range []record.Plain{"", "canary-3", record.Plain(strings.Repeat("x", 1001))} {
		if _, err := b.rotate(t, b.root, hook.ID(), secret); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "canary") {
			t.Errorf("%d characters: %v", len(secret), err)
		}
	}
	holds("canary-3", "canary-2")

	if _, err := act[record.Values](t.Context(), b, b.root, "rotate/end", hook.ID(), nil); err != nil {
		t.Fatal(err)
	}
	holds("canary-3", "")
}
