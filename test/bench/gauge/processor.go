package gauge

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Meter reads processor time: that of processes of ours, and that of a PostgreSQL.
type Meter struct{ postmaster int }

// NewMeter measures the PostgreSQL that a backend belongs to.
func NewMeter(backend int) (*Meter, error) {
	fields, err := stat(backend)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL must run on this machine, so that its processor time can be read: %w", err)
	}
	postmaster, err := strconv.Atoi(fields[1])
	return &Meter{postmaster}, err
}

// Usage is time that has passed and processor time that was used.
type Usage struct {
	Time, Go, PostgreSQL time.Duration
}

// Add sums up two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Time + v.Time, u.Go + v.Go, u.PostgreSQL + v.PostgreSQL}
}

// Start begins to measure; the returned function tells what was used since.
func (m *Meter) Start(processes ...*Process) func() Usage {
	read := func() (u Usage) {
		for _, p := range processes {
			u.Go += p.used()
		}
		u.PostgreSQL = m.server()
		return u
	}
	before, began := read(), time.Now()
	return func() Usage {
		took := time.Since(began)
		now := read()
		return Usage{took, now.Go - before.Go, now.PostgreSQL - before.PostgreSQL}
	}
}

// server adds up the postmaster, with those of its processes that have ended, and the ones that live.
func (m *Meter) server() time.Duration {
	sum := processTime(m.postmaster)
	if fields, err := stat(m.postmaster); err == nil {
		const tick = 10 * time.Millisecond // 100 a second, on every Linux there is
		for _, field := range fields[13:15] {
			n, _ := strconv.ParseInt(field, 10, 64)
			sum += time.Duration(n) * tick
		}
	}
	for _, pid := range children(m.postmaster) {
		sum += processTime(pid)
	}
	return sum
}

// children are the processes that a process has started, by any of its threads. A kernel that does not tell shows too
// little, which is seen.
func children(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // a pattern of ours
	for _, list := range lists {
		raw, _ := os.ReadFile(list) // a thread that has ended has none
		for field := range strings.FieldsSeq(string(raw)) {
			n, _ := strconv.Atoi(field)
			all = append(all, n)
		}
	}
	return all
}

// stat returns what /proc says of a process behind its name: state, parent, …
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:])), nil
}

// processTime reads the clock that Linux keeps of a process's processor time, to the nanosecond. /proc counts in
// hundredths of a second, which is most of a turn. A process that has ended has used nothing.
func processTime(pid int) time.Duration {
	const scheduler = 2
	clock := int64(^pid)<<3 | scheduler
	var t syscall.Timespec
	_, _, code := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&t)), 0)
	if code != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
