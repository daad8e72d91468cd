package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// newResult returns the result of this run, still without rows. It also finds the PostgreSQL whose processor time counts.
func (b *bench) newResult(ctx context.Context) (*figures.Result, error) {
	var backend int
	var version string
	if err := b.pool.QueryRow(ctx, "SELECT pg_backend_pid(), split_part(current_setting('server_version'), ' ', 1)").Scan(&backend,
		&version); err != nil {
		return nil, err
	}
	var err error
	if b.meter, err = gauge.NewMeter(backend); err != nil {
		return nil, err
	}
	return &figures.Result{
		Started: time.Now().UTC().Truncate(time.Second),
		Commit:  commit(ctx),
		Machine: figures.Machine{Processor: fromProc("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), MemoryGiB: memoryGiB(),
			Go: strings.TrimPrefix(runtime.Version(), "go"), PostgreSQL: version},
		Sizes: figures.Sizes{Records: b.o.records, Queued: b.o.queued, Deliveries: b.o.deliveries, Rounds: b.o.rounds,
			Connections: b.o.connections, User: b.o.user},
	}, nil
}

func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown commit"
	}
	return strings.TrimSpace(string(out))
}

func memoryGiB() int {
	kibibytes, _ := strconv.Atoi(strings.TrimSuffix(fromProc("/proc/meminfo", "MemTotal"), " kB")) // 0 if it is not known
	return (kibibytes + 1<<19) >> 20
}

// fromProc returns a value from a file of names and values, "" if it has none.
func fromProc(file, name string) string {
	raw, _ := os.ReadFile(file) // without the file there is no value
	for line := range strings.Lines(string(raw)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
