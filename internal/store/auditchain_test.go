package store_test

import (
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/store"
	"terrier/test/storetest"
)

// chainer makes codes without a secret.
type chainer struct{}

func (chainer) ChainCode(message []byte) (keyID string, code []byte) {
	sum := sha256.Sum256(message)
	return "k", sum[:]
}

func (c chainer) ChainCodeBy(_ string, message []byte) (code []byte, known bool) {
	_, code = c.ChainCode(message)
	return code, true
}

func (chainer) ChainKeys() []string { return []string{"k"} }

// chainLooks keeps the id above which each look for events began.
type chainLooks struct {
	mu    sync.Mutex
	above []int64
}

func (l *chainLooks) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if d.SQL == store.SettledEvents {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.above = append(l.above, d.Args[len(d.Args)-1].(int64))
	}
	return ctx
}

func (l *chainLooks) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestALongLogEntersTheChain: the first time, each look goes on where the one before it ended, and later ones do not read old events
// again. A check of the whole chain takes as long as it needs.
func TestALongLogEntersTheChain(t *testing.T) {
	t.Parallel()
	looks := &chainLooks{}
	s, reg, db := storetest.Open(t, looks)
	now := time.Now()
	for ago := range 4 {
		if err := s.MakePartitions(t.Context(), now.AddDate(0, 0, -7*ago)); err != nil {
			t.Fatal(err)
		}
	}
	const events = 20_000 // one a minute
	if _, err := db.Exec(t.Context(), `INSERT INTO extras_auditevent (happened_at, version, event, user_name, address, request_id, target,
			target_name, way, detail, times)
		SELECT $1::timestamptz - (20000 - n) * interval '1 minute' - interval '1 minute', 1, 'keys_resealed', '', '', gen_random_uuid(), '', '',
			'', n::text, 1
		FROM generate_series(1, 20000) n`, now); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ChainEvents(t.Context(), chainer{}, now); err != nil {
		t.Fatal(err)
	}
	if len(looks.above) != events/1000+1 || !slices.IsSorted(looks.above) || looks.above[len(looks.above)-1] < events {
		t.Errorf("looks above %v", looks.above)
	}
	if _, err := db.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	var plan []map[string]any
	if err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+store.SettledEvents, now, 26*time.Hour, 1000, int64(0)).
		Scan(&plan); err != nil {
		t.Fatal(err)
	}
	if n := eventsRead(plan[0]["Plan"].(map[string]any)); n > 51*60 { // the window, and the day that an old event may take to enter
		t.Errorf("a later look reads %v of %d events", n, events)
	}

	hurry, err := url.Parse(db.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	with := hurry.Query()
	with.Set("statement_timeout", "100")
	hurry.RawQuery = with.Encode()
	hurried, err := store.Open(t.Context(), hurry.String(), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hurried.Close)
	if _, n, err := hurried.VerifyChain(t.Context(), chainer{}, time.Time{}, ""); n != events || err != nil {
		t.Errorf("%d entries: %v", n, err)
	}
}

// eventsRead returns how many events a plan has read.
func eventsRead(node map[string]any) (n float64) {
	if name, _ := node["Relation Name"].(string); strings.HasPrefix(name, "extras_auditevent") {
		removed, _ := node["Rows Removed by Filter"].(float64)
		n = (node["Actual Rows"].(float64) + removed) * node["Actual Loops"].(float64)
	}
	children, _ := node["Plans"].([]any)
	for _, child := range children {
		n += eventsRead(child.(map[string]any))
	}
	return n
}
