// Package deploy_test runs what deploy/ offers to those who install Terrier: units, proxies, compose. Real programs read
// the files as they are shipped; only names of machines and paths are replaced.
package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) { os.Exit(install.Main(m)) }

// need skips the test where a program is missing, except in CI, which installs them.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
}

// shipped reads a file of deploy/.
func shipped(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"../../deploy"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// write puts a file into a directory and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
