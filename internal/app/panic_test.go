package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/background"
	"terrier/internal/dbtest"
	"terrier/internal/store"
)

// seededPanics is a tracer of statements that panics once at each of some texts, and then says when the text comes again.
type seededPanics struct {
	mu    sync.Mutex
	armed []string
	again map[string]chan struct{} // by text, closed when it came again
}

func newSeededPanics(texts ...string) *seededPanics {
	s := &seededPanics{again: map[string]chan struct{}{}}
	for _, text := range texts {
		s.armed, s.again[text] = append(s.armed, text), make(chan struct{})
	}
	return s
}

func (s *seededPanics) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, again := range s.again {
		if !strings.Contains(q.SQL, text) {
			continue
		}
		if i := slices.Index(s.armed, text); i >= 0 {
			s.armed = slices.Delete(s.armed, i, i+1)
			panic("seeded in " + text)
		}
		select {
		case <-again:
		default:
			close(again)
		}
	}
	return ctx
}

func (s *seededPanics) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestPanicsOfUpkeep: a panic in a loop of the upkeep, in the sequencer or in the feed ends neither the process nor the loop.
func TestPanicsOfUpkeep(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	log := &journal{}
	a, err := New(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	seeded := newSeededPanics("gin_clean_pending_list", "record_count", "INSERT INTO extras_process", "FROM extras_webhook_state h JOIN",
		"pg_try_advisory_lock", "LISTEN terrier_position", "users_session")
	traced, err := store.Open(t.Context(), cfg.DatabaseURL, a.Registry, seeded)
	if err != nil {
		t.Fatal(err)
	}
	a.Store, a.Ledger.Store = traced, traced // never closed: a panic inside pgx keeps its connection
	end := a.keepUp(t.Context(), store.ServerKind)
	defer end()
	// The others come again only after 10 s, 15 s and an hour; the task after them shows that their loops go on.
	for _, text := range []string{"gin_clean_pending_list", "FROM extras_webhook_state h JOIN", "pg_try_advisory_lock",
		"LISTEN terrier_position"} {
		select {
		case <-seeded.again[text]:
		case <-time.After(time.Minute):
			t.Fatalf("the loop of %q has ended", text)
		}
	}
	for _, task := range []string{"search_indexes", "webhook_health", "sequencer", "feed", "presence", "sweep"} {
		if !strings.Contains(log.String(), "in="+task) || background.Panics()[task] == 0 {
			t.Errorf("the panic in %s was not logged and counted: %v", task, background.Panics())
		}
	}
	if n, names := panicked(); n < 6 || !strings.Contains(names, "sequencer") {
		t.Errorf("%d panics in %s", n, names)
	}
}

// TestAPanicOfAPart: a server or worker that panics stops the other, and the process ends with the panic as its error.
func TestAPanicOfAPart(t *testing.T) {
	t.Parallel()
	a := &App{log: slog.New(slog.DiscardHandler)}
	ended := false
	err := a.Run(t.Context(), func(ctx context.Context) error {
		<-ctx.Done()
		ended = true
		return nil
	}, func(context.Context) error { panic("seeded") })
	if p, ok := errors.AsType[*background.Panic](err); !ok || p.Value != "seeded" || !ended {
		t.Errorf("it ended with %v; the other part ended: %t", err, ended)
	}
}
