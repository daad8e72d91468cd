package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// Lock is how rows are locked while a change set is written.
type Lock string

const (
	NoLock    Lock = ""
	LockKeep  Lock = " FOR KEY SHARE OF t"     // it must not be deleted while we refer to it
	LockWrite Lock = " FOR NO KEY UPDATE OF t" // we change it
	LockErase Lock = " FOR UPDATE OF t"        // we delete it: waits for everyone who refers to it
)

// Get reads one record.
func (s *Store) Get(ctx context.Context, t *record.Type, scope access.Scope, id int64) (_ record.Values, err error) {
	defer named(&err, "get %s", t)
	sql, args := s.getStatement(t, scope, id)
	found, err := s.read(ctx, t, sql, args)
	if errors.Is(err, errSlow) && ctx.Err() == nil { // it counts very many others, and may take as long as a list
		found, err = s.readBy(ctx, t, sql, args, func(batch *pgx.Batch) error { return s.list(ctx, scope, batch) })
	}
	if err != nil {
		return record.Values{}, err
	}
	if len(found) == 0 {
		return record.Values{}, fault.ErrNotFound
	}
	return found[0], nil
}

// Within returns those of the given records that are in a scope.
func (s *Store) Within(ctx context.Context, t *record.Type, scope access.Scope, ids []int64) (found []int64, err error) {
	defer named(&err, "look for %s by id", t)
	w := &where{}
	w.scope(scope, t)
	w.and("t.id = ANY(" + w.arg(ids) + ")")
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue("SELECT t.id FROM "+quote(t.Table())+" t"+w.String(), w.args...).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	return found, s.translate(s.records.SendBatch(ctx, batch).Close())
}

func (s *Store) getStatement(t *record.Type, scope access.Scope, id int64) (string, []any) {
	return s.oneStatement(&s.plans[t].selection, scope, id)
}

// oneStatement reads what is selected of one record.
func (s *Store) oneStatement(read *selection, scope access.Scope, id int64) (string, []any) {
	w := &where{args: []any{id}}
	w.and("t.id = $1")
	w.scope(scope, read.t)
	return fmt.Sprintf("SELECT %s FROM %s t%s%s", read.list(w, scope), s.plans[read.t].table, read.joins, w), w.args
}

func (s *Store) find(ctx context.Context, t *record.Type, scope access.Scope, tests []record.Predicate,
	limit int) ([]record.Values, error) {
	sql, args := s.findStatement(t, scope, tests, limit)
	return s.read(ctx, t, sql, args)
}

// read runs a statement whose select list is the type's.
func (s *Store) read(ctx context.Context, t *record.Type, sql string, args []any) ([]record.Values, error) {
	return s.readBy(ctx, t, sql, args, func(batch *pgx.Batch) error { return s.records.SendBatch(ctx, batch).Close() })
}

// readBy is read with the connections that send uses.
func (s *Store) readBy(ctx context.Context, t *record.Type, sql string, args []any, send func(*pgx.Batch) error) (found []record.Values,
	err error) {
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		found, err = s.plans[t].scan(rows)
		return err
	})
	return found, s.translate(send(batch))
}

func (s *Store) findStatement(t *record.Type, scope access.Scope, tests []record.Predicate, limit int) (string, []any) {
	w := &where{}
	w.scope(scope, t)
	for _, p := range tests {
		w.and(w.predicate(p, t, "t"))
	}
	p := s.plans[t]
	columns := p.list(w, scope)
	if t.ReadOnly || len(tests) == 1 && tests[0].Field == nil {
		sql := fmt.Sprintf("SELECT %s FROM %s t%s%s ORDER BY t.id LIMIT %s", columns, p.table, p.joins, w, w.arg(limit))
		return sql, w.args
	}
	// The ids are found apart: the planner could not keep one plan for the joins, whatever the values. With a dozen joins, planning takes
	// longer than reading. They are sorted in a way that keeps it from walking all ids in their order.
	sql := fmt.Sprintf("SELECT %s FROM %s t%s WHERE t.id = ANY(ARRAY(SELECT t.id FROM %s t%s ORDER BY t.id + 0 LIMIT %s)) ORDER BY t.id",
		columns, p.table, p.joins, p.table, w, w.arg(limit))
	return sql, w.args
}

// Find reads at most limit records that pass every test, in the order of their ids. Where
// they are to be locked, that happens in a statement before: one that waits for a lock
// sees the row as it is then, but everything around it as it was when it began to wait.
func (tx *Tx) Find(t *record.Type, scope access.Scope, tests []record.Predicate, limit int, lock Lock) *Promise[[]record.Values] {
	if lock != NoLock {
		tx.Lock(t, tests, limit, lock)
	}
	sql, args := tx.s.findStatement(t, scope, tests, limit)
	return tx.read(t, sql, args)
}

