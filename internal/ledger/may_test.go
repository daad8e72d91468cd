package ledger_test

import (
	"testing"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestMay: May gives the same answer as the write itself, and asks the database only where it must.
func TestMay(t *testing.T) {
	b := newBundle(t)
	site := b.create(t, "dcim.site", named(1))[0]
	people := b.create(t, "users.user", ledger.Input{"username": "chief", "password": "correct horse battery staple 7", "is_superuser": true},
		ledger.Input{"username": "anna", "password": "correct horse battery staple 8"})
	changes, err := b.List(t.Context(), b.root, b.reg.Type("extras.objectchange"), store.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	readOnly := func(c ledger.Caller) ledger.Caller {
		s := *c.Subject
		s.ReadOnly = true
		c.Subject = &s
		return c
	}
	everybody := user([3]string{"users.user", "change"}, [3]string{"users.user", "delete"})
	for _, row := range []struct {
		name       string
		caller     ledger.Caller
		v          record.Values
		action     string
		may        bool
		statements int64
	}{
		{"superuser", b.root, site, "change", true, 0},
		{"superuser with a read-only token", readOnly(b.root), site, "change", false, 0},
		{"nobody", ledger.Caller{Subject: &access.Subject{}}, site, "change", false, 0},
		{"no grant", user(), site, "delete", false, 0},
		{"another action", user([3]string{"dcim.site", "change"}), site, "delete", false, 0},
		{"grant of all", user([3]string{"dcim.site", "delete"}), site, "delete", true, 0},
		{"grant of none", user([3]string{"dcim.site", "delete", "[]"}), site, "delete", false, 0},
		{"read-only token", readOnly(user([3]string{"dcim.site", "change"})), site, "change", false, 0},
		{"inside the constraints", user([3]string{"dcim.site", "change", `{"name":"n1"}`}), site, "change", true, 1},
		{"outside the constraints", user([3]string{"dcim.site", "change", `{"name":"n2"}`}), site, "change", false, 1},
		{"a superuser, by another", b.root, people[0], "delete", true, 0},
		{"a superuser, by others", everybody, people[0], "delete", false, 0},
		{"a user, by others", everybody, people[1], "change", true, 0},
		{"the log, by a superuser", b.root, changes.Rows[0], "delete", false, 0},
	} {
		var may bool
		var err error
		n := b.count(func() { may, err = b.May(t.Context(), row.caller, row.v, row.action) })
		if may != row.may || n != row.statements || err != nil {
			t.Errorf("%s: %v with %d statements, want %v with %d (%v)", row.name, may, n, row.may, row.statements, err)
		}
	}
}
