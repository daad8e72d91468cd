package app

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// TestAServerAheadChangesNothing: a server whose clock is more than a minute ahead of the database's refuses changes until it is not. It
// finds out without a statement of the change.
func TestAServerAheadChangesNothing(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	a, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	me := store.Process{ID: "me", Kind: store.ServerKind, KeyIDs: []string{"k"}}
	for i, c := range []struct {
		ahead   time.Duration
		refused bool
	}{{0, false}, {50 * time.Second, false}, {100 * time.Hour, true}, {-100 * time.Hour, false}, {70 * time.Second, true}, {0, false}} {
		a.now = func() time.Time { return time.Now().Add(c.ahead) }
		if err := a.sayPresent(t.Context(), &me); err != nil {
			t.Fatal(err)
		}
		_, err := a.Ledger.Create(t.Context(), operator(), a.Registry.Type("dcim.region"),
			[]ledger.Input{{"name": string(rune('a' + i)), "slug": string(rune('a' + i))}})
		why, is := errors.AsType[*fault.Error](err)
		switch {
		case !c.refused && err != nil:
			t.Errorf("%s ahead: %v", c.ahead, err)
		case c.refused && (!is || why.Kind != fault.Unavailable || why.RetryAfter == 0 || !strings.Contains(why.Detail, "time service")):
			t.Errorf("%s ahead: %v", c.ahead, err)
		}
	}
}
