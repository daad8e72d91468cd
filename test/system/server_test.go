package system_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// patience bounds every wait, so that what hangs fails its test and not the whole run.
	patience = 30 * time.Second
	// interval is how often a condition is looked at.
	interval = 10 * time.Millisecond
)

// install is a database and the settings that its processes share.
type install struct {
	t        *testing.T
	settings map[string]string
}

// newInstall describes processes on a database; secretKey is drawn where settings do not name one.
func newInstall(t *testing.T, database string, settings ...string) *install {
	t.Helper()
	in := &install{t: t, settings: map[string]string{
		"DATABASE_URL": database,
		"SECRET_KEY":   randomHex(32),
		// The kernel draws the port and the log tells it, so that no two servers meet. Links then have an address that
		// nobody listens on, which also shows that they come from the setting.
		"LISTEN":   "127.0.0.1:0",
		"BASE_URL": "http://terrier.test",
	}}
	in.set(settings...)
	return in
}

// set takes settings as NAME=value, without the prefix.
func (in *install) set(settings ...string) {
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		in.settings[name] = value
	}
}

func (in *install) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TERRIER_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	for name, value := range in.settings {
		cmd.Env = append(cmd.Env, "TERRIER_"+name+"="+value)
	}
	return cmd
}

// terrier runs a command to its end and returns what it printed and its exit code.
func (in *install) terrier(stdin string, args ...string) (output string, code int) {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), patience)
	defer cancel()
	cmd := in.command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		in.t.Fatalf("terrier %s: %v", strings.Join(args, " "), err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// user makes an account from the command line.
func (in *install) user(name, password string, flags ...string) {
	in.t.Helper()
	args := append([]string{"user", "create", name, "--password-stdin"}, flags...)
	if out, code := in.terrier(password+"\n", args...); code != 0 {
		in.t.Fatalf("create user %s: exit code %d: %s", name, code, out)
	}
}

// token makes a token from the command line and returns its key.
func (in *install) token(user string) string {
	in.t.Helper()
	out, code := in.terrier("", "token", "create", user)
	if code != 0 {
		in.t.Fatalf("create a token: exit code %d: %s", code, out)
	}
	return regexp.MustCompile(`(?m)^[0-9a-f]{40}$`).FindString(out)
}

// server is a running process.
type server struct {
	t       *testing.T
	cmd     *exec.Cmd
	logFile string
	base    string
	ended   chan struct{} // closed when the process has ended
}

var servingAddress = regexp.MustCompile(`msg=serving address=(127\.0\.0\.1:\d+)`)

// serve starts a server and returns when it is ready.
func (in *install) serve() *server {
	in.t.Helper()
	s := &server{t: in.t, logFile: filepath.Join(in.t.TempDir(), "server.log"), ended: make(chan struct{})}
	logFile, err := os.Create(s.logFile)
	if err != nil {
		in.t.Fatal(err)
	}
	// Not the test's context: that ends before the cleanup, which wants to end the process itself.
	s.cmd = in.command(context.Background(), "serve")
	s.cmd.Stdout, s.cmd.Stderr = logFile, logFile
	err = s.cmd.Start()
	if err := errors.Join(err, logFile.Close()); err != nil {
		in.t.Fatalf("start the server: %v", err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // ProcessState tells the same
	}()
	in.t.Cleanup(s.kill)

	s.wait("listen", func() bool {
		found := servingAddress.FindStringSubmatch(s.log())
		if found != nil {
			s.base = "http://" + found[1]
		}
		return found != nil
	})
	s.wait("become ready", func() bool { return s.get("/readyz", "").status == http.StatusOK })
	return s
}

// wait looks at a condition until it holds.
func (s *server) wait(what string, holds func() bool) {
	s.t.Helper()
	eventually(s.t, "the server should "+what, func() bool {
		select {
		case <-s.ended:
			s.t.Fatalf("the server ended before it did %s:\n%s", what, s.log())
		default:
		}
		return holds()
	})
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

func (s *server) log() string {
	s.t.Helper()
	text, err := os.ReadFile(s.logFile)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("send %v: %v", sig, err)
	}
}

// exitCode waits for the end.
func (s *server) exitCode() int {
	s.t.Helper()
	select {
	case <-s.ended:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		s.t.Fatalf("the server did not end within %v:\n%s", patience, s.log())
		return -1
	}
}

// stop ends the server as an operator does.
func (s *server) stop() {
	s.t.Helper()
	s.signal(syscall.SIGTERM)
	if code := s.exitCode(); code != 0 {
		s.t.Errorf("exit code after SIGTERM: %d\n%s", code, s.log())
	}
}

// kill ends the server as a power failure does.
func (s *server) kill() {
	s.signal(syscall.SIGKILL)
	<-s.ended
}

// answer is what came back. A request that got no answer has err and status 0.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return http.StatusText(a.status) + " " + a.body
}

// read decodes the body.
func (a answer) read(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		t.Fatalf("%v: %v", err, a)
	}
}

// client uses no proxy, whatever the environment says.
var client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func (s *server) get(path, key string) answer { return s.do(http.MethodGet, path, key, nil) }

// do sends a request with a token, where there is one. A body is sent as JSON; a string or bytes as they are.
func (s *server) do(method, path, key string, body any) answer {
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Token "+key)
	}
	return s.send(method, path, header, body)
}

func (s *server) send(method, path string, header http.Header, body any) answer {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return answer{err: err}
		}
		reader = bytes.NewReader(raw)
	}
	// Not the test's context: requests are sent from goroutines that outlive a failed test by a moment.
	req, err := http.NewRequestWithContext(context.Background(), method, s.base+path, reader)
	if err != nil {
		return answer{err: err}
	}
	if reader != nil && header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return answer{err: err}
	}
	return answer{status: res.StatusCode, header: res.Header, body: string(text)}
}

// want fails the test unless the answer has the status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %v", a.status, status, a)
	}
	return a
}
