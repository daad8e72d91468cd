package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// openStore opens the store for retention, which has no address in the API.
func (b *bench) openStore(ctx context.Context) (*store.Store, error) {
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, b.database, reg, nil)
}

const (
	dropDays       = 7 * (keptWeeks - 3) // older deliveries are dropped: about two weeks
	writesAtDrop   = 100                 // per second, at the same time
	writtenAtDrop  = 2 * time.Second
	dropInto       = writtenAtDrop / 2 // when the dropping begins
	facilityAtDrop = 1
)

// measureDrop measures dropping the oldest weeks as retention does, while sites are created that a webhook is notified of. It compares it
// with deleting a week row by row.
func (b *bench) measureDrop(ctx context.Context, db *store.Store) (figures.Row, error) {
	r := figures.Row{Case: "kept-drop", What: "drop a week of deliveries; latency: creates beside it", Unit: "ms", Against: "DELETE"}
	var weeks int
	var took time.Duration
	var writes []float64
	var dropping sync.WaitGroup
	var dropErr error
	dropping.Go(func() {
		if dropErr = pause(ctx, dropInto); dropErr != nil {
			return
		}
		began := time.Now()
		weeks, dropErr = b.drop(ctx, db)
		took = time.Since(began)
	})
	var mu sync.Mutex
	err := gauge.OpenLoop(ctx, writesAtDrop, writtenAtDrop, func(_ int, due time.Time) error {
		_, err := b.terrier.Do(b.terrier.Post(sitesPath, body(b.event(facility(facilityAtDrop)))), http.StatusCreated)
		mu.Lock()
		defer mu.Unlock()
		writes = append(writes, time.Since(due).Seconds()*1000)
		return err
	})
	dropping.Wait()
	if err := errors.Join(err, dropErr); err != nil {
		return r, err
	}
	if weeks == 0 {
		return r, errors.New("retention found no week to drop")
	}
	deleted, err := b.deleteWeek(ctx)
	if err != nil {
		return r, err
	}
	r.Terrier = figures.Side{Figure: took.Seconds() * 1000 / float64(weeks), FromDue: figures.PercentilesOf(writes)}
	r.Bare.Figure = deleted
	r.Judge([]float64{r.Terrier.Figure / r.Bare.Figure})
	return r, nil
}

// drop does what retention does each hour, and tries again at once if a week was in use. It returns how many weeks were dropped.
func (b *bench) drop(ctx context.Context, db *store.Store) (weeks int, err error) {
	for {
		var done store.Retained
		err := untilOurs(ctx, func() (err error) {
			done, err = db.Retain(ctx, store.Retention{Deliveries: dropDays}, b.result.Started)
			return err
		})
		for _, p := range done.Dropped {
			if p.Rows > 0 {
				weeks++
			}
		}
		if err != nil || len(done.Busy) == 0 {
			return weeks, err
		}
	}
}

// untilOurs does a task of the upkeep, and tries again while the server is doing it.
func untilOurs(ctx context.Context, task func() error) error {
	for {
		err := task()
		if !errors.Is(err, store.ErrElsewhere) {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// deleteWeek deletes the oldest remaining week row by row, and returns how many milliseconds that took.
func (b *bench) deleteWeek(ctx context.Context) (float64, error) {
	var partition string
	if err := b.pool.QueryRow(ctx,
		"SELECT tableoid::regclass::text FROM extras_delivery ORDER BY changed_at LIMIT 1").Scan(&partition); err != nil {
		return 0, err
	}
	began := time.Now()
	_, err := b.pool.Exec(ctx, "DELETE FROM "+partition)
	return time.Since(began).Seconds() * 1000, err
}
