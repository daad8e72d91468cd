package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"terrier/internal/access"
	"terrier/internal/limit"
	"terrier/internal/record"
)

// ListPool is the pool of lists.
func ListPool(s *Store) *pgxpool.Pool { return s.lists }

// DecodeNumbers reads a row of JSON.
func DecodeNumbers(b []byte) (any, error) { return decodeNumbers[any](b) }

// MigrateTo applies or reverses migrations until the one of this number is the last.
func MigrateTo(ctx context.Context, pool *pgxpool.Pool, number int64) error {
	db := stdlib.OpenDB(*pool.Config().ConnConfig)
	provider, err := newProvider(db)
	if err == nil {
		_, err = provider.DownTo(ctx, number)
	}
	if err == nil {
		_, err = provider.UpTo(ctx, number)
	}
	return errors.Join(err, db.Close())
}

// MostOutlined is how many records a list in the order of a tree may have.
const MostOutlined = mostOutlined

// EndedNewest is how many deliveries a look without a time reads.
const EndedNewest = endedNewest

// NumberChanges gives positions to changes.
var NumberChanges = numberChanges

// LoadDueStatement and its arguments.
const LoadDueStatement = loadDue

// LoadDueRanges are the second and third argument.
var LoadDueRanges = moments

// TallyChangesStatement takes a limit.
var TallyChangesStatement = tallyChanges

// WaitsStatement finds all queued deliveries.
func WaitsStatement() string { return waitsSQL(&where{}) }

// RescueStatement takes the worker and its last sign.
const RescueStatement = rescue

// ExplainList returns the inner part of a page's statement in the type's own order, after a cursor, with literals
// instead of parameters.
func ExplainList(t *record.Type) string {
	order, err := orderOf(t, Query{})
	if err != nil {
		panic(err)
	}
	literals := map[record.Storage]string{record.StoreText: "'x'", record.StoreInt: "1", record.StoreTime: "now()",
		record.StoreAddress: "'192.0.2.7'", record.StoreNetwork: "'192.0.2.0/24'", record.StoreNumbers: "'{1}'"}
	w := &where{}
	values := make([]any, len(order))
	for i := range order {
		values[i] = 1
	}
	cond := w.after(order, values, false)
	for i := len(order); i > 0; i-- {
		cond = replaceParam(cond, i, literals[order[i-1].storage])
	}
	return fmt.Sprintf("SELECT t.* FROM %s t WHERE %s ORDER BY %s LIMIT 50", quote(t.Table()), cond, orderBy(order, false))
}

func replaceParam(s string, n int, with string) string {
	return strings.ReplaceAll(s, fmt.Sprintf("$%d", n), with)
}

// ListStatement is the text of the statements of a page, the count and the rows.
func ListStatement(s *Store, t *record.Type, q Query) (string, error) {
	l, err := s.listing(t, q, hits{})
	return l.count.sql + ";" + l.page.sql, err
}

// Translate is what callers get for an error before a commit.
func Translate(s *Store, err error) error { return s.translate(err) }

// TranslateCommit is what callers get for an error of a commit.
func TranslateCommit(s *Store, err error) error { return s.ended(err) }

// ForTranslation is a store without a database.
func ForTranslation(reg *record.Registry) *Store { return &Store{reg: reg} }

// SendList sends statements as those of a list.
func SendList(ctx context.Context, s *Store, scope access.Scope, batch *pgx.Batch) error {
	return s.translate(s.list(ctx, scope, batch))
}

// WaitingLists is how many lists wait for a connection.
func WaitingLists(s *Store) int { return s.reads.Waiting() }

// WaitingAllocations is how many change sets wait for a lock within a record, WaitingWrites how many for a connection.
func WaitingAllocations(s *Store) int { return s.locks.state().Waiting }

func WaitingWrites(s *Store) int { return s.writes.Waiting() }

// WritesInUse is how many of the connections for writes are in use.
func WritesInUse(s *Store) int64 { return s.writes.InUse() }

// LocksKept is how many locks within records are remembered.
func LocksKept(s *Store) int {
	s.locks.mu.Lock()
	defer s.locks.mu.Unlock()
	return len(s.locks.all)
}

// RecordPool are the connections for single records.
func RecordPool(s *Store) *pgxpool.Pool { return s.records }

// ListBudget is how so many connections for lists are shared.
func ListBudget(connections int32) limit.Budget { return listBudget(connections) }

// CanUseIndex reports whether a search for a text uses the index of a type.
func (s *Store) CanUseIndex(t *record.Type, text string) bool { return s.canUseIndex(t, text) }

// HitsStatement is the statement that looks a search up in the index.
func (s *Store) HitsStatement(t *record.Type, q Query) (sql string, args []any) {
	x := s.hitsStatement(t, q)
	return x.sql, x.args
}

// ContainedStatement is the statement that looks up the parts of texts of a filter.
func ContainedStatement(s *Store, t *record.Type, q Query, values []any) (sql string, args []any) {
	x := s.containedStatement(t, q, values)
	return x.sql, x.args
}

// UsesIndexFor reports whether filters are looked up in the index of a type.
func UsesIndexFor(s *Store, t *record.Type, tests []record.Predicate) bool {
	return s.containedIn(t, tests) != nil
}

// LookUp is what a list looks up before it reads a page; ok is false if that are too many, or nothing is looked up.
func LookUp(ctx context.Context, s *Store, t *record.Type, q Query) (ids []int64, ok bool) {
	_, h, err := s.looked(ctx, t, q)
	return h.ids, err == nil && h.few()
}

// LooksUp reports whether parts of texts are looked up in the index of a type.
func LooksUp(s *Store, t *record.Type) bool { return s.plans[t].noLookupsUntil.Load() == 0 }

// SpellingStatement is the statement that looks up a word in the texts of a type.
func (s *Store) SpellingStatement(in SearchedType, word string) (sql string, args []any) {
	x := s.spellingStatement(in, word)
	return x.sql, x.args
}

// PageOfMany is the statement of a page of a search that finds many.
func (s *Store) PageOfMany(t *record.Type, q Query) (sql string, args []any) {
	l, err := s.listing(t, q, hits{looked: true, many: true})
	if err != nil {
		panic(err)
	}
	return l.page.sql, l.page.args
}

// Prepared is a statement with its arguments.
type Prepared struct {
	SQL  string
	Args []any
}

// ListStatements are the statements of a page, by what they read.
func ListStatements(s *Store, t *record.Type, q Query) map[string]Prepared {
	l, err := s.listing(t, q, hits{})
	if err != nil {
		panic(err)
	}
	return map[string]Prepared{"count": {l.count.sql, l.count.args}, "page": {l.page.sql, l.page.args}}
}

// UpkeepLocks are the advisory locks of the upkeep.
var UpkeepLocks = []int64{UpkeepLock, RetentionLock, SearchLock}

// SettledEvents is the statement that looks for events that are to enter the chain.
var SettledEvents = settledEvents

// SucceedNamed succeeds at something that has a name.
func SucceedNamed(t *record.Type) (err error) {
	defer named(&err, "list %s", t)
	return nil
}
