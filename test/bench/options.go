package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"terrier/test/bench/figures"
)

// The kinds of users that can call Terrier.
const (
	superuser = "superuser"
	member    = "member"
)

// options are the flags.
type options struct {
	quick       bool
	records     int
	queued      int
	deliveries  int
	devices     int
	prefixes    int
	rounds      int
	round       time.Duration
	jobs        int
	types       int
	mixed       time.Duration
	connections int
	user        string
	only        string
	json, svg   string
	kept        string
	keep        bool
	check       bool
	profile     string
}

// full and quick are the default sizes. Flags override them.
var (
	full = options{records: 1_000_000, queued: 1_000_000, deliveries: 1_000_000, devices: 20_000, prefixes: 1_000_000, rounds: 5,
		round: 1500 * time.Millisecond, jobs: 20_000, mixed: 10 * time.Minute}
	quick = options{records: 100_000, queued: 50_000, deliveries: 100_000, devices: 2_000, prefixes: 20_000, rounds: 3,
		round: 500 * time.Millisecond, jobs: 5_000, mixed: 20 * time.Second}
)

// fullOnly names the cases that a quick run leaves out, unless --only names them: they take long and rarely change.
var fullOnly = []string{"fleet-lists", "fleet", "contexts", "prefixes", "search-writes", "search-mixed", "metrics",
	"sequencer", "latency-10", "latency-100", "idle"}

// least is the size of the smallest register. It still has pages in its middle.
const least = 1_000

// leastDevices is the size of the smallest fleet.
const leastDevices = 200

// leastPrefixes is the size of the smallest register of prefixes. It still fills several /16.
const leastPrefixes = 20_000

// smallFleet returns the number of devices that a large fleet is compared with.
func (o options) smallFleet() int { return max(leastDevices, min(least, o.devices/20)) }

func parseFlags(args []string) (options, error) {
	o := full
	if slices.Contains(args, "--quick") {
		o = quick
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false,
		"smaller and shorter: other defaults of the sizes below, and without "+strings.Join(fullOnly, " and "))
	flags.IntVar(&o.records, "records", o.records,
		"sites in the register, which grows to that from 1,000 by tens; 10,000,000 is for runs by hand")
	flags.IntVar(&o.queued, "queued", o.queued, "deliveries queued for a receiver that hangs")
	flags.IntVar(&o.deliveries, "deliveries", o.deliveries, "delivery rows kept, likewise; 100,000,000 need some 45 GB of disk")
	flags.IntVar(&o.devices, "devices", o.devices,
		"devices of the cases fleet and fleet-lists, with 50 interfaces each; 100,000 is for runs by hand")
	flags.IntVar(&o.prefixes, "prefixes", o.prefixes, "prefixes of the case prefixes, with as many addresses; at least 20,000")
	flags.IntVar(&o.rounds, "rounds", o.rounds, "repeats of each comparison")
	flags.DurationVar(&o.round, "round", o.round, "how long each side is asked in a round")
	flags.IntVar(&o.jobs, "jobs", o.jobs, "deliveries of a round of the case deliveries")
	flags.IntVar(&o.types, "types", 26,
		"record types that are added in the case types, so that there are about as many as in a full catalogue")
	flags.DurationVar(&o.mixed, "mixed", o.mixed, "how long the case search-mixed takes, with and without search indexes in turns")
	flags.IntVar(&o.connections, "connections", 4, "connections that ask at once")
	flags.StringVar(&o.user, "user", superuser, "who asks Terrier: superuser, or member for a user whose group has the permissions")
	flags.StringVar(&o.only, "only", "", "comma-separated cases to measure: "+strings.Join(caseNames(), ", "))
	flags.StringVar(&o.json, "json", "bin/bench.json", "file for the figures")
	flags.StringVar(&o.svg, "svg", "bin/bench.svg", "file for the picture")
	flags.StringVar(&o.kept, "kept", "test/bench/results/latest.json", "the result to compare with")
	flags.BoolVar(&o.keep, "keep", false, "keep this result, and its picture, in place of that one")
	flags.BoolVar(&o.check, "check", false, "fail when a goal is clearly missed, twice in a row")
	flags.StringVar(&o.profile, "profile", "", "directory for processor profiles of Terrier's server and worker, by case")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func (o options) validate() error {
	for _, name := range o.names() {
		if !slices.Contains(caseNames(), name) {
			return fmt.Errorf("--only names %q, which is none of %s", name, strings.Join(caseNames(), ", "))
		}
	}
	switch {
	case o.records < least:
		return fmt.Errorf("--records must be at least %d", least)
	case o.user != superuser && o.user != member:
		return fmt.Errorf("--user is %q and must be %s or %s", o.user, superuser, member)
	case o.keep && o.only != "":
		return errors.New("--keep with --only would forget the other cases: keep a whole run")
	case o.rounds < 1 || o.jobs < 100 || o.queued < 1 || o.types < 1 || o.deliveries < least || o.devices < leastDevices ||
		o.prefixes < leastPrefixes:
		return fmt.Errorf("--rounds, --queued and --types must be at least 1, --jobs at least 100, --devices at least %d, "+
			"--prefixes at least %d, --deliveries at least %d", leastDevices, leastPrefixes, least)
	}
	return nil
}

// names returns the cases that --only names.
func (o options) names() []string {
	if o.only == "" {
		return nil
	}
	return strings.Split(o.only, ",")
}

// wants reports whether a case is measured.
func (o options) wants(name string) bool {
	if o.only == "" {
		return !o.quick || !slices.Contains(fullOnly, name)
	}
	return slices.Contains(o.names(), name)
}

// besideOthers returns the goal for a read under a disturbance: it may take three times as long. A short run is noisy, so it allows twice
// that.
func (o options) besideOthers() figures.Goal {
	goal := figures.Goal{Value: 3, AtMost: true, Gate: 3}
	if o.quick {
		goal.Gate = 6
	}
	return goal
}

// steps returns the sizes of a growing register: from the least, in factors of ten.
func steps(to int) []int {
	var all []int
	for n := least; n < to; n *= 10 {
		all = append(all, n)
	}
	return append(all, to)
}
