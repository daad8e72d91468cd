package apitest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"terrier/internal/feed"
)

// Follow gives positions to changes and wakes those who wait for them, as a server does in the background, until the test ends or stop
// is called.
func (s *Server) Follow(tb testing.TB) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(slog.DiscardHandler)
	var loops sync.WaitGroup
	loops.Go(func() { (&feed.Sequencer{Store: s.App.Store, Log: log}).Run(ctx) })
	loops.Go(func() { s.App.Feed.Run(ctx, log) })
	stop = func() {
		cancel()
		loops.Wait()
	}
	tb.Cleanup(stop)
	return stop
}
