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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Process is a running server or worker.
type Process struct {
	Base  string        // the address of a server
	Ended chan struct{} // closed when the process has ended

	client  *http.Client
	t       *testing.T
	cmd     *exec.Cmd
	logFile string
}

var servingAddress = regexp.MustCompile(`msg=serving address=(\S+) tls=(true|false)`)

// Serve starts a server and returns when it is ready.
func (in *Install) Serve(flags ...string) *Process {
	in.T.Helper()
	p := in.Start(append([]string{"serve"}, flags...)...)
	p.wait("listen", func() bool {
		found := servingAddress.FindStringSubmatch(p.Log())
		if found == nil {
			return false
		}
		p.Base = "http://" + found[1]
		if found[2] == "true" {
			p.Base = "https://" + found[1]
		}
		if strings.HasPrefix(found[1], "/") { // a Unix socket, which in.Client knows how to reach
			p.Base = "http://terrier.test"
		}
		return true
	})
	p.wait("become ready", func() bool { return p.Get("/readyz", "").Status == http.StatusOK })
	return p
}

// Through returns an address in front of processes, such as that of a proxy, for requests alone.
func Through(t *testing.T, base string, client *http.Client) *Process {
	return &Process{Base: base, t: t, client: client}
}

var monitoringAddress = regexp.MustCompile(`msg=monitoring address=(127\.0\.0\.1:\d+)`)

// Monitoring returns the process as its monitoring sees it: its metrics and probes. METRICS_LISTEN must be set.
func (p *Process) Monitoring() *Process {
	p.t.Helper()
	found := monitoringAddress.FindStringSubmatch(p.Log())
	if found == nil {
		p.t.Fatalf("there is no address for monitoring in the log:\n%s", p.Log())
	}
	return &Process{Base: "http://" + found[1], Ended: p.Ended, client: client, t: p.t, cmd: p.cmd, logFile: p.logFile}
}

var workerStarted = regexp.MustCompile(`msg="worker started"`)

// Work starts a worker and returns when it works.
func (in *Install) Work() *Process {
	in.T.Helper()
	p := in.Start("worker")
	p.wait("start", func() bool { return workerStarted.MatchString(p.Log()) })
	return p
}

// Start starts a command that keeps running. Its output is the log.
func (in *Install) Start(args ...string) *Process {
	in.T.Helper()
	p := &Process{t: in.T, client: in.Client, logFile: filepath.Join(in.T.TempDir(), args[0]+".log"), Ended: make(chan struct{})}
	logFile, err := os.Create(p.logFile)
	if err != nil {
		in.T.Fatal(err)
	}
	// Not the test's context: that ends before the cleanup, which wants to end the process itself.
	p.cmd = in.command(context.Background(), args...)
	p.cmd.Stdout, p.cmd.Stderr = logFile, logFile
	err = p.cmd.Start()
	if err := errors.Join(err, logFile.Close()); err != nil {
		in.T.Fatalf("start terrier %s: %v", args[0], err)
	}
	go func() {
		defer close(p.Ended)
		_ = p.cmd.Wait() // ProcessState tells the same
	}()
	in.T.Cleanup(p.Kill)
	return p
}

// wait looks at a condition until it holds.
func (p *Process) wait(what string, holds func() bool) {
	p.t.Helper()
	Eventually(p.t, "the process should "+what, func() bool {
		select {
		case <-p.Ended:
			p.t.Fatalf("the process ended before it did %s:\n%s", what, p.Log())
		default:
		}
		return holds()
	})
}

// Log is what the process has written so far.
func (p *Process) Log() string {
	p.t.Helper()
	text, err := os.ReadFile(p.logFile)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Signal sends a signal, unless the process has ended.
func (p *Process) Signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("send %v: %v", sig, err)
	}
}

// ExitCode waits for the end.
func (p *Process) ExitCode() int {
	p.t.Helper()
	p.awaitEnd()
	return p.cmd.ProcessState.ExitCode()
}

// EndedBy waits for the end and returns the signal that caused it, or -1.
func (p *Process) EndedBy() syscall.Signal {
	p.t.Helper()
	p.awaitEnd()
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return -1
	}
	return status.Signal()
}

func (p *Process) awaitEnd() {
	p.t.Helper()
	select {
	case <-p.Ended:
	case <-time.After(Patience):
		p.t.Fatalf("the process did not end within %v:\n%s", Patience, p.Log())
	}
}

// Stop ends the process as an operator does.
func (p *Process) Stop() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	if code := p.ExitCode(); code != 0 {
		p.t.Errorf("exit code after SIGTERM: %d\n%s", code, p.Log())
	}
}

// Kill ends the process as a power failure does.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.Ended
}

// Memory reads a figure of the process: VmRSS, what it holds, or VmHWM, the most it ever held. A process that has
// ended holds nothing.
func (p *Process) Memory(name string) int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kibibytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				p.t.Error(err)
			}
			return kibibytes << 10
		}
	}
	return 0
}
