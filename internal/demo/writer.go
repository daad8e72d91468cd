package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// in is what a client would send for one record. A reference is an id.
type in map[string]any

// builder makes what has to be there before there are people.
var builder = &access.Subject{Username: "terrier demo", Superuser: true}

// writer writes records at the time of its clock. After an error it does nothing more.
type writer struct {
	ctx    context.Context // of the only call of Run
	ledger *ledger.Ledger
	rand   *rand.Rand
	source *rand.ChaCha8
	now    time.Time
	by     *access.Subject
	err    error
}

// seed makes all sizes draw the same numbers.
var seed = [32]byte([]byte("terrier demo, the same each time"))

func newWriter(ctx context.Context, l *ledger.Ledger, now time.Time) *writer {
	source := rand.NewChaCha8(seed)
	return &writer{ctx: ctx, ledger: l, rand: rand.New(source), source: source, now: now, by: builder}
}

// reach sets the clock, unless it is past that time already.
func (w *writer) reach(at time.Time) {
	if at.After(w.now) {
		w.now = at
	}
}

// caller returns who makes the next change, some seconds after the last.
func (w *writer) caller() ledger.Caller {
	id, err := uuid.NewRandomFromReader(w.source)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.now = w.now.Add(5*time.Second + time.Duration(w.rand.Int64N(int64(20*time.Second))).Truncate(time.Millisecond))
	return ledger.Caller{Subject: w.by, RequestID: id.String()}
}

// atOnce is how many records are created in one change set.
const atOnce = 500

// add creates records and returns their ids.
func (w *writer) add(key string, inputs ...in) []int64 {
	ids := make([]int64, 0, len(inputs))
	t := w.ledger.Store.Type(key)
	for part := range slices.Chunk(inputs, atOnce) {
		sent := w.sent(part)
		if w.err != nil {
			break
		}
		rows, err := w.ledger.Create(w.ctx, w.caller(), t, sent)
		if err != nil {
			w.err = fmt.Errorf("create %s: %w", key, err)
		}
		for _, v := range rows {
			ids = append(ids, v.ID())
		}
	}
	return slices.Grow(ids, len(inputs))[:len(inputs)] // after an error the rest are 0, so that callers need not look
}

// change updates records, all in the same way.
func (w *writer) change(key string, input in, ids ...int64) {
	sent := w.sent([]in{input})
	if w.err != nil || len(ids) == 0 {
		return
	}
	edits := make([]ledger.Edit, len(ids))
	for i, id := range ids {
		edits[i] = ledger.Edit{ID: id, Input: sent[0]}
	}
	if _, err := w.ledger.Update(w.ctx, w.caller(), w.ledger.Store.Type(key), edits); err != nil {
		w.err = fmt.Errorf("update %s %v: %w", key, ids, err)
	}
}

// changeEach updates each record in its own way, in one change set.
func (w *writer) changeEach(key string, ids []int64, inputs []in) {
	sent := w.sent(inputs)
	if w.err != nil || len(ids) == 0 {
		return
	}
	edits := make([]ledger.Edit, len(ids))
	for i, id := range ids {
		edits[i] = ledger.Edit{ID: id, Input: sent[i]}
	}
	if _, err := w.ledger.Update(w.ctx, w.caller(), w.ledger.Store.Type(key), edits); err != nil {
		w.err = fmt.Errorf("update %s: %w", key, err)
	}
}

// remove deletes a record.
func (w *writer) remove(key string, id int64) {
	if w.err != nil {
		return
	}
	if err := w.ledger.Delete(w.ctx, w.caller(), w.ledger.Store.Type(key), []ledger.Edit{{ID: id}}); err != nil {
		w.err = fmt.Errorf("delete %s %d: %w", key, id, err)
	}
}

// find returns the records that pass filters, the oldest first.
func (w *writer) find(key string, filters map[string][]string) []record.Values {
	if w.err != nil {
		return nil
	}
	t := w.ledger.Store.Type(key)
	q := store.Query{Limit: 1000, Order: []string{"id"}, Count: store.CountNone}
	for name, values := range filters {
		p, _, err := t.ParseFilter(name, values)
		if err != nil {
			w.err = err
			return nil
		}
		q.Where = append(q.Where, p)
	}
	page, err := w.ledger.List(w.ctx, ledger.Caller{Subject: builder}, t, q)
	if err != nil {
		w.err = fmt.Errorf("list %s: %w", key, err)
	}
	return page.Rows
}

// act runs an action on a record.
func (w *writer) act(action string, id int64) {
	if w.err != nil {
		return
	}
	a := w.ledger.Store.Type(store.WebhookType).Registry().Action(action)
	if _, err := w.ledger.Act(w.ctx, w.caller(), a, id, ledger.Input{}); err != nil {
		w.err = fmt.Errorf("%s %d: %w", action, id, err)
	}
}

// sent returns inputs in the form that the body of a request has.
func (w *writer) sent(inputs []in) (sent []ledger.Input) {
	raw, err := json.Marshal(inputs)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		err = dec.Decode(&sent)
	}
	if err != nil && w.err == nil {
		w.err = err
	}
	return sent
}

// pick returns one of several.
func pick[T any](w *writer, of []T) (one T) {
	if len(of) == 0 {
		return one
	}
	return of[w.rand.IntN(len(of))]
}
