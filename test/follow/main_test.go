// Package follow_test runs the followers of examples/follow against a real server, kills them at random while others write, and compares
// their copies with the register.
package follow_test

import (
	"os"
	"os/exec"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) { os.Exit(install.Main(m)) }

// needs skips a test if programs that it runs are not installed. In CI they must be.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
}
