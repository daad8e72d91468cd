package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"terrier/internal/app"
	"terrier/test/bench/bare"
	"terrier/test/bench/gauge"
)

// settings are the settings of a child process.
type settings struct {
	Database  string // Terrier's
	Stock     string // with River's own tables and nothing else
	Pool      int    // connections, 0 for pgx's default
	Exempt    []string
	URL       string // the address that bare River's jobs post to
	Body      bare.Body
	Idle      int // queues of bare River that stay empty
	Synthetic int // record types besides those of Terrier
	Metrics   bool
}

// part is what a child process runs.
type part struct {
	address  string
	commands map[string]func() error
	end      func() error
}

var roles = map[string]func(context.Context, settings) (*part, error){
	"server": runServer, "worker": runWorker, "bare server": runBareServer, "bare worker": runBareWorker, "receiver": runReceiver,
}

// child runs this program as one of its own parts. It ends with its parent, because then the pipe is closed.
func child(args []string) error {
	var s settings
	if err := json.Unmarshal([]byte(args[1]), &s); err != nil {
		return err
	}
	if s.Pool > 0 {
		var err error
		if s.Database, err = withPool(s.Database, s.Pool); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := roles[args[0]](ctx, s)
	if err != nil {
		return err
	}
	var profile *os.File
	err = gauge.Obey(os.Stdin, os.Stdout, p.address, func(command string) error {
		if file, ok := strings.CutPrefix(command, "profile "); ok {
			if profile, err = os.Create(file); err != nil {
				return err
			}
			return pprof.StartCPUProfile(profile)
		}
		if command == "profiled" {
			pprof.StopCPUProfile()
			return profile.Close()
		}
		do := p.commands[command]
		if do == nil {
			return fmt.Errorf("%q is no command of this part", command)
		}
		return do()
	})
	return errors.Join(err, p.end())
}

const secretKey = "the benchmark's secret key, which protects nothing at all"

// config returns Terrier's configuration for the server, the worker and the command line.
func (s settings) config() app.Config {
	metrics := ""
	if s.Metrics {
		metrics = "127.0.0.1:0" // which makes everything be measured; nobody listens
	}
	return app.Config{DatabaseURL: s.Database, SecretKey: secretKey, Listen: "127.0.0.1:0", BaseURL: base, StrictFilters: true,
		Version: "bench", MetricsListen: metrics,
		ExemptViewPermissions: s.Exempt, TrustedProxies: []string{"127.0.0.1"}, EgressAllow: "127.0.0.1/32", WebhookTimeout: 10 * time.Second,
		Types: syntheticTypes(s.Synthetic)}
}

// runServer is `terrier serve`. Its log lines are written and thrown away, because making them is part of the work.
func runServer(ctx context.Context, s settings) (*part, error) {
	cfg := s.config()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	listening := make(chan string, 1)
	a, err := app.New(ctx, cfg, slog.New(slog.NewTextHandler(&announcement{listening}, nil)))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx) }()
	end := func() error {
		defer a.Close()
		cancel()
		return <-done
	}
	select {
	case address := <-listening:
		return &part{address: address, commands: map[string]func() error{"free memory": freeMemory}, end: end}, nil
	case err := <-done:
		a.Close()
		return nil, errors.Join(errors.New("the server ended at once"), err)
	}
}

// freeMemory returns unused memory to the system, so that the rest can be compared.
func freeMemory() error {
	debug.FreeOSMemory()
	return nil
}

// announcement is a log that keeps only the address at which the server listens.
type announcement struct{ address chan string }

var serving = regexp.MustCompile(`msg=serving address=(\S+)`)

func (a *announcement) Write(line []byte) (int, error) {
	if a.address != nil {
		if found := serving.FindSubmatch(line); found != nil {
			a.address <- string(found[1])
			a.address = nil // a handler writes one line at a time
		}
	}
	return len(line), nil
}

// runWorker is `terrier worker`. It starts and stops on command.
func runWorker(ctx context.Context, s settings) (*part, error) {
	cfg := s.config()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	a, err := app.New(ctx, cfg, slog.New(slog.NewTextHandler(&announcement{}, nil)))
	if err != nil {
		return nil, err
	}
	run := &onOff{run: a.Work}
	return &part{commands: run.commands(ctx), end: func() error {
		defer a.Close()
		return run.stop()
	}}, nil
}

// onOff is something that runs between start and stop.
type onOff struct {
	run    func(context.Context) error
	cancel func()
	done   chan error
}

func (o *onOff) commands(ctx context.Context) map[string]func() error {
	return map[string]func() error{"start": func() error { o.start(ctx); return nil }, "stop": o.stop}
}

func (o *onOff) start(ctx context.Context) {
	ctx, o.cancel = context.WithCancel(ctx)
	o.done = make(chan error, 1)
	go func() { o.done <- o.run(ctx) }()
}

func (o *onOff) stop() error {
	if o.cancel == nil {
		return nil
	}
	o.cancel()
	o.cancel = nil
	return <-o.done
}
