package feed

import (
	"context"
	"errors"
	"testing"

	"terrier/internal/access"
	"terrier/internal/limit"
)

// TestOwn: a live reader keeps its turn until its client has got the changes. Without one it waits, but not when the server stops.
func TestOwn(t *testing.T) {
	t.Parallel()
	f := New(nil)
	f.behind = limit.New[access.Asker](limit.Budget{Size: 1, Each: 1, Busy: errNoTurn})
	slow, quick, late := f.newOwn(), f.newOwn(), f.newOwn()
	must(t, slow.take(t.Context(), access.Asker{User: 1}))
	must(t, slow.take(t.Context(), access.Asker{User: 1})) // it has one
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := quick.take(gone, access.Asker{User: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("two have a turn at once, or %v", err)
	}
	slow.drop()
	slow.drop() // once is enough
	must(t, quick.take(t.Context(), access.Asker{User: 2}))
	waits := make(chan error)
	go func() { waits <- late.take(context.Background(), access.Asker{User: 3}) }()
	f.End()
	if err := <-waits; !errors.Is(err, ErrEnded) {
		t.Errorf("at the end: %v", err)
	}
}
