// Package webhooks_test tests webhooks on the real thing: a server and a worker as people run them, a receiver that
// this package plays, well-behaved or not, and what happens when a process or the database dies in between.
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
	// These tests wait for other processes most of the time, so more of them fit onto the machine than it has cores.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(install.Main(m))
}