// FindIDs reads the ids of at most limit records that pass every test, in their order. They are not locked. As in Find, id + 0 keeps
// PostgreSQL from walking the primary key until enough of them pass.
func (tx *Tx) FindIDs(t *record.Type, tests []record.Predicate, limit int) *Promise[[]int64] {
	w := &where{}
	for _, p := range tests {
		w.and(w.predicate(p, t, "t"))
	}
	sql := fmt.Sprintf("SELECT t.id FROM %s t%s ORDER BY t.id + 0 LIMIT %s", quote(t.Table()), w, w.arg(limit))
	return promise(tx, sql, w.args, func(rows pgx.Rows) ([]int64, error) { return pgx.CollectRows(rows, pgx.RowTo[int64]) })
}

// mostFound is how many records FindAll reads.
const mostFound = 10_000

// FindAll reads all records of a query, in the order of their ids. If there are more than mostFound, or more than MaxPiece
// bytes of what the view shows, it fails, and the transaction with it.
func (tx *Tx) FindAll(ctx context.Context, t *record.Type, q Query) (_ []record.Values, err error) {
	defer named(&err, "find %s", t)
	q.Order, q.Limit = []string{"id"}, mostFound
	l, err := tx.s.listing(t, q, hits{})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := promise(tx, l.page.sql, l.page.args, func(rows pgx.Rows) ([]record.Values, error) {
		found, full, err := l.read.scanUpTo(rows, MaxPiece)
		if full {
			stop() // and the connection with it: the rest may be gigabytes
		}
		if full || len(found) > mostFound {
			return nil, fault.New(fault.Invalid, "This needs more than %d %s, or more than %d MiB of them, which is too much at once. "+
				"Ask about fewer of them, or read the list %s page by page.", mostFound, t.Plural, MaxPiece>>20, t.Path())
		}
		return found, err
	})
	if err := tx.Flush(ctx); err != nil {
		return nil, err
	}
	return all.Get(), nil
}

// read queues a statement whose select list is the type's.
func (tx *Tx) read(t *record.Type, sql string, args []any) *Promise[[]record.Values] {
	return promise(tx, sql, args, tx.s.plans[t].scan)
}

// Lock locks records in the order of their ids, as every change set does, so that two of them don't wait for each
// other.
func (tx *Tx) Lock(t *record.Type, tests []record.Predicate, limit int, lock Lock) {
	w := &where{}
	for _, p := range tests {
		w.and(w.predicate(p, t, "t"))
	}
	if tx.rehearsal {
		lock += " NOWAIT"
	}
	order := "t.id"
	if len(tests) != 1 || tests[0].Field != nil {
		order += " + 0" // the planner must not walk all ids in their order
	}
	times := ""
	if t.Logged() {
		times = lastUpdated
	}
	sql := fmt.Sprintf("SELECT %s FROM %s t%s ORDER BY %s LIMIT %s%s", times, quote(t.Table()), w, order, w.arg(limit), lock)
	tx.batch.Queue(sql, w.args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if times == "" {
				continue
			}
			if err := tx.noteUpdated(rows.RawValues()[0]); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// lastUpdated is the column with the time of the last change of a row.
const lastUpdated = "t.last_updated"

// Newest returns when the rows that the transaction has locked were last changed: the newest time of all.
func (tx *Tx) Newest() time.Time { return tx.newest }

// noteUpdated takes the last_updated of a row that was locked.
func (tx *Tx) noteUpdated(raw []byte) error {
	at, err := readTime(raw)
	if t, ok := at.(time.Time); ok && t.After(tx.newest) {
		tx.newest = t
	}
	return err
}

// LockRecord locks one record.
func (tx *Tx) LockRecord(t *record.Type, id int64, lock Lock) {
	tx.Lock(t, []record.Predicate{{Values: record.AnyOf([]int64{id})}}, 1, lock)
}

// Load reads the records with these ids.
func (tx *Tx) Load(t *record.Type, scope access.Scope, ids []int64, lock Lock) *Promise[[]record.Values] {
	if len(ids) != 1 {
		return tx.Find(t, scope, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids), lock)
	}
	if lock != NoLock {
		tx.LockRecord(t, ids[0], lock)
	}
	return tx.LoadView(t, scope, ids[0], record.View{})
}

// LoadView reads what a view shows of one record.
func (tx *Tx) LoadView(t *record.Type, scope access.Scope, id int64, view record.View) *Promise[[]record.Values] {
	read := tx.s.plans[t].selectionOf(view, nil)
	sql, args := tx.s.oneStatement(&read, scope, id)
	return promise(tx, sql, args, read.scan)
}

// Inside counts how many of the records lie in a scope.
func (tx *Tx) Inside(t *record.Type, scope access.Scope, ids []int64) *Promise[int] {
	if scope.All() {
		return Answered(len(ids))
	}
	w := &where{}
	w.scope(scope, t)
	w.and("t.id = ANY(" + w.arg(ids) + ")")
	return promise(tx, "SELECT count(*) FROM "+quote(t.Table())+" t"+w.String(), w.args, one[int])
}

// Owned counts the records of each owner that have not expired.
func (tx *Tx) Owned(t *record.Type, owners []int64, now time.Time) *Promise[map[int64]int] {
	sql, args := ownedStatement(t, owners, now)
	return promise(tx, sql, args, scanOwned)
}

// OwnedBy counts the records of one owner that have not expired.
func (s *Store) OwnedBy(ctx context.Context, t *record.Type, owner int64, now time.Time) (_ int, err error) {
	defer named(&err, "count the %s of user %d", t, owner)
	sql, args := ownedStatement(t, []int64{owner}, now)
	rows, err := s.records.Query(ctx, sql, args...)
	if err != nil {
		return 0, s.translate(err)
	}
	owned, err := scanOwned(rows)
	return owned[owner], s.translate(err)
}

func ownedStatement(t *record.Type, owners []int64, now time.Time) (sql string, args []any) {
	owner, args, unexpired := quote(t.Field(t.Owner).Column().Name), []any{owners}, ""
	if t.Expiry != "" {
		args = append(args, now)
		unexpired = fmt.Sprintf(" AND (%[1]s IS NULL OR %[1]s > $2)", quote(t.Field(t.Expiry).Column().Name))
	}
	return fmt.Sprintf("SELECT %[2]s, count(*) FROM %[1]s WHERE %[2]s = ANY($1)%[3]s GROUP BY 1", quote(t.Table()), owner, unexpired), args
}

func scanOwned(rows pgx.Rows) (map[int64]int, error) {
	owned := map[int64]int{}
	var id int64
	var n int
	_, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		owned[id] = n
		return nil
	})
	return owned, err
}

