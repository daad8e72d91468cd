package feed

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// insertChange writes a change row as the ledger does, of an object and its version. Its time is that of the transaction's beginning.
const insertChange = `
	INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
	VALUES (now(), '', gen_random_uuid(), 'update', 'dcim.site', $1, '', $2, '{}') RETURNING id`

// bundle is a shift of the sequencer on a database of its own.
type bundle struct {
	s    *store.Store
	pool *pgxpool.Pool
	shift
}

func newBundle(t *testing.T) *bundle {
	t.Helper()
	s, _, pool := storetest.Open(t, nil)
	return &bundle{s: s, pool: pool, shift: shift{conn: openNumbering(t, s)}}
}

func openNumbering(t *testing.T, s *store.Store) *store.Numbering {
	t.Helper()
	conn, err := s.OpenNumbering(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// begin starts a transaction that has written a change, and returns the change's id.
func (b *bundle) begin(t *testing.T, object, version int) (pgx.Tx, int64) {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // it may have ended
	var id int64
	if err := tx.QueryRow(t.Context(), insertChange, object, version).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return tx, id
}

func (b *bundle) write(t *testing.T, object, version int) (id int64) {
	t.Helper()
	tx, id := b.begin(t, object, version)
	must(t, tx.Commit(t.Context()))
	return id
}

// looks lets the sequencer look once, as if the last question for writers was long ago.
func (b *bundle) looks(t *testing.T) {
	t.Helper()
	b.asked = b.asked.Add(-settleEvery)
	if _, err := b.look(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// numbered returns the ids of changes in the order of their positions, which must be 1, 2, 3 …
func (b *bundle) numbered(t *testing.T) []int64 {
	t.Helper()
	rows, err := b.pool.Query(t.Context(), "SELECT position, change_id FROM extras_position ORDER BY position")
	must(t, err)
	var ids []int64
	var position, id int64
	_, err = pgx.ForEachRow(rows, []any{&position, &id}, func() error {
		if ids = append(ids, id); position != int64(len(ids)) {
			t.Errorf("position %d is number %d", position, len(ids))
		}
		return nil
	})
	must(t, err)
	return ids
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want []int64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestLateCommit: a change that is committed after others with greater ids is numbered after them, and delays none.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	late, first := b.begin(t, 1, 1)
	second := b.write(t, 2, 1)
	b.looks(t)
	equal(t, "before the commit", b.numbered(t), []int64{second})
	third := b.write(t, 3, 1)
	b.looks(t)
	must(t, late.Commit(t.Context()))
	b.looks(t)
	equal(t, "after the commit", b.numbered(t), []int64{second, third, first})
	if len(b.at.Gaps) != 0 || settled(b.at) != third {
		t.Errorf("nothing is left to number, but the sequencer waits for %v", b.at.Gaps)
	}
}

// TestRolledBack: the id of a change that was rolled back is forgotten, but not as long as a transaction may use it. What only reads,
// or is in another database, does not count.
func TestRolledBack(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	elsewhere, err := dbtest.Pool(t).Begin(t.Context())
	must(t, err)
	defer func() { must(t, elsewhere.Rollback(t.Context())) }()
	_, err = elsewhere.Exec(t.Context(), "CREATE TABLE held (id int)")
	must(t, err)
	reader, err := b.pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	must(t, err)
	defer func() { must(t, reader.Rollback(t.Context())) }()
	_, err = reader.Exec(t.Context(), "SELECT count(*) FROM extras_objectchange")
	must(t, err)

	open, id := b.begin(t, 1, 1)
	gone, _ := b.begin(t, 2, 1)
	must(t, gone.Rollback(t.Context()))
	last := b.write(t, 3, 1)
	for range 3 {
		b.looks(t)
	}
	if len(b.at.Gaps) == 0 || b.at.Gaps[0].First != id {
		t.Fatalf("a change that may still be committed was forgotten: %v", b.at.Gaps)
	}
	must(t, open.Rollback(t.Context()))
	for range 2 {
		b.looks(t)
	}
	if len(b.at.Gaps) != 0 {
		t.Errorf("nobody can commit these any more: %v", b.at.Gaps)
	}
	equal(t, "positions", b.numbered(t), []int64{last})
}

// TestOvertaken: a process that believes that it numbers alone, and does not, writes nothing.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	other := &shift{conn: openNumbering(t, b.s)}
	first := b.write(t, 1, 1)
	b.looks(t)
	second := b.write(t, 1, 2)
	if _, err := other.look(t.Context()); !errors.Is(err, store.ErrOvertaken) {
		t.Errorf("the second process got %v", err)
	}
	b.looks(t)
	equal(t, "positions", b.numbered(t), []int64{first, second})
}

// TestTakeOver: whoever takes over goes on where the other one stopped, also with the changes that it was waiting for.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	late, first := b.begin(t, 1, 1)
	second := b.write(t, 2, 1)
	later, third := b.begin(t, 3, 1)
	fourth := b.write(t, 4, 1)
	b.looks(t)
	fifth := b.write(t, 5, 1)
	b.looks(t)
	must(t, late.Commit(t.Context()))

	b.shift = shift{conn: openNumbering(t, b.s)}
	var err error
	b.at, err = b.conn.Numbered(t.Context())
	must(t, err)
	b.looks(t)
	must(t, later.Commit(t.Context()))
	b.looks(t)
	equal(t, "positions", b.numbered(t), []int64{second, fourth, fifth, first, third})
}

// TestNumberHistory: changes that were made before there were positions get them in the order of their ids, in several transactions.
func TestNumberHistory(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	_, err := b.pool.Exec(t.Context(), `
		SELECT setval('extras_objectchange_id_seq', 1000);
		INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
		SELECT now(), '', gen_random_uuid(), 'update', 'dcim.site', n, '', 1, '{}' FROM generate_series(1, 12000) n`)
	must(t, err)
	late, id := b.begin(t, 1, 2)
	for rounds, more := 1, true; more; rounds++ {
		if more, err = b.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if rounds == 1 {
			must(t, late.Commit(t.Context()))
		}
		if rounds > 3 {
			t.Fatal("it does not end")
		}
	}
	ids := b.numbered(t)
	if len(ids) != 12_001 || !slices.IsSorted(ids) || ids[12_000] != id {
		t.Errorf("%d changes have positions", len(ids))
	}
}
