// Command hookbench measures how fast and how fairly deliveries arrive.
//
// Throughput is held against bare River in the same run: jobs that make the same POST and
// nothing else, at River's best settings. Both sides drain a queue that was filled before,
// in turns, and what counts is the median of the ratios. Latency is measured open-loop: an
// event is due at its time, whether or not the one before has arrived.
//
// The receiver is a process of its own, so that its processor time is not the worker's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

type options struct {
	only    string
	rounds  int
	jobs    int
	lanes   int
	perLane int
	seconds int
	backlog int
	check   bool
	profile string
}

var cases = []string{"throughput", "fairness", "backlog", "idle"}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "receiver" {
		if err := receive(); err != nil {
			fmt.Fprintln(os.Stderr, "hookbench receiver:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hookbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var o options
	flags := flag.NewFlagSet("hookbench", flag.ContinueOnError)
	flags.StringVar(&o.only, "only", "", "comma-separated cases: "+strings.Join(cases, ", "))
	flags.IntVar(&o.rounds, "rounds", 5, "rounds of each side")
	flags.IntVar(&o.jobs, "jobs", 20_000, "deliveries of a round")
	flags.IntVar(&o.lanes, "webhooks", 4, "webhooks that share them")
	flags.IntVar(&o.perLane, "concurrency", 100, "requests at once for each webhook")
	flags.IntVar(&o.seconds, "seconds", 20, "length of a latency run")
	flags.IntVar(&o.backlog, "backlog", 1_000_000, "deliveries queued for another webhook in the case backlog")
	flags.BoolVar(&o.check, "check", false, "fail when a target is clearly missed: shared machines are noisy")
	flags.StringVar(&o.profile, "profile", "", "file for a processor profile of the worker draining its queue")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var missed []string
	for _, name := range cases {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), name) {
			continue
		}
		measure := map[string]func(context.Context, options) (bool, error){"throughput": throughput, "fairness": fairness, "backlog": backlog, "idle": idle}[name]
		reached, err := measure(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !reached {
			missed = append(missed, name)
		}
	}
	if o.check && len(missed) > 0 {
		return fmt.Errorf("clearly missed: %s", strings.Join(missed, ", "))
	}
	return nil
}

// say prints a line of the result.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func percentile(v []float64, p float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[min(len(v)-1, int(float64(len(v))*p))]
}
