package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"terrier/internal/delivery"
	"terrier/internal/store"
)

const fleetGroup = "fleet"

var fleetChecks = []Check{
	{fleetGroup, "workers", "terrier worker", tables, (*examination).workers},
	{fleetGroup, "versions", "install one version of Terrier everywhere, and restart servers and workers", tables,
		ofProcesses((*examination).versions)},
	{fleetGroup, "clocks", "timedatectl set-ntp true", tables, (*examination).clocks},
	{fleetGroup, "keys", "give all processes the same TERRIER_SECRET_KEY and TERRIER_SECRET_KEY_OLD, and restart them", tables | keys,
		ofProcesses((*examination).sameKeys)},
	{fleetGroup, "retention", "give all processes the same TERRIER_CHANGELOG_RETENTION and TERRIER_DELIVERY_RETENTION, and restart them",
		tables, (*examination).sameRetention},
	{fleetGroup, "panics", "report the stack in the log of that process, with the version of Terrier; then restart the process", tables,
		ofProcesses((*examination).panics)},
	{fleetGroup, "waiting", "look which callers send the most, in the log of requests; if they all must, raise pool_max_conns in " +
		"TERRIER_DATABASE_URL, or start more servers: docs/limits.md says what is shared", tables, ofProcesses((*examination).waiting)},
}

// How long after its last sign a process counts as running. A worker gives one every 5 s, each process one more every
// store.PresentEvery.
const (
	workerLately  = 20 * time.Second
	processLately = store.PresentLately
)

func (e *examination) workers(ctx context.Context) (Finding, error) {
	workers, err := e.db.Workers(ctx, workerLately)
	if err != nil {
		return Finding{}, err
	}
	if len(workers) > 0 {
		hosts := map[string]bool{}
		for _, w := range workers {
			hosts[w.Host] = true
		}
		return ok("%s on %s", count(len(workers), "worker"), some(slices.Sorted(maps.Keys(hosts))))
	}
	hooks, err := e.db.Receivers(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case len(hooks) == 0:
		return ok("no worker is alive, and no webhook needs one")
	}
	return found(Fail, "", "no worker is alive: deliveries of %s stay queued", count(len(hooks), "webhook"))
}

// processes lists the processes that run.
func (e *examination) processes(ctx context.Context) ([]store.Process, error) {
	return e.db.Processes(ctx, processLately)
}

// ofProcesses returns a check that compares the processes that run. It is skipped if there are none.
func ofProcesses(judge func(*examination, []store.Process) (Finding, error)) func(*examination, context.Context) (Finding, error) {
	return func(e *examination, ctx context.Context) (Finding, error) {
		processes, err := e.processes(ctx)
		if err != nil {
			return Finding{}, err
		}
		if len(processes) == 0 {
			return skip("no server or worker is running")
		}
		return judge(e, processes)
	}
}

func (e *examination) versions(processes []store.Process) (Finding, error) {
	others := map[string]string{}
	for _, p := range processes {
		if p.Program != e.Program {
			others[p.Program] = fmt.Sprintf("%s on the %s on %s", p.Program, p.Kind, p.Host)
		}
	}
	if len(others) > 0 {
		return found(Warn, "", "this is %s, but there is %s", e.Program, some(slices.Sorted(maps.Values(others))))
	}
	return ok("%s: %s", count(len(processes), "process"), e.Program)
}

func (e *examination) clocks(ctx context.Context) (Finding, error) {
	workers, err := e.db.Workers(ctx, workerLately)
	if err != nil {
		return Finding{}, err
	}
	for _, w := range workers {
		if w.ClockWrong {
			return found(Fail, "ssh "+w.Host+" timedatectl set-ntp true",
				"the clock of %s differs from the database's: its worker takes no jobs", w.Host)
		}
	}
	before := e.Now()
	theirs, err := e.db.Now(ctx)
	if err != nil {
		return Finding{}, err
	}
	off := delivery.ClockOffset(theirs, before, e.Now())
	if off.Abs() > delivery.ClockTolerance {
		return found(Fail, "", "the clock of this machine differs from the database's by %s, more than the %s that a worker tolerates",
			span(off.Abs()), span(delivery.ClockTolerance))
	}
	processes, err := e.processes(ctx)
	if err != nil {
		return Finding{}, err
	}
	for _, p := range processes {
		if p.ClockWrong() {
			return found(Warn, "ssh "+p.Host+" timedatectl set-ntp true",
				"the clock of %s differs from the database's by %s: changes that its server makes have a wrong time", p.Host, span(p.ClockOffset.Abs()))
		}
	}
	return ok("they agree with the database's")
}

// sameKeys checks that every process can open what any other seals.
func (e *examination) sameKeys(processes []store.Process) (Finding, error) {
	return compareKeys(append(processes, store.Process{Kind: "command", Host: "this machine", KeyIDs: e.Settings.Keys.IDs()}))
}

// compareKeys compares the keys of all processes that say which they have: the first of each is the one that it seals with.
func compareKeys(processes []store.Process) (Finding, error) {
	processes = slices.DeleteFunc(processes, func(p store.Process) bool { return len(p.KeyIDs) == 0 })
	rotating := false
	for _, seals := range processes {
		for _, opens := range processes {
			if !slices.Contains(opens.KeyIDs, seals.KeyIDs[0]) {
				return found(Fail, "", "the %s on %s lacks the secret key of the %s on %s: it can't open what that seals", opens.Kind, opens.Host,
					seals.Kind, seals.Host)
			}
			rotating = rotating || opens.KeyIDs[0] != seals.KeyIDs[0]
		}
	}
	if rotating {
		return found(Warn, "restart all processes with the new TERRIER_SECRET_KEY, then run: terrier secret reseal",
			"some processes still use an old secret key, which the others know")
	}
	return ok("%s with one secret key", count(len(processes)-1, "process"))
}

func (e *examination) sameRetention(ctx context.Context) (Finding, error) {
	if e.Settings.Retention != nil {
		return blocked(wrongRetention), nil
	}
	return ofProcesses((*examination).compareRetention)(e, ctx)
}

func (e *examination) compareRetention(processes []store.Process) (Finding, error) {
	for _, p := range processes {
		if got := (store.Retention{Changes: p.Changes, Deliveries: p.Deliveries}); got != e.Settings.Keep {
			return found(Warn, "", "the %s on %s keeps changes %s and deliveries %s, here it is %s and %s: the shorter one applies", p.Kind, p.Host,
				days(got.Changes), days(got.Deliveries), days(e.Settings.Keep.Changes), days(e.Settings.Keep.Deliveries))
		}
	}
	return ok("%s with one retention", count(len(processes), "process"))
}

// panics lists the processes of which a goroutine has panicked. It goes on, but each panic is a fault of the program.
func (e *examination) panics(processes []store.Process) (Finding, error) {
	for _, p := range processes {
		if p.Panics > 0 {
			return found(Warn, "", "the %s on %s has panicked %s since it was started, in: %s", p.Kind, p.Host, times(p.Panics), p.Panicked)
		}
	}
	return ok("%s without a panic", count(len(processes), "process"))
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// waiting lists the servers of which requests waited for something that they share, at the last sign.
func (e *examination) waiting(processes []store.Process) (Finding, error) {
	for _, p := range processes {
		if p.Waiting != "" {
			return found(Warn, "", "requests of the %s on %s wait for %s", p.Kind, p.Host, p.Waiting)
		}
	}
	return ok("no request waits for others")
}
