package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// filters returns saved filters to create, numbered from a number on.
func filters(from, n int) (inputs []ledger.Input) {
	for i := from; i < from+n; i++ {
		inputs = append(inputs, ledger.Input{"name": fmt.Sprint("f", i), "slug": fmt.Sprint("f", i), "content_types": []any{"dcim.site"},
			"parameters": map[string]any{"status": []any{"active"}}})
	}
	return inputs
}

// TestWhatEverybodyMayWriteIsSmall: without a permission for the type, a request holds at most 100 records, and a larger one is refused
// without a statement.
func TestWhatEverybodyMayWriteIsSmall(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	anna := b.create(t, "users.user", ledger.Input{"username": "anna", "password": "correct horse battery staple 8"})[0].ID()
	c := ledger.Caller{Subject: &access.Subject{UserID: anna, Username: "anna", ManageToken: true}, RequestID: b.root.RequestID}
	for _, row := range []struct {
		key    string
		inputs []ledger.Input
	}{{"users.token", make([]ledger.Input, 101)}, {"extras.savedfilter", filters(0, 101)}} {
		var err error
		if n := b.count(func() { _, err = b.Create(t.Context(), c, b.reg.Type(row.key), row.inputs) }); n > 0 {
			t.Errorf("%s: %d statements", row.key, n)
		}
		if fault.KindOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "at most 100") {
			t.Errorf("101 of %s: %v", row.key, err)
		}
	}
	if _, err := b.Create(t.Context(), c, b.reg.Type("extras.savedfilter"), filters(0, 100)); err != nil {
		t.Errorf("100 saved filters: %v", err)
	}
	c.Grants = []access.Grant{{Types: []string{"extras.savedfilter"}, Actions: []string{access.Add}}}
	if _, err := b.Create(t.Context(), c, b.reg.Type("extras.savedfilter"), filters(100, 101)); err != nil {
		t.Errorf("101 saved filters with a permission: %v", err)
	}
}

// TestTooManyOwnRecordsAreRefusedFirst: one statement is enough to refuse records of which the caller would have too many.
func TestTooManyOwnRecordsAreRefusedFirst(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	boss := b.create(t, "users.user", ledger.Input{"username": "boss", "password": "correct horse battery staple 8"})[0].ID()
	c := ledger.Caller{Subject: &access.Subject{UserID: boss, Username: "boss", Superuser: true}, RequestID: b.root.RequestID}
	tokens := b.reg.Type("users.token")
	if _, err := b.Create(t.Context(), c, tokens, make([]ledger.Input, 998)); err != nil {
		t.Fatal(err)
	}
	var err error
	if n := b.count(func() { _, err = b.Create(t.Context(), c, tokens, make([]ledger.Input, 3)) }); n != 1 {
		t.Errorf("%d statements", n)
	}
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("three more than fit: %v", err)
	}
	if _, err := b.Create(t.Context(), c, tokens, make([]ledger.Input, 2)); err != nil {
		t.Errorf("two more: %v", err)
	}
}

// TestLargeChangeSetsAreCharged: one of more than 100 records, or with a long text, waits for memory, without a connection. Smaller
// ones don't wait.
func TestLargeChangeSetsAreCharged(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var releases []func()
	for user := range int64(2) {
		release, err := b.Store.Charge(t.Context(), access.Asker{User: 100 + user}, 56<<20)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	tags := func(from, n int) (inputs []ledger.Input) {
		for i := range n {
			inputs = append(inputs, ledger.Input{"name": fmt.Sprint("t", from+i), "slug": fmt.Sprint("t", from+i)})
		}
		return inputs
	}
	large := make(chan error)
	go func() {
		_, err := b.Create(t.Context(), b.root, b.reg.Type("extras.tag"), tags(0, 101))
		large <- err
	}()
	long := make(chan error)
	go func() {
		var sites []ledger.Input
		for _, name := range []string{"a", "b", "c"} {
			sites = append(sites, ledger.Input{"name": name, "slug": name, "comments": strings.Repeat("x", 60<<10)})
		}
		_, err := b.Create(t.Context(), b.root, b.reg.Type("dcim.site"), sites)
		long <- err
	}()
	b.awaitBudget("drafts", 2)
	b.create(t, "extras.tag", tags(200, 100)...)
	if n := b.Store.Pool().Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are in use", n)
	}
	for _, release := range releases {
		release()
	}
	for _, ended := range []chan error{large, long} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
