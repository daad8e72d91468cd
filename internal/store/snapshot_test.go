package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// TestSnapshotIsOneMoment: a snapshot does not have what was committed after it began, neither in its position nor in its records,
// and it may take longer than a statement.
func TestSnapshotIsOneMoment(t *testing.T) {
	t.Parallel()
	s, reg, db := storetest.Open(t, nil)
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	tag := func(name, slug string) {
		t.Helper()
		exec(fmt.Sprintf("INSERT INTO extras_tag (name, slug, version, color, description, created, last_updated) "+
			"VALUES ('%s', '%s', 1, '', '', now(), now())", name, slug))
	}
	tag("Lisbon", "lisbon")
	tag("Porto", "porto")
	exec("UPDATE extras_sequencer SET newest = 7")
	names := []string{}
	err := s.Snapshot(t.Context(), reg.Type("extras.tag"), access.Machine(), func(position int64) error {
		if position != 7 {
			t.Errorf("the position is %d, want 7", position)
		}
		exec("UPDATE extras_tag SET name = 'Lisboa', version = 2 WHERE slug = 'lisbon'")
		exec("DELETE FROM extras_tag WHERE slug = 'porto'")
		tag("Faro", "faro")
		exec("UPDATE extras_sequencer SET newest = 8")
		return nil
	}, func(v record.Values) error {
		names = append(names, v.Text("name"))
		return nil
	})
	if err != nil || len(names) != 2 || names[0] != "Lisbon" || names[1] != "Porto" {
		t.Errorf("it has %q (%v), want Lisbon and Porto", names, err)
	}
}

// TestSnapshotsTakeTurns: a caller has one snapshot at a time, and all callers together two. Who finds none free waits as long as
// their request may take. Lists go on meanwhile.
func TestSnapshotsTakeTurns(t *testing.T) {
	t.Parallel()
	s, reg, _ := storetest.Open(t, nil)
	sites := reg.Type("dcim.site")
	scopeOf := func(user int64) access.Scope {
		scope, err := (&access.Policy{}).Scope(&access.Subject{UserID: user, Superuser: true}, sites, access.View)
		if err != nil {
			t.Fatal(err)
		}
		return scope
	}
	none := func(record.Values) error { return nil }
	read := func(user int64, inside func()) error {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		return s.Snapshot(ctx, sites, scopeOf(user), func(int64) error {
			inside()
			return nil
		}, none)
	}
	refused := func(user int64) {
		t.Helper()
		var e *fault.Error
		if err := read(user, func() { t.Errorf("user %d has a turn", user) }); !errors.As(err, &e) || e.Kind != fault.Busy || e.RetryAfter == 0 {
			t.Errorf("user %d: %v, want busy", user, err)
		}
	}
	err := read(1, func() {
		refused(1)
		if err := read(2, func() {
			refused(3)
			if _, err := s.List(t.Context(), sites, store.Query{Scope: scopeOf(3), Limit: 1}); err != nil {
				t.Errorf("a list meanwhile: %v", err)
			}
		}); err != nil {
			t.Errorf("a second caller: %v", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
	if err := read(1, func() {}); err != nil {
		t.Errorf("after the others: %v", err)
	}
}
