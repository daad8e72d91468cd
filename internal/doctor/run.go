package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"terrier/internal/background"
	"terrier/internal/record"
	"terrier/internal/store"
)

const (
	timeLimit = 5 * time.Second // for one check
	atOnce    = 8               // checks
)

// Options say which checks run.
type Options struct {
	Only, Skip []string // groups; no Only means all
	Offline    bool     // nothing that needs DNS or other hosts than the database
	Via        string   // the address at which a server is reached through its proxies; "" to leave this out
}

// Result is the outcome of one check. Remedy and Page are set when something is wrong.
type Result struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	Seen   string `json:"seen"`
	Remedy string `json:"remedy,omitempty"`
	Page   string `json:"page,omitempty"`

	// Blocked says that the check was skipped because something else is wrong: a connection, a schema or a key is missing.
	Blocked bool `json:"blocked,omitempty"`
}

// Report is the outcome of all checks that ran.
type Report struct {
	Program string    `json:"version"`
	At      time.Time `json:"at"`
	Results []Result  `json:"checks"`
}

// Count returns how many checks had an outcome.
func (r Report) Count(s Status) (n int) {
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// Blocked returns why the first check could not run that something else keeps from running, or "".
func (r Report) Blocked() string {
	for _, result := range r.Results {
		if result.Blocked {
			return fmt.Sprintf("%s-%s could not run: %s", result.Group, result.Name, result.Seen)
		}
	}
	return ""
}

// Summary is a line such as "23 ok, 1 warning, 1 failed".
func (r Report) Summary() string {
	parts := []string{fmt.Sprintf("%d ok", r.Count(OK))}
	if n := r.Count(Warn); n > 0 {
		parts = append(parts, count(n, "warning"))
	}
	if n := r.Count(Fail); n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", n))
	}
	if n := r.Count(Skip); n > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", n))
	}
	return strings.Join(parts, ", ")
}

// CheckOptions refuses groups that do not exist, and an address that is none.
func CheckOptions(o Options) error {
	groups := Groups()
	for _, name := range slices.Concat(o.Only, o.Skip) {
		if slices.Contains(groups, name) {
			continue
		}
		hint := "."
		if near := record.Nearest(name, groups); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("there is no group %q%s The groups are %s", name, hint, strings.Join(groups, ", "))
	}
	return checkVia(o.Via)
}

func (o Options) runs(group string) bool {
	return (len(o.Only) == 0 || slices.Contains(o.Only, group)) && !slices.Contains(o.Skip, group)
}

// examination is one run of the checks, and what they share.
type examination struct {
	Subject
	options Options

	db     *store.Inspector // nil without a connection
	dbErr  error            // why there is none
	server store.ServerState
	schema store.SchemaState

	receivers func() ([]receiver, error)
}

// Run runs the checks that the options choose, several at once. It takes as long as the slowest, some seconds at most.
func Run(ctx context.Context, s Subject, o Options) Report {
	s.Limits = s.Limits.orUsual()
	e := &examination{Subject: s, options: o}
	e.connect(ctx)
	if e.db != nil {
		defer e.db.Close()
	}
	e.receivers = sync.OnceValues(func() ([]receiver, error) { return e.visitReceivers(ctx) })
	report := Report{Program: s.Program, At: s.Now().UTC()}
	wg := &background.Group{Log: slog.Default()}
	turns := make(chan struct{}, atOnce)
	chosen := slices.DeleteFunc(Checks(), func(c Check) bool { return !o.runs(c.Group) })
	report.Results = make([]Result, len(chosen))
	for i, c := range chosen {
		wg.Go("doctor", func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			report.Results[i] = e.result(ctx, c)
		})
	}
	wg.Wait()
	return report
}

// connect opens the database, if its address is right.
func (e *examination) connect(ctx context.Context) {
	if e.Settings.DatabaseURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	db, err := store.Inspect(ctx, e.Settings.DatabaseURL, e.Registry)
	if err != nil {
		e.dbErr = err
		return
	}
	if e.server, e.dbErr = db.Server(ctx); e.dbErr == nil {
		e.schema, e.dbErr = db.Schema(ctx)
	}
	if e.dbErr != nil {
		db.Close()
		return
	}
	e.db = db
}

