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

// Meter measures the processor time of our processes and of a PostgreSQL.
type Meter struct{ postmaster int }

// NewMeter returns a meter for the PostgreSQL that a backend belongs to.
func NewMeter(backend int) (*Meter, error) {
	fields, err := stat(backend)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL must run on this machine, so that its processor time can be read: %w", err)
	}
	postmaster, err := strconv.Atoi(fields[1])
	return &Meter{postmaster}, err
}

// Usage is the time that has passed and the processor time that was used.
type Usage struct {
	Time, Go, PostgreSQL time.Duration
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Time + v.Time, u.Go + v.Go, u.PostgreSQL + v.PostgreSQL}
}

// Start begins a measurement. The function that it returns returns what was used since.
//
// Processes of PostgreSQL may end while they are read. Because of the order in which running and ended processes are read, such a process
// is left out: its work is lost, but its work before the measurement is never counted.
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

// since returns what a PostgreSQL used: from what its processes had used before, what they have used now, and the total of those that ended
// in between.
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

// living returns what each running process of the PostgreSQL has used.
func (m *Meter) living() map[int]time.Duration {
	used := map[int]time.Duration{m.postmaster: ProcessTime(m.postmaster)}
	for _, pid := range children(m.postmaster) {
		used[pid] = ProcessTime(pid)
	}
	return used
}

// ended returns what all ended processes of the PostgreSQL had used.
func (m *Meter) ended() (used time.Duration) {
	fields, err := stat(m.postmaster)
	if err != nil {
		return 0
	}
	const tick = 10 * time.Millisecond // 100 a second on every Linux
	for _, field := range fields[13:15] {
		n, _ := strconv.ParseInt(field, 10, 64)
		used += time.Duration(n) * tick
	}
	return used
}

// children returns the processes that any thread of a process has started. On a kernel without this information the result is too small,
// which shows in the figures.
func children(pid int) (all []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		raw, _ := os.ReadFile(list) // a thread that has ended has none
		for field := range strings.FieldsSeq(string(raw)) {
			n, _ := strconv.Atoi(field)
			all = append(all, n)
		}
	}
	return all
}

// stat returns the fields of /proc/PID/stat after the name: state, parent, …
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:])), nil
}

// resident returns how much memory a process uses: the second figure of statm, which is in pages.
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

// ProcessTime returns the processor time of a process from its Linux clock, to the nanosecond. /proc counts in hundredths of a second,
// which is too coarse for a turn. The result is 0 for a process that has ended.
func ProcessTime(pid int) time.Duration {
	const scheduler = 2
	clock := int64(^pid)<<3 | scheduler
	var t syscall.Timespec
	_, _, code := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&t)), 0)
	if code != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
