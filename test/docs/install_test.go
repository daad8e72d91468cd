package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// runs are commands of the pages for which packaging/first-install runs others: in its root there are neither systemd nor a terminal, and
// the package has another name.
var runs = map[string]string{
	"sudo apt install postgresql":                          "apt-get install -y -q --no-install-recommends postgresql",
	"sudo apt install ./terrier_VERSION_amd64.deb":         "apt-get install -y -q ./terrier.deb",
	"sudo systemctl start terrier-migrate":                 "sudo terrier-admin migrate",
	"sudo terrier-admin user create alice --superuser":     "sudo terrier-admin user create alice --superuser --password-stdin",
	"sudo systemctl enable --now terrier terrier-worker@1": "terrier-admin serve",
	"sudo systemctl restart terrier terrier-worker@1":      "terrier-admin worker",
}

var shell = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestInstallIsRehearsed: packaging/first-install runs every command that the pages show for an installation from the package.
func TestInstallIsRehearsed(t *testing.T) {
	t.Parallel()
	script := read(t, root+"/packaging/first-install")
	steps, install := read(t, root+"/docs/first-steps.md"), read(t, root+"/docs/install.md")
	for name, section := range map[string]string{
		"PostgreSQL": between(t, install, "\n## PostgreSQL\n", "\n## "), "Package": between(t, install, "\n## Package\n", "\n## "),
		"First steps": between(t, steps, "\n## 1. Start it\n", "\nFrom source"),
	} {
		block := shell.FindStringSubmatch(section)
		if block == nil {
			t.Fatalf("%s has no commands", name)
		}
		for line := range strings.Lines(block[1]) {
			command, _, _ := strings.Cut(line, "  #")
			command = strings.TrimSpace(command)
			if other, ok := runs[command]; ok {
				command = other
			}
			if !strings.Contains(script, command) {
				t.Errorf("%s: packaging/first-install does not run %q", name, command)
			}
		}
	}
}

// between returns the part of a text after one mark and before another, which may be missing.
func between(t *testing.T, text, after, before string) string {
	t.Helper()
	_, part, found := strings.Cut(text, after)
	if !found {
		t.Fatalf("there is no %q", after)
	}
	part, _, _ = strings.Cut(part, before)
	return part
}
