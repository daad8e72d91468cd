// Package system_test tests what needs the real binary: several processes on one database, signals, kills, logs,
// dumps and memory. Everything else is tested closer to the code.
package system_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "terrier-system.")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a directory for the binary:", err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "remove the binary:", err)
			code = 1
		}
	}()
	binary = filepath.Join(dir, "terrier")
	// The flags of `make build`, so that the two share the build cache.
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "terrier/cmd/terrier")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the binary: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
