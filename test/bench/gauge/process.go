package gauge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a part of the benchmark that runs as a separate process, so that its processor time can be measured. It is this same program,
// called with "child", a role and its settings.
type Process struct {
	Address string // the address at which it listens, if it does
	role    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// Child is the first argument of a process that Launch has started.
const Child = "child"

// Launch starts a process and waits until it is ready.
func Launch(ctx context.Context, role string, settings any) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	p := &Process{role: role, cmd: exec.CommandContext(ctx, self, Child, role, string(raw))}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if p.Address, err = p.answer(); err != nil {
		_ = p.End() // the first error is more useful
		return nil, err
	}
	return p, nil
}

// used returns the processor time of the process.
func (p *Process) used() time.Duration { return ProcessTime(p.cmd.Process.Pid) }

// Resident returns how much memory the process uses, in bytes.
func (p *Process) Resident() (int64, error) { return resident(p.cmd.Process.Pid) }

// Do sends a command to the process and waits until it is done.
func (p *Process) Do(command string) error {
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return fmt.Errorf("tell the %s to %s: %w", p.role, command, err)
	}
	_, err := p.answer()
	return err
}

func (p *Process) answer() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the %s has ended: %w", p.role, err)
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "ok")
	if !ok {
		return "", fmt.Errorf("%s: %s", p.role, strings.TrimSpace(line))
	}
	return strings.TrimSpace(text), nil
}

// End lets the process finish.
func (p *Process) End() error {
	err := p.in.Close()
	return errors.Join(err, p.cmd.Wait())
}

// Obey is the child's side: it reports that the process is ready, and carries out commands until its parent has ended.
func Obey(in io.Reader, out io.Writer, address string, do func(command string) error) error {
	if _, err := fmt.Fprintln(out, "ok", address); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		answer := "ok"
		if err := do(lines.Text()); err != nil {
			answer = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
