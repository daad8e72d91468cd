package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience limits every wait for a process.
const patience = 60 * time.Second

// process is a running server or worker.
type process struct {
	base    string        // the address of a server
	ended   chan struct{} // closed when it has ended
	cmd     *exec.Cmd
	logFile string
}

var (
	serving = regexp.MustCompile(`msg=serving address=(127\.0\.0\.1:\d+)`)
	started = regexp.MustCompile(`msg="worker started"`)
)

// node is a place where a process runs and is restarted. It has its own proxy to the database.
type node struct {
	name  string        // api-1, worker-2 …
	role  string        // serve, worker
	ahead time.Duration // how far its clock is ahead
	proxy *proxy
	w     *world

	mu    sync.Mutex
	proc  *process
	runs  int
	ready bool
}

func (n *node) now() *process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc
}

// start runs the program and returns when it is ready.
func (n *node) start(ctx context.Context) error {
	n.runs++
	p := &process{logFile: filepath.Join(n.w.logs, fmt.Sprintf("%s-%d.log", n.name, n.runs)), ended: make(chan struct{})}
	file, err := os.Create(p.logFile)
	if err != nil {
		return err
	}
	p.cmd = n.w.command(context.WithoutCancel(ctx), n.proxy.address(), n.role) // it is ended by its node, never by the context
	p.cmd.Env = append(p.cmd.Env, aheadEnv+"="+n.ahead.String())
	p.cmd.Stdout, p.cmd.Stderr = file, file
	err = p.cmd.Start()
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("start %s: %w", n.name, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // ProcessState has the same result
		n.setReady(false)
	}()
	n.mu.Lock()
	n.proc = p
	n.mu.Unlock()
	if err := p.await(ctx, n); err != nil {
		return fmt.Errorf("%s: %w\n%s", n.name, err, p.tail())
	}
	n.setReady(true)
	return nil
}

func (n *node) setReady(ready bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ready = ready
}

// await waits until the process is ready.
func (p *process) await(ctx context.Context, n *node) error {
	limit := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		log, err := os.ReadFile(p.logFile)
		if err != nil {
			return err
		}
		switch found := serving.FindSubmatch(log); {
		case n.role == "worker" && started.Match(log):
			return nil
		case n.role == "serve" && found != nil:
			base := "http://" + string(found[1])
			if n.w.probe(ctx, base) {
				n.mu.Lock()
				p.base = base
				n.mu.Unlock()
				return nil
			}
		}
		select {
		case <-p.ended:
			return errors.New("it ended before it worked")
		case <-limit:
			return fmt.Errorf("it did not work within %v", patience)
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// address returns the address of the node's server, "" if it can't be reached.
func (n *node) address() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc == nil {
		return ""
	}
	return n.proc.base
}

// pid returns the id of the process, which is part of the names of workers.
func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) tail() string {
	log, err := os.ReadFile(p.logFile)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// end sends a signal, waits for the end of the process, and checks that this signal was its cause. SIGKILL shows in the status. After
// SIGTERM the process exits with 0.
func (n *node) end(sig syscall.Signal) error {
	p := n.now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("%s was to get %v and was gone already (%v):\n%s", n.name, sig, p.cmd.ProcessState, p.tail())
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill() // the error reports that it did not end
		return fmt.Errorf("%s did not end within %v of %v:\n%s", n.name, patience, sig, p.tail())
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return fmt.Errorf("%s: no wait status", n.name)
	}
	switch {
	case sig == syscall.SIGKILL && (!status.Signaled() || status.Signal() != sig):
		return fmt.Errorf("%s got %v and ended otherwise: %v", n.name, sig, p.cmd.ProcessState)
	case sig == syscall.SIGTERM && (!status.Exited() || status.ExitStatus() != 0):
		return fmt.Errorf("%s got %v and did not end in order: %v\n%s", n.name, sig, p.cmd.ProcessState, p.tail())
	}
	return nil
}

// running reports whether the node's process has not ended.
func (n *node) running() bool {
	p := n.now()
	if p == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}
