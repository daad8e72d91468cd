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
//
// A PostgreSQL's processes may end while they are read. The order in which the living and the ended are read sees to it
// that one that does is left out: what it did is lost, and what it had done before is never counted.
func (m *Meter) Start(processes ...*Process) func() Usage {
	ours := func() (sum time.Duration) {
		for _, p := range processes {
			sum += p.used()
		}
		return sum
	}
	own, living, began := ours(), m.living(), time.Now()
	ended := m.ended()
	return func() Usage {
		took, own, ended := time.Since(began), ours()-own, m.ended()-ended
		return Usage{took, own, since(living, m.living(), ended)}
	}
}

// since is what a PostgreSQL used, from what its processes had used before, what they have used now, and what those that
// ended in between had used in all.
func since(before, now map[int]time.Duration, ended time.Duration) (used time.Duration) {
	for pid, has := range now {
		used += max(0, has-before[pid])
	}
	for pid, had := range before {
		if _, lives := now[pid]; !lives {
			ended -= had
		}
	}
	return used + max(0, ended)
}

// living is what each process of the PostgreSQL that lives has used.
func (m *Meter) living() map[int]time.Duration {
	used := map[int]time.Duration{m.postmaster: processTime(m.postmaster)}
	for _, pid := range children(m.postmaster) {
		used[pid] = processTime(pid)
	}
	return used
}

// ended is what all processes of the PostgreSQL that have ended had used.
func (m *Meter) ended() (used time.Duration) {
	fields, err := stat(m.postmaster)
	if err != nil {
		return 0
	}
	const tick = 10 * time.Millisecond // 100 a second, on every Linux there is
	for _, field := range fields[13:15] {
		n, _ := strconv.ParseInt(field, 10, 64)
		used += time.Duration(n) * tick
	}
	return used
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

// resident reads how much memory a process holds: the second figure of statm, in pages.
func resident(pid int) (int64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(raw), &size, &pages); err != nil {
		return 0, fmt.Errorf("read the memory of a process: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
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
