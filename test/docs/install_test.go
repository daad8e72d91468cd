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

// others are commands that packaging/first-install does not run, with what does, or why nothing does.
var others = map[string]string{
	"minisign -Vm SHA256SUMS":             "packaging/check makes a release, and verifies it",
	"make build":                          "TestFirstSteps in test/system",
	"make packages":                       "make first-install begins with it",
	"podman load":                         "a registry or Podman is needed; packaging/check runs what is in the image",
	"cd deploy/compose && ./make-secrets": "TestCompose in test/deploy",
	"export TERRIER_VERSION=VERSION":      "TestCompose in test/deploy",
	"podman compose":                      "Podman is needed; TestCompose in test/deploy runs the services with their settings",
	"kubectl":                             "a cluster is needed; TestKubernetes reads the manifests",
}

var shell = regexp.MustCompile("(?s)\n```sh\n(.*?)```")

// TestInstallIsRehearsed: packaging/first-install, or TestFirstSteps and TestArchive in test/system, run every command that the pages show
// for an installation; for each other command it is known what does, or why nothing does.
func TestInstallIsRehearsed(t *testing.T) {
	t.Parallel()
	script := regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAllString(read(t, root+"/packaging/first-install"), "")
	readme, steps, install := read(t, root+"/README.md"), read(t, root+"/docs/first-steps.md"), read(t, root+"/docs/install.md")
	for name, c := range map[string]struct {
		text string
		want int // commands
	}{
		"README.md": {between(t, readme, "\n## Install\n", "\n## "), 8}, "first-steps.md": {steps, 1}, "install.md": {install, 20},
	} {
		found := 0
		for _, block := range shell.FindAllStringSubmatch(c.text, -1) {
			if strings.Contains(block[1], "bin/terrier migrate") || strings.Contains(block[1], "./terrier migrate") {
				continue // the tests in test/system run the whole block
			}
			for _, command := range commandsOf(block[1]) {
				found++
				if _, known := others[prefixOf(command)]; !known && !strings.Contains(script, rehearsed(command)) {
					t.Errorf("%s: packaging/first-install does not run %q", name, command)
				}
			}
		}
		if found < c.want {
			t.Errorf("%s has %d commands, want %d at least", name, found, c.want)
		}
	}
}

// commandsOf returns the commands of a block, without comments and in one line each.
func commandsOf(block string) (commands []string) {
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
		line, _, _ = strings.Cut(line, "  #")
		for command := range strings.SplitSeq(line, " && sudo") {
			if command = strings.TrimSpace(command); strings.HasPrefix(command, "-u ") || strings.HasPrefix(command, "terrier-admin ") {
				command = "sudo " + command // it was cut
			}
			if command != "" {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// prefixOf returns the entry of others that a command begins with.
func prefixOf(command string) string {
	for prefix := range others {
		if strings.HasPrefix(command, prefix) {
			return prefix
		}
	}
	return ""
}

// rehearsed returns what packaging/first-install runs for a command.
func rehearsed(command string) string {
	if other, ok := runs[command]; ok {
		return other
	}
	return command
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
