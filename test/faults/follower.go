package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// followers is how many programs read the feed.
const followers = 3

// follower reads the feed by a cursor, from any server. If it gets no answer, it asks again with the same cursor.
type follower struct {
	w      *world
	name   string
	rnd    *rand.Rand
	cursor int64
	got    []followed
}

// followed is a change as the feed has it.
type followed struct {
	Position int64  `json:"position"`
	Kind     string `json:"object_type"`
	Object   int64  `json:"object_id"`
	Version  int64  `json:"version"`
}

func newFollower(w *world, n int) *follower {
	return &follower{w: w, name: fmt.Sprint("f", n), rnd: rand.New(rand.NewPCG(w.seed, 1<<42+uint64(n)))}
}

// run follows until ctx ends, with pauses of any length.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		f.ask(1+f.rnd.IntN(200), f.rnd.IntN(3))
		if f.rnd.IntN(3) == 0 {
			_ = pause(ctx, time.Duration(f.rnd.IntN(400))*time.Millisecond) // the loop checks ctx
		}
	}
}

// ask reads what comes next, and waits some seconds for it. It returns the newest position, 0 if there was no answer.
func (f *follower) ask(limit, wait int) (newest int64) {
	began := time.Now()
	a := f.w.do(context.Background(), f.rnd, call{method: http.MethodGet, token: f.w.reader,
		path: fmt.Sprintf("/api/extras/feed/?after=%d&limit=%d&wait=%d", f.cursor, limit, wait)})
	var page struct {
		Results      []followed
		Next, Newest int64
	}
	switch {
	case !a.good() && !f.w.excused(began, time.Now()):
		f.w.violate(answered, "a reader of the feed got no good answer from %s, and no fault explains it: %v %d %.300s", a.at, a.err, a.status,
			a.body)
		return 0
	case !a.good():
		_ = pause(context.Background(), 100*time.Millisecond) // nothing ends it
		return 0
	}
	if err := json.Unmarshal(a.body, &page); err != nil {
		f.w.violate(answered, "the feed has an answer that can't be read: %v: %.300s", err, a.body)
		return 0
	}
	if page.Next < f.cursor {
		f.w.violate(inOrder, "%s is sent back from position %d to %d", f.name, f.cursor, page.Next)
	}
	f.got, f.cursor = append(f.got, page.Results...), page.Next
	return page.Newest
}

// catchUp lets the followers read to the end, after the last change.
func (w *world) catchUp(ctx context.Context, all []*follower) error {
	var changes int64
	if err := w.db.QueryRow(ctx, "SELECT count(*) FROM extras_objectchange").Scan(&changes); err != nil {
		return err
	}
	const patience = 30 * time.Second
	for _, f := range all {
		for until := time.Now().Add(patience); f.ask(1000, 1) < changes || f.cursor < changes; {
			if time.Now().After(until) {
				w.violate(inOrder, "%s is at position %d %v after the last of %d changes", f.name, f.cursor, patience, changes)
				break
			}
		}
	}
	return nil
}

// checkFeed checks that positions are 1, 2, 3 …, that every change has one, that the versions of an object are in their order, and that
// every follower got exactly these.
func (w *world) checkFeed(ctx context.Context, all []*follower) error {
	rows, err := w.db.Query(ctx, `SELECT coalesce(p.position, 0), c.object_type, c.object_id, c.version FROM extras_objectchange c
		LEFT JOIN extras_position p ON p.change_id = c.id ORDER BY p.position`)
	if err != nil {
		return err
	}
	positions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[followed])
	if err != nil {
		return err
	}
	versions := map[string]int64{}
	for i, p := range positions {
		object := fmt.Sprint(p.Kind, " ", p.Object)
		if p.Position != int64(i)+1 {
			w.violate(inOrder, "version %d of %s has the position %d and is number %d", p.Version, object, p.Position, i+1)
		}
		if p.Version <= versions[object] {
			w.violate(inOrder, "version %d of %s comes after version %d", p.Version, object, versions[object])
		}
		versions[object] = p.Version
	}
	for _, f := range all {
		if slices.Equal(f.got, positions) {
			continue
		}
		at := 0
		for at < min(len(f.got), len(positions)) && f.got[at] == positions[at] {
			at++
		}
		w.violate(inOrder, "%s got %d of %d changes, and number %d is another one", f.name, len(f.got), len(positions), at+1)
	}
	return nil
}
