// Package install gives tests the real binary: processes on a database, the requests that are sent to them, their logs
// and their end. What the processes should do, the packages say that use it.
package install

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Patience bounds every wait, so that what hangs fails its test and not the whole run.
const Patience = time.Minute

// interval is how often a condition is looked at.
const interval = 10 * time.Millisecond

// binary is the program under test.
var binary string

// Main runs the tests with the program that TERRIER_TEST_BINARY names, or builds it first. It returns the exit code.
func Main(m *testing.M) (code int) {
	if binary = os.Getenv("TERRIER_TEST_BINARY"); binary != "" {
		return m.Run()
	}
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
	if err := Build(context.Background(), ".", binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Build compiles the program whose source a directory is in.
func Build(ctx context.Context, dir, binary string) error {
	// The flags of `make build`, so that the two share the build cache.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "terrier/cmd/terrier")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the binary: %w\n%s", err, out)
	}
	return nil
}

// Install is a database and the settings that its processes share.
type Install struct {
	T        *testing.T
	Binary   string // the program that new processes run
	Settings map[string]string
	Env      []string     // NAME=value of what is no setting
	Client   *http.Client // sends the requests to processes that are started afterwards
}

// New describes processes on a database; the secret key is drawn where settings do not name one.
func New(t *testing.T, database string, settings ...string) *Install {
	t.Helper()
	in := &Install{T: t, Binary: binary, Client: client, Settings: map[string]string{
		"DATABASE_URL": database,
		"SECRET_KEY":   RandomHex(32),
		// The kernel draws the port and the log tells it, so that no two servers meet. Links then have an address that
		// nobody listens on, which also shows that they come from the setting.
		"LISTEN":   "127.0.0.1:0",
		"BASE_URL": "http://terrier.test",
		// There is no load balancer that would have to notice.
		"SHUTDOWN_DELAY": "0s",
	}}
	in.Set(settings...)
	return in
}

// Set takes settings as NAME=value, without the prefix.
func (in *Install) Set(settings ...string) {
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		in.Settings[name] = value
	}
}

func (in *Install) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, in.Binary, args...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TERRIER_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, in.Env...)
	for name, value := range in.Settings {
		cmd.Env = append(cmd.Env, "TERRIER_"+name+"="+value)
	}
	return cmd
}

// Terrier runs a command to its end and returns what it printed and its exit code.
func (in *Install) Terrier(stdin string, args ...string) (output string, code int) {
	in.T.Helper()
	ctx, cancel := context.WithTimeout(in.T.Context(), Patience)
	defer cancel()
	cmd := in.command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		in.T.Fatalf("terrier %s: %v", strings.Join(args, " "), err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// User makes an account from the command line.
func (in *Install) User(name, password string, flags ...string) {
	in.T.Helper()
	args := append([]string{"user", "create", name, "--password-stdin"}, flags...)
	if out, code := in.Terrier(password+"\n", args...); code != 0 {
		in.T.Fatalf("create user %s: exit code %d: %s", name, code, out)
	}
}

// Token makes a token from the command line and returns its key.
func (in *Install) Token(user string) string {
	in.T.Helper()
	out, code := in.Terrier("", "token", "create", user)
	if code != 0 {
		in.T.Fatalf("create a token: exit code %d: %s", code, out)
	}
	return regexp.MustCompile(`(?m)^[0-9a-f]{40}$`).FindString(out)
}

// Eventually looks at a condition until it holds.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	Within(t, Patience, what, holds)
}

// Within is Eventually with a bound of its own. It returns how long it took.
func Within(t *testing.T, bound time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	deadline := time.NewTimer(bound)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %v", what, bound)
		}
	}
	return time.Since(began)
}
