// Command bench measures how much of the speed of the machine Terrier leaves to its users.
//
// Absolute figures say more about the machine than about the program, so each one is held
// against a bare server in the same process: raw pgx and net/http that answer with the
// same bytes from the same rows, by hand-written statements, without authentication,
// permissions or validation. Both are asked in turns of a fraction of a second, and what
// counts is the median of the ratios of the rounds.
//
// The client shares the processor with both servers and so draws every ratio towards 1;
// it is therefore as small as it can be (client.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	rows        int
	rounds      int
	round       time.Duration
	concurrency int
	user        string
	only        string
	json        string
	check       bool
	keep        bool
	slack       float64
	profiles    profiles
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(1)
	}
}

func parseFlags(args []string) (options, error) {
	var o options
	var quick bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&quick, "quick", false, "200,000 sites and 5 rounds of 0.7 s, unless other flags say otherwise")
	flags.IntVar(&o.rows, "rows", 1_000_000, "sites to load; 10,000,000 is for runs by hand")
	flags.IntVar(&o.rounds, "rounds", 7, "rounds of each side")
	flags.DurationVar(&o.round, "round", 1500*time.Millisecond, "length of a round")
	flags.IntVar(&o.concurrency, "concurrency", 4, "connections that ask at once")
	flags.StringVar(&o.user, "user", "superuser", "who asks Terrier: superuser, or member for a user whose group has the permissions")
	flags.StringVar(&o.only, "only", "", "comma-separated cases to measure: "+strings.Join(caseNames, ", "))
	flags.StringVar(&o.json, "json", "", "file to write the figures to")
	flags.BoolVar(&o.check, "check", false, "fail when a target is missed by more than the slack")
	flags.BoolVar(&o.keep, "keep", false, "leave the database for a look at plans, and say where it is")
	flags.Float64Var(&o.slack, "slack", 0.8, "part of a target that --check demands: machines that are shared are noisy")
	flags.Var(&o.profiles, "profile", "case=file: after measuring the case, write a processor profile of Terrier's side; may be repeated")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if quick {
		if !given["rows"] {
			o.rows = 200_000
		}
		if !given["rounds"] {
			o.rounds = 5
		}
		if !given["round"] {
			o.round = 700 * time.Millisecond
		}
	}
	if o.rows < minRows {
		return o, fmt.Errorf("--rows must be at least %d", minRows)
	}
	if o.user != "superuser" && o.user != "member" {
		return o, fmt.Errorf("--user is %q and must be superuser or member", o.user)
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, o, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.compareAnswers(ctx); err != nil {
		return err
	}
	if err := b.measureAll(ctx); err != nil {
		return err
	}
	if err := b.report.print(out); err != nil {
		return err
	}
	if o.json != "" {
		if err := b.report.write(o.json); err != nil {
			return err
		}
	}
	if missed := b.report.missed(o.slack); o.check && len(missed) > 0 {
		return fmt.Errorf("missed by more than the slack of %v: %s", o.slack, strings.Join(missed, ", "))
	}
	return nil
}

// profiles is the flag --profile.
type profiles map[string]string

func (p *profiles) String() string { return "" }

func (p *profiles) Set(s string) error {
	name, file, ok := strings.Cut(s, "=")
	if !ok {
		return errors.New("needs case=file")
	}
	if *p == nil {
		*p = profiles{}
	}
	(*p)[name] = file
	return nil
}
