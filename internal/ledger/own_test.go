package ledger_test

import (
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// TestSetOwnPassword: everybody may change their own password and no other, but not with a read-only token.
func TestSetOwnPassword(t *testing.T) {
	b := newBundle(t)
	people := b.create(t, "users.user", ledger.Input{"username": "chief", "password": "correct horse battery staple 7", "is_superuser": true},
		ledger.Input{"username": "anna", "password": "correct horse battery staple 8"})
	chief, anna := people[0].ID(), people[1].ID()
	const better = "a much better password"
	for _, row := range []struct {
		name     string
		subject  access.Subject
		password string
		kind     fault.Kind
	}{
		{"nobody", access.Subject{}, better, fault.Denied},
		{"the command line", access.Subject{Superuser: true}, better, fault.Denied},
		{"a read-only token", access.Subject{UserID: anna, ReadOnly: true}, better, fault.Denied},
		{"too short", access.Subject{UserID: anna}, "short", fault.Invalid},
		{"somebody deleted", access.Subject{UserID: anna + 100}, better, fault.NotFound},
		{"pretending to be no superuser", access.Subject{UserID: chief}, better, fault.Denied},
	} {
		s := row.subject
		if _, err := b.SetOwnPassword(t.Context(), ledger.Caller{Subject: &s}, row.password); fault.KindOf(err) != row.kind || err == nil {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	for id, s := range map[int64]access.Subject{anna: {UserID: anna, Username: "anna"},
		chief: {UserID: chief, Username: "chief", Superuser: true}} {
		c := ledger.Caller{Subject: &s, RequestID: "5d7cbc9f-f2b7-4d7d-a3b6-7a4b6d2d4f10"}
		before, err := b.Self(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		epoch, err := b.SetOwnPassword(t.Context(), c, better)
		if err != nil {
			t.Fatal(err)
		}
		after, err := b.Self(t.Context(), c)
		if err != nil || after.ID() != id || after.Int("epoch") != epoch || epoch != before.Int("epoch")+1 ||
			after.Get("password") == before.Get("password") || len(s.Grants) != 0 {
			t.Errorf("%s: epoch %d after %d (%v)", s.Username, epoch, before.Int("epoch"), err)
		}
	}
	if _, err := b.Self(t.Context(), ledger.Caller{Subject: &access.Subject{}}); fault.KindOf(err) != fault.Denied {
		t.Errorf("nobody has an account: %v", err)
	}
}