// result runs one check.
func (e *examination) result(ctx context.Context, c Check) Result {
	r := Result{Group: c.Group, Name: c.Name}
	var finding Finding
	switch missing := e.missing(c.needs); {
	case c.needs&outside != 0 && e.options.Offline:
		finding = Finding{Status: Skip, Seen: "other hosts were not asked"}
	case missing != "":
		finding = blocked(missing)
	default:
		finding = e.within(ctx, c)
	}
	r.Status, r.Seen, r.Blocked = finding.Status, finding.Seen, finding.Blocked
	if r.Status == Warn || r.Status == Fail {
		r.Remedy, r.Page = cmp.Or(finding.Remedy, c.Remedy), c.Page()
	}
	return r
}

// within gives a check its time. One that does not end is left behind.
func (e *examination) within(ctx context.Context, c Check) Finding {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	done := make(chan Finding, 1)
	background.Go(slog.Default(), "doctor", func() { done <- e.guarded(ctx, c) })
	select {
	case f := <-done:
		return f
	case <-ctx.Done():
		select {
		case f := <-done: // it had ended, too
			return f
		case <-time.After(time.Second): // it may be about to say what it has seen so far
		}
		return Finding{Status: Fail, Seen: tooLong}
	}
}

// guarded runs a check. One that panics fails, and ends nothing else: the server whose page shows it runs on.
func (e *examination) guarded(ctx context.Context, c Check) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Finding{Status: Fail, Seen: broken(p).Error(), Remedy: "report this, with the version of Terrier: the fault is in the check"}
		}
	}()
	f, err := c.run(e, ctx)
	if err != nil {
		return wrong(err)
	}
	return f
}

// broken describes a panic. Only what Go's runtime says is shown: any other value may contain a secret.
func broken(p any) error {
	if fault, ok := p.(runtime.Error); ok {
		return fmt.Errorf("the check itself is broken: %w", fault)
	}
	return fmt.Errorf("the check itself is broken: %T", p)
}

var tooLong = fmt.Sprintf("no answer within %s", span(timeLimit))

// wrong is the finding of a check that could not look.
func wrong(err error) Finding {
	switch {
	case store.Undefined(err):
		return blocked("the schema lacks what this needs: see schema-migrations")
	case store.Forbidden(err):
		return Finding{Status: Skip, Seen: "the database user may not look: " + store.Cause(err)}
	case errors.Is(err, context.DeadlineExceeded):
		return Finding{Status: Fail, Seen: tooLong}
	}
	return Finding{Status: Fail, Seen: store.Cause(err)}
}

// missing returns why a check can't run, or "".
func (e *examination) missing(n needs) string {
	switch {
	case n&(address|database|tables) != 0 && e.Settings.DatabaseURL == "":
		return "TERRIER_DATABASE_URL is missing or wrong: see settings-parse"
	case n&(database|tables) != 0 && e.db == nil:
		return "no connection to the database: see database-hosts"
	case n&tables != 0 && e.schema.Empty:
		return "the database has no schema: see schema-migrations"
	case n&policy != 0 && e.Settings.Egress == nil:
		return "TERRIER_EGRESS_ALLOW is wrong: see settings-parse"
	case n&keys != 0 && e.Settings.Keys == nil:
		return "the secret key is missing or wrong: see settings-key"
	}
	return ""
}

// orUsual fills in the limits that are not set.
func (l Limits) orUsual() Limits {
	return Limits{
		LeastVersion:    cmp.Or(l.LeastVersion, usual.LeastVersion),
		LongTransaction: cmp.Or(l.LongTransaction, usual.LongTransaction),
		OldIDs:          cmp.Or(l.OldIDs, usual.OldIDs),
		OldQueue:        cmp.Or(l.OldQueue, usual.OldQueue),
		LongJob:         cmp.Or(l.LongJob, usual.LongJob),
		LostJob:         cmp.Or(l.LostJob, usual.LostJob),
		LongPause:       cmp.Or(l.LongPause, usual.LongPause),
		FeedLag:         cmp.Or(l.FeedLag, usual.FeedLag),
		Certificate:     cmp.Or(l.Certificate, usual.Certificate),
		OpenFiles:       cmp.Or(l.OpenFiles, usual.OpenFiles),
		FreeDisk:        cmp.Or(l.FreeDisk, usual.FreeDisk),
		FreeShare:       cmp.Or(l.FreeShare, usual.FreeShare),
	}
}
