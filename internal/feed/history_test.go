package feed

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/store"
	"terrier/test/storetest"
)

const (
	historyWriters = 8
	historyTurns   = 40 // transactions of each writer
	historyReaders = 3
	historyObjects = 30
)

// history is writers, readers and sequencers on one database, and what must hold of them.
type history struct {
	*testing.T
	s    *store.Store
	pool *pgxpool.Pool

	mu        sync.Mutex
	committed map[change]bool
	written   chan struct{} // closed when all writers have ended
}

// change is one version of an object.
type change struct{ object, version int64 }

// TestHistory: 8 writers commit at random times, or roll back. Sequencers are stopped and their connections are cut, and others take
// over. Every reader gets every committed change once, positions have no gaps, and the versions of an object come in order.
func TestHistory(t *testing.T) {
	t.Parallel()
	s, _, few := storetest.Open(t, nil)
	config := few.Config()
	config.MaxConns = 2 * (historyWriters + historyReaders)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	defer pool.Close()
	h := &history{T: t, s: s, pool: pool, committed: map[change]bool{}, written: make(chan struct{})}
	h.exec("CREATE TABLE object (id bigint PRIMARY KEY, version bigint NOT NULL)")
	h.exec("INSERT INTO object SELECT n, 0 FROM generate_series(1, $1::int) n", historyObjects)

	ctx, stop := context.WithCancel(t.Context())
	var sequencers, writers, readers sync.WaitGroup
	defer sequencers.Wait()
	defer stop()
	for range 2 {
		sequencers.Go(func() { h.sequence(ctx) })
	}
	sequencers.Go(func() { h.cut(ctx) })
	for n := range historyWriters {
		writers.Go(func() { h.write(rand.New(rand.NewPCG(1, uint64(n)))) })
	}
	for n := range historyReaders {
		readers.Go(func() { h.read(rand.New(rand.NewPCG(2, uint64(n)))) })
	}
	writers.Wait()
	close(h.written)
	readers.Wait()
}

func (h *history) exec(sql string, args ...any) {
	h.Helper()
	_, err := h.pool.Exec(h.Context(), sql, args...)
	must(h.T, err)
}

// sequence runs sequencers that are stopped after a while, one after the other.
func (h *history) sequence(ctx context.Context) {
	quick := func(ctx context.Context, d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d / 20):
			return true
		}
	}
	for ctx.Err() == nil {
		life, stop := context.WithCancel(ctx)
		h.end(life, stop, time.Duration(200+rand.IntN(600))*time.Millisecond)
		(&Sequencer{Store: h.s, Log: slog.New(slog.DiscardHandler), wait: quick}).Run(life)
		stop()
	}
}

// end stops a sequencer after a while, unless all is written by then: on a slow machine the last one must get the time it needs.
func (h *history) end(life context.Context, stop func(), after time.Duration) {
	go func() {
		select {
		case <-time.After(after):
			stop()
		case <-h.written:
		case <-life.Done():
		}
	}()
}

// cut ends the connection of the sequencer now and then, until all is written.
func (h *history) cut(ctx context.Context) {
	for {
		select {
		case <-h.written:
			return
		default:
		}
		_, _ = h.pool.Exec(ctx, `SELECT pg_terminate_backend(pid), pg_sleep(0.2 * random()) FROM pg_locks
			WHERE locktype = 'advisory' AND objid = $1 AND granted`, store.NumberingLock) // fails only at the end
		_, _ = h.pool.Exec(ctx, "SELECT pg_sleep(0.3)")
	}
}

// write changes objects as the ledger does: it locks them in the order of their ids, raises their versions and writes change rows.
func (h *history) write(random *rand.Rand) {
	for range historyTurns {
		tx, err := h.pool.Begin(h.Context())
		if err != nil {
			h.Error(err)
			return
		}
		var made []change
		for object := 1 + random.Int64N(historyObjects); object <= historyObjects; object += 1 + random.Int64N(2*historyObjects) {
			c := change{object: object}
			err = tx.QueryRow(h.Context(), "UPDATE object SET version = version + 1 WHERE id = $1 RETURNING version", object).Scan(&c.version)
			if err == nil {
				_, err = tx.Exec(h.Context(), insertChange, c.object, c.version)
			}
			if err == nil {
				_, err = tx.Exec(h.Context(), "SELECT pg_sleep($1)", random.Float64()*0.005)
			}
			if err != nil {
				h.Error(err)
				return
			}
			made = append(made, c)
		}
		if random.IntN(6) == 0 {
			must(h.T, tx.Rollback(h.Context()))
			continue
		}
		if err := tx.Commit(h.Context()); err != nil {
			h.Error(err)
			return
		}
		h.mu.Lock()
		for _, c := range made {
			h.committed[c] = true
		}
		h.mu.Unlock()
	}
}

// read follows the positions by a cursor until it has as many changes as there are.
func (h *history) read(random *rand.Rand) {
	var cursor int64
	seen, versions := map[change]bool{}, map[int64]int64{}
	for patience := 0; !h.all(len(seen)); patience++ {
		rows, err := h.pool.Query(h.Context(), `
			SELECT p.position, c.object_id, c.version FROM extras_position p
			JOIN extras_objectchange c ON c.id = p.change_id WHERE p.position > $1 ORDER BY p.position LIMIT $2`, cursor, 1+random.IntN(50))
		var position int64
		var c change
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&position, &c.object, &c.version}, func() error {
				if position != cursor+1 {
					h.Errorf("position %d follows %d", position, cursor)
				}
				if seen[c] {
					h.Errorf("%v came twice", c)
				}
				if c.version != versions[c.object]+1 {
					h.Errorf("%v came after version %d", c, versions[c.object])
				}
				cursor, seen[c], versions[c.object], patience = position, true, c.version, 0
				return nil
			})
		}
		if err == nil {
			_, err = h.pool.Exec(h.Context(), "SELECT pg_sleep($1)", random.Float64()*0.04)
		}
		if err != nil {
			h.Error(err)
			return
		}
		if patience > 3_000 { // a minute
			h.Errorf("a reader got %d changes, and then none for a minute", len(seen))
			return
		}
	}
	for c := range seen {
		if !h.committed[c] {
			h.Errorf("%v was never committed", c)
		}
	}
}

// all reports whether a reader has as many changes as were committed.
func (h *history) all(n int) bool {
	select {
	case <-h.written:
		return n >= len(h.committed)
	default:
		return false
	}
}
