// Package ledger owns the access to records: every read and every change passes here.
//
// A change set is written in one transaction: the records, their versions, their rows in the change log, and a delivery
// with its job for every webhook that matches. Permission is checked before the write, and again on the written records
// inside the transaction. Validation collects every error of every item before it refuses anything. The ledger knows
// what a record is only from its record.Type.
package ledger

import (
	"context"
	"errors"
	"iter"
	"net/netip"
	"time"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Ledger reads and changes records on behalf of callers.
type Ledger struct {
	Store   *store.Store
	Policy  *access.Policy
	Sealer  Sealer
	Printer *record.Printer
	Now     func() time.Time
	// Refuse returns why no change may be written now, or nil. If it is nil itself, changes may always be written.
	Refuse func() error
	// LooseFilters makes lists ignore an unknown filter instead of refusing it.
	LooseFilters bool
	// EnforceGlobalUnique keeps two records from having the same place in the Space of their type, for those that are within no record.
	EnforceGlobalUnique bool
	// Dependants limits what one request may change besides the records that it names; 0 means DefaultDependants.
	Dependants Dependants
	// Audit is where events of the audit log go besides the database; nil for nowhere.
	Audit *audit.Log
	// Rules are checks that need more than a declaration can express, by the type's name.
	Rules map[string]func(before, after record.Values) fault.Fields
	// Details fill in the DetailOnly fields of one record, which are kept elsewhere, by the type's name.
	Details map[string]func(ctx context.Context, c Caller, v record.Values) error

	conditions conditions
	bound      map[string]Bound
}

// Sealer turns secrets into the form in which they are stored.
type Sealer interface {
	// Refuse returns the reason why a secret is not good enough, "" if it is.
	Refuse(secret record.Secrecy, plain record.Plain) string
	// NewKey returns a new key for a token.
	NewKey() record.Plain
	// Seal returns the stored form of a secret, and the part of a token's key that may be shown. The row is the place that an
	// encrypted secret is bound to.
	Seal(ctx context.Context, secret record.Secrecy, row string, plain record.Plain) (sealed record.Sealed, hint string, err error)
	// Digests returns the stored forms that the key of a token may have.
	Digests(key record.Plain) []record.Sealed
	// Open decrypts an encrypted secret.
	Open(row string, sealed record.Sealed) (record.Plain, error)
	// Stale reports whether an encrypted secret was sealed with a key that is being retired.
	Stale(sealed record.Sealed) bool
}

// Caller is the user of a request, the request's id, and where it came from: no address for commands on the server.
type Caller struct {
	*access.Subject
	RequestID string
	From      netip.Addr
	Way       string // page, API or command line
	Machine   bool   // Terrier itself, which alone writes read-only types
}

// Input is a decoded JSON object.
type Input = map[string]any

// List returns a page of the records that the caller may see.
func (l *Ledger) List(ctx context.Context, c Caller, t *record.Type, q store.Query) (store.Page, error) {
	if err := CheckSearch(q.Search); err != nil {
		return store.Page{}, err
	}
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return store.Page{}, err
	}
	q.Scope = scope
	page, err := l.Store.List(ctx, t, q)
	if err != nil {
		return store.Page{}, err
	}
	return page, l.Reveal(ctx, c, t, page.Rows)
}

// Pages reads a whole list, page by page. In the order of the ids, a change that is made meanwhile neither hides a record nor shows
// one twice.
func (l *Ledger) Pages(ctx context.Context, c Caller, t *record.Type, q store.Query) iter.Seq2[store.Page, error] {
	return func(yield func(store.Page, error) bool) {
		q.Limit, q.Offset, q.Cursor = maxLimit, 0, ""
		for {
			page, err := l.List(ctx, c, t, q)
			if !yield(page, err) || err != nil || page.Next == "" {
				return
			}
			q.Cursor = page.Next // with the count
		}
	}
}

// Show returns one record as a view shows it, with the fields that other records make up.
func (l *Ledger) Show(ctx context.Context, c Caller, t *record.Type, id int64, view record.View) (record.Values, error) {
	if len(view.With) > 0 {
		return l.asked(ctx, c, t, id, view)
	}
	v, err := l.Get(ctx, c, t, id)
	if err != nil {
		return v, err
	}
	return v, l.Store.Merge(ctx, v, view)
}

// asked returns one record with fields that are read only on request.
func (l *Ledger) asked(ctx context.Context, c Caller, t *record.Type, id int64, view record.View) (record.Values, error) {
	page, err := l.List(ctx, c, t, store.Query{Where: []record.Predicate{{Values: []any{id}}}, Limit: 1, View: view, Count: store.CountNone})
	switch {
	case err != nil:
		return record.Values{}, err
	case len(page.Rows) == 0:
		return record.Values{}, fault.ErrNotFound
	}
	return page.Rows[0], nil
}

// Get returns one record, without the fields that other records make up.
func (l *Ledger) Get(ctx context.Context, c Caller, t *record.Type, id int64) (record.Values, error) {
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return record.Values{}, err
	}
	rows := make([]record.Values, 1)
	if rows[0], err = l.Store.Get(ctx, t, scope, id); err != nil {
		return record.Values{}, err
	}
	if err := l.Reveal(ctx, c, t, rows); err != nil {
		return record.Values{}, err
	}
	if add := l.Details[t.Key()]; add != nil {
		err = add(ctx, c, rows[0])
	}
	return rows[0], err
}

// Allow returns an error if the caller may not do something with any record of a type.
func (l *Ledger) Allow(c Caller, t *record.Type, action string) error {
	if action == access.View {
		_, err := l.Policy.Scope(c.Subject, t, action)
		return err
	}
	_, err := l.WriteScope(c, t, action)
	return err
}

// CustomFields returns the custom fields of a type, or of any of several.
func (l *Ledger) CustomFields(ctx context.Context, types ...*record.Type) ([]*record.Custom, error) {
	return l.Store.CustomFields(ctx, types...)
}

// WriteScope returns the records that the caller may change, add or delete. A read-only token has none.
func (l *Ledger) WriteScope(c Caller, t *record.Type, action string) (access.Scope, error) {
	scope, err := l.Policy.Scope(c.Subject, t, action)
	if err != nil {
		return scope, err
	}
	if c.Machine {
		return scope, nil
	}
	if t.ReadOnly || c.ReadOnly {
		return access.Scope{}, fault.ErrDenied
	}
	return scope, nil
}

// Timestamp returns the current time with the precision of the database.
func (l *Ledger) Timestamp() time.Time { return l.Now().UTC().Truncate(time.Microsecond) }

// inTime returns an error if the request has run out of time or its client has disconnected.
func inTime(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Slow, "This request took too long and nothing of it was done: send it in parts.")
	}
	return ctx.Err()
}