// CustomFieldType is the type whose records define custom fields.
const CustomFieldType = "extras.customfield"

// No type has more custom fields than this; a form with more would be unusable.
const maxCustomFields = 1000

// definitions are the tests that find the custom fields of a type, or of any of several.
func (s *Store) definitions(types ...*record.Type) (*record.Type, []record.Predicate) {
	def := s.reg.Type(CustomFieldType)
	keys := make([]any, len(types))
	for i, t := range types {
		keys[i] = t.Key()
	}
	return def, []record.Predicate{{Field: def.Field("content_types"), Values: keys}}
}

// CustomFields reads the definitions that apply to a type, or to any of several.
func (s *Store) CustomFields(ctx context.Context, types ...*record.Type) (_ []*record.Custom, err error) {
	defer named(&err, "read custom fields")
	def, tests := s.definitions(types...)
	rows, err := s.find(ctx, def, access.Machine(), tests, maxCustomFields*len(types))
	if err != nil {
		return nil, err
	}
	return s.customs(rows), nil
}

// CustomFields reads the definitions that apply to a type.
func (tx *Tx) CustomFields(t *record.Type) *Promise[[]*record.Custom] {
	def, tests := tx.s.definitions(t)
	sql, args := tx.s.findStatement(def, access.Machine(), tests, maxCustomFields)
	return promise(tx, sql, args, func(rows pgx.Rows) ([]*record.Custom, error) {
		found, err := tx.s.plans[def].scan(rows)
		if err != nil {
			return nil, err
		}
		return tx.s.customs(found), nil
	})
}

// customs returns definitions, each version compiled once with its regular expression.
func (s *Store) customs(rows []record.Values) []*record.Custom {
	defs := make([]*record.Custom, len(rows))
	for i, v := range rows {
		defs[i] = s.defined.of(v)
	}
	return defs
}

// defined caches the definitions of custom fields by version and by the time of the last change: a version that was
// rolled back is used again.
type defined struct {
	mu   sync.Mutex
	byID map[int64]definition
}

type definition struct {
	version int64
	updated any
	custom  *record.Custom
}

func (d *defined) of(v record.Values) *record.Custom {
	d.mu.Lock()
	defer d.mu.Unlock()
	updated := v.Get("last_updated")
	if known, ok := d.byID[v.ID()]; ok && known.version == v.Version && known.updated == updated {
		return known.custom
	}
	if d.byID == nil || len(d.byID) > 10*maxCustomFields { // ids of fields that are gone
		d.byID = map[int64]definition{}
	}
	custom := record.CustomDefinition(v)
	d.byID[v.ID()] = definition{v.Version, updated, custom}
	return custom
}
