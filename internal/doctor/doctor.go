// Package doctor owns the checks of `terrier doctor` and of the page System › Health: what is looked at, what is
// wrong with it, and the command that fixes it.
//
// A check only looks. It changes nothing, sends no webhook, needs no running server and shows no secret. The checks
// are in one list; each has a section in docs/troubleshooting.md and a fixture in test/doctor that makes it fail.
package doctor

import "context"

// Status is the outcome of a check.
type Status string

const (
	OK   Status = "ok"
	Warn Status = "warn" // it works, but not as it should, or not for long
	Fail Status = "fail"
	Skip Status = "skip" // it could not be checked, which is not a fault of what it looks at
)

// Finding is what a check saw.
type Finding struct {
	Status Status
	Seen   string
	Remedy string // more exact than that of the check

	// Blocked says that it was skipped because something else is wrong, which another check names.
	Blocked bool
}

// Check is one thing to look at.
type Check struct {
	Group, Name string
	Remedy      string // the command or setting that fixes it
	needs       needs
	run         func(*examination, context.Context) (Finding, error)
}

// ID names a check in links: settings-parse.
func (c Check) ID() string { return c.Group + "-" + c.Name }

// Page is where the documentation explains it.
func (c Check) Page() string { return "docs/troubleshooting.md#" + c.ID() }

// needs is what must be there before a check can run.
type needs int

const (
	address  needs = 1 << iota // an address of the database
	database                   // a connection
	tables                     // a schema, of whatever version
	keys                       // a valid secret key
	policy                     // valid settings of webhooks
	outside                    // DNS, or other hosts than the database
)

// Checks lists all checks, in the order in which they are shown.
func Checks() []Check {
	var all []Check
	for _, group := range [][]Check{settingsChecks, databaseChecks, schemaChecks, fleetChecks, queueChecks, webhookChecks, keyChecks,
		proxyChecks, systemChecks} {
		all = append(all, group...)
	}
	return all
}

// Groups lists the groups of checks, in the same order.
func Groups() (groups []string) {
	for _, c := range Checks() {
		if len(groups) == 0 || groups[len(groups)-1] != c.Group {
			groups = append(groups, c.Group)
		}
	}
	return groups
}
