// Command faults breaks an installation of Terrier on purpose and checks that it keeps its
// promises: nothing is lost, nothing is invented.
//
// It owns the whole installation: a PostgreSQL that it crashes, two servers and two workers
// that it kills, the proxies between them, a receiver that misbehaves, and clients that
// record every explicit answer. In the end it compares three independent sources: the answers
// that the clients got, the content of the database, and the requests that the receiver got.
// It sees the program only from the outside. bugs.go puts known bugs into the program, to check
// that the comparison finds them.
package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// config is the settings of a run.
type config struct {
	seed     uint64
	duration time.Duration // of the work, without settling
	clients  int
	changes  int // at least
	faults   int // at least
	kinds    []faultKind
	settling time.Duration // at most
	balanced bool          // requests go only to servers that say they are ready
	binary   string
	out      string
}

// rollingTakes is the time for each rolling restart.
const rollingTakes = 5 * time.Second

func main() {
	var cfg config
	minutes := flag.Float64("minutes", 4, "how long the run may take in all; the last two are for healing and checking")
	flag.Uint64Var(&cfg.seed, "seed", 0, "decides requests and faults; 0 draws one")
	flag.IntVar(&cfg.clients, "clients", 8, "clients that write at once")
	flag.IntVar(&cfg.changes, "changes", 0, "changes to make, at least; 0 for 20,000 and more in a longer run")
	flag.IntVar(&cfg.faults, "faults", 0, "faults to make, at least; each kind comes once in any case; 0 for one every five seconds")
	restarts := flag.Int("rolling", 0, "instead of faults, so many rolling restarts: no request may fail")
	calm := flag.Bool("calm", false, "no faults: nothing may arrive twice")
	sensitivity := flag.Bool("sensitivity", false, "build the program with each known bug and see whether it is caught")
	only := flag.String("bug", "", "with --sensitivity: only this bug")
	flag.StringVar(&cfg.out, "out", "", "directory for the timeline, the figures and the logs; a temporary one if not given")
	flag.Parse()
	cfg.kinds, cfg.settling = faultKinds, 150*time.Second
	// The last fault that takes a minute to heal needs that time.
	cfg.duration = max(time.Duration(*minutes*float64(time.Minute))-110*time.Second, 10*time.Second)
	if cfg.changes == 0 {
		cfg.changes = 20_000 + 50*max(0, int((cfg.duration-130*time.Second).Seconds())) // all of them are compared in memory
	}
	if cfg.faults == 0 {
		cfg.faults = int(cfg.duration / (5 * time.Second))
	}
	if *calm {
		cfg.kinds, cfg.faults = nil, 0
	}
	if *restarts > 0 {
		cfg.kinds, cfg.faults = []faultKind{{name: rolling, run: (*nemesis).rolling}}, *restarts // it excuses no failure
		cfg.duration, cfg.balanced = time.Duration(*restarts)*rollingTakes, true
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, cfg, *sensitivity, *only)
	stop()
	if err != nil {
		if !errors.Is(err, errViolated) {
			fmt.Fprintln(os.Stderr, "faults:", err)
		}
		os.Exit(1)
	}
}

func start(ctx context.Context, cfg config, sensitivity bool, only string) error {
	if cfg.seed == 0 {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails, by its documentation
		cfg.seed = uint64(binary.LittleEndian.Uint32(b[:]))
	}
	fmt.Println("seed:", cfg.seed)
	if cfg.out == "" {
		dir, err := os.MkdirTemp("", "terrier-faults-out.")
		if err != nil {
			return err
		}
		cfg.out = dir
	}
	if sensitivity {
		return senseBugs(ctx, cfg, only)
	}
	fmt.Println("output:", cfg.out)
	err := os.MkdirAll(cfg.out, 0o755)
	if err != nil {
		return err
	}
	if cfg.binary, err = (bug{name: "terrier"}).build(ctx, cfg.out); err != nil {
		return err
	}
	r := newReport(os.Stdout)
	result, err := runOnce(ctx, cfg, r)
	if err != nil {
		return err
	}
	if r.total() > 0 {
		r.line("to repeat it: --seed %d; the logs of the processes: %s/logs", cfg.seed, cfg.out)
	}
	r.line("%s", result)
	if r.total() > 0 {
		return errViolated
	}
	return nil
}

// errViolated ends the program with status 1. The verdict was printed before.
var errViolated = errors.New("violated")

func itoa(n int) string { return strconv.Itoa(n) }
