package system_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"terrier/internal/dbtest"
)

// TestFirstSteps types in what the page says for a start from source, which is also what the README says, and then what the page on
// webhooks says for the first two minutes. The test has a database and a program already, and ports of its own.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	steps := blockWith(t, "docs/first-steps.md", "make build")
	if commands(steps) != commands(blockWith(t, "README.md", "make build")) {
		t.Error("README.md and docs/first-steps.md start Terrier in different ways")
	}
	serving, listening := freePort(t), freePort(t)
	script := "set -eu\nexport TERRIER_SHUTDOWN_DELAY=0s TERRIER_LISTEN=127.0.0.1:" + serving + "\n" + strings.NewReplacer(
		`eval "$(scripts/postgres start /tmp/terrier-db)"`, "export TERRIER_DATABASE_URL='"+dbtest.New(t)+"'",
		"make build\n", "mkdir bin && ln -s "+newInstall(t, "").Binary+" bin/terrier\n",
		":9000", ":"+listening,
		"serve --worker &", "serve --worker 2>server.log &",
		"webhook_receiver --secret s3cret", "webhook_receiver --secret s3cret --port "+listening+" >listener.log 2>&1 &").Replace(steps) + `
trap 'kill %1 %2; wait' EXIT
ready() { curl -sf http://127.0.0.1:8000/readyz && grep -q Listening listener.log; }
until ready >/dev/null; do sleep 0.1; done # all that a shell can do
` + strings.Split(blockWith(t, "README.md", "provision"), "\n")[0] + ` >token
KEY=$(jq -r .key token)
` + strings.ReplaceAll(blockWith(t, "docs/webhooks.md", `"name": "first"`), ":9000", ":"+listening) + `
until grep -q 'X-Hook-Signature is valid' listener.log; do sleep 0.1; done
`
	cmd := exec.CommandContext(t.Context(), "timeout", "60", "bash", "-c", strings.ReplaceAll(script, "127.0.0.1:8000", "127.0.0.1:"+serving))
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		for _, name := range []string{"server.log", "listener.log"} {
			text, _ := os.ReadFile(filepath.Join(cmd.Dir, name)) // if it came so far
			t.Logf("%s:\n%s", name, text)
		}
		t.Fatalf("the commands end with %v:\n%s", err, out)
	}
}

// TestArchive types in what docs/install.md says for the program of the archive. The password comes from a pipe, and the server is stopped
// when it is ready.
func TestArchive(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	script := "set -eu\nexport TERRIER_SHUTDOWN_DELAY=0s TERRIER_LISTEN=127.0.0.1:" + port + "\n" + strings.NewReplacer(
		"TERRIER_DATABASE_URL=postgres://terrier:PASSWORD@127.0.0.1/terrier", "TERRIER_DATABASE_URL='"+dbtest.New(t)+"'",
		"./terrier user create alice --superuser",
		"echo 'correct horse battery staple' | ./terrier user create alice --superuser --password-stdin",
		"./terrier serve --worker", "./terrier serve --worker 2>server.log &").Replace(blockWith(t, "docs/install.md", "./terrier migrate")) + `
trap 'kill %1; wait' EXIT
until curl -sf http://127.0.0.1:` + port + `/readyz >/dev/null; do sleep 0.1; done
./terrier doctor --offline --only database,schema,fleet
`
	dir := t.TempDir()
	if err := os.Symlink(newInstall(t, "").Binary, filepath.Join(dir, "terrier")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "timeout", "60", "bash", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the commands end with %v:\n%s", err, out)
	}
}

// blockWith returns the first block of commands in a page that contains a text.
func blockWith(t *testing.T, page, text string) string {
	t.Helper()
	raw, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range example.FindAllStringSubmatch(string(raw), -1) {
		if strings.Contains(found[1], text) {
			return found[1]
		}
	}
	t.Fatalf("%s has no commands with %q", page, text)
	return ""
}

// commands returns the lines of a block without their comments.
func commands(block string) string {
	var out []string
	for line := range strings.Lines(block) {
		line, _, _ = strings.Cut(line, "  # ")
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "\n")
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it is only asked for its port
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
