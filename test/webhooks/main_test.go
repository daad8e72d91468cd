// Package webhooks_test tests webhooks with the real programs: a server and a worker as people run them, a receiver
// that this package plays, well-behaved or not, and the death of a process or the database in between.
//
// Every test ends with an audit of what was received against what was promised: audit_test.go.
package webhooks_test

import (
	"flag"
	"os"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests mostly wait for other processes, so more of them can run than there are cores.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(install.Main(m))
}
