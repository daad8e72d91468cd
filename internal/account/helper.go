package account

import (
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// helperTimeout is how long one hash may take in the helper, some hundred times what it takes on an idle machine. It
// bounds the wait where others leave the helper no time.
const helperTimeout = 10 * time.Second

var errHelperStopped = errors.New("the helper was stopped")

// Helper has passwords hashed by a process of its own, which gives way to everything else: a hash keeps a core busy for
// a long time, and Go has no goroutines of low priority. The process ends with its standard input, so it does not
// outlive this one, however this one ends. Where it can't do the work, the work is done here.
type Helper struct {
	command []string
	timeout time.Duration
	log     *slog.Logger

	mu      sync.Mutex // held for as long as a hash takes
	stopped bool
	process *exec.Cmd // nil when there is none
	tasks   *gob.Encoder
	results *gob.Decoder
}

// StartHelper starts the process. The command must run ServeHelper on its standard input and output.
func StartHelper(log *slog.Logger, command ...string) *Helper {
	h := &Helper{command: command, timeout: helperTimeout, log: log}
	if err := h.start(); err != nil {
		h.warn(err)
	}
	return h
}

// Stop ends the process and waits for its end.
func (h *Helper) Stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	h.end()
}

// do does a task in the helper, or here when the helper fails: a login never fails because of it.
func (h *Helper) do(t hashTask) hashResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	result, err := h.ask(t)
	if err != nil {
		h.warn(err)
		h.end()
		return t.do()
	}
	return result
}

func (h *Helper) ask(t hashTask) (r hashResult, err error) {
	if h.process == nil {
		if err := h.start(); err != nil {
			return r, err
		}
	}
	process := h.process.Process
	late := time.AfterFunc(h.timeout, func() { _ = process.Kill() })
	defer late.Stop()
	if err := h.tasks.Encode(t); err != nil {
		return r, fmt.Errorf("hand it a password: %w", err)
	}
	if err := h.results.Decode(&r); err != nil {
		return r, fmt.Errorf("wait for its answer: %w", err)
	}
	return r, nil
}

func (h *Helper) start() error {
	if h.stopped {
		return errHelperStopped
	}
	c := exec.Command(h.command[0], h.command[1:]...)
	c.Env = []string{} // it needs none of the settings, and some are secrets
	c.Stderr = os.Stderr
	// A session of its own is also a group of its own to Linux's scheduler, and keeps a terminal's signals away.
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start it: %w", err)
	}
	h.process, h.tasks, h.results = c, gob.NewEncoder(in), gob.NewDecoder(out)
	return nil
}

func (h *Helper) end() {
	if h.process == nil {
		return
	}
	_ = h.process.Process.Kill() // it has nothing to lose
	_ = h.process.Wait()
	h.process = nil
}

func (h *Helper) warn(err error) {
	h.log.Warn("the process that hashes passwords failed: this one hashes, and tries to start another for the next password", "error", err)
}
