package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"terrier/internal/background"
	"terrier/internal/listen"
	"terrier/internal/metrics"
)

// Run runs parts of the program, such as Serve and Work, until ctx ends or one of them fails. Meanwhile the process
// can be monitored, if the settings say where.
func (a *App) Run(ctx context.Context, parts ...func(context.Context) error) error {
	stop, err := a.monitor()
	if err != nil {
		return err
	}
	defer stop() // last: it says that the process is not ready while the others finish
	a.starting.Store(int32(len(parts)))
	defer context.AfterFunc(ctx, func() { a.announce(listen.Stopping) })()
	ctx, stopOthers := context.WithCancel(ctx)
	defer stopOthers()
	ended := make(chan error, len(parts))
	for _, part := range parts {
		background.Go(a.log, "process", func() {
			ended <- background.Try(a.log, "process", func() error { return part(ctx) })
		})
	}
	for range parts {
		if failed := <-ended; failed != nil {
			stopOthers()
			err = cmp.Or(err, failed)
		}
	}
	return err
}

// started returns a function that a part of the program calls when it works. When all do, the service manager is notified.
func (a *App) started() func() {
	return sync.OnceFunc(func() {
		if a.starting.Add(-1) == 0 {
			a.announce(listen.Ready)
		}
	})
}

func (a *App) announce(state string) {
	if err := listen.Notify(state); err != nil {
		a.log.Warn("tell the service manager", "state", state, "error", err)
	}
}

// Times of the listener for monitoring. What asks is a machine nearby.
const (
	monitorRead  = 5 * time.Second
	monitorWrite = 30 * time.Second
)

// monitor answers /metrics, /healthz and /readyz on an address of their own until stop is called. A worker has no other,
// and requests of users can't crowd this one out.
func (a *App) monitor() (stop func(), err error) {
	if a.cfg.MetricsListen == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", a.cfg.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("listen for monitoring: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metrics.Handler(a.log))
	a.Server.MountProbes(mux)
	srv := &http.Server{Handler: mux, ReadTimeout: monitorRead, WriteTimeout: monitorWrite, IdleTimeout: idleTimeout,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
	done := background.Start(a.log, "monitoring", func() error { return srv.Serve(listener) })
	a.log.Info("monitoring", "address", listener.Addr().String())
	return func() {
		if err := srv.Close(); err != nil {
			a.log.Warn("stop monitoring", "error", err)
		}
		<-done
	}, nil
}

// MetricsPage returns docs/metrics.md.
func MetricsPage() string { return metrics.Page() }
