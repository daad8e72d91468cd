package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clock measures time, and processor time of this process and of PostgreSQL.
func (r *rig) clock(ctx context.Context) (func(n int) drained, error) {
	var backend int
	if err := r.db.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return nil, err
	}
	fields, err := stat(backend)
	if err != nil {
		return nil, err
	}
	postmaster, err := strconv.Atoi(fields[1])
	if err != nil {
		return nil, err
	}
	start, own, database := time.Now(), ownTime(), serverTime(postmaster)
	return func(n int) drained {
		took := time.Since(start)
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
		return drained{float64(n) / took.Seconds(), each(ownTime() - own), each(serverTime(postmaster) - database)}
	}, nil
}

func ownTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// stat returns what /proc says of a process behind its name: state, parent, …
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:])), nil
}

// serverTime adds up the postmaster, with those of its processes that have ended, and the
// ones that live.
func serverTime(postmaster int) time.Duration {
	const tick = 10 * time.Millisecond // 100 a second, on every Linux there is
	var ticks int64
	add := func(fields []string, which ...int) {
		for _, i := range which {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			ticks += n
		}
	}
	paths, _ := filepath.Glob("/proc/[0-9]*") // a pattern of ours
	for _, path := range paths {
		pid, _ := strconv.Atoi(filepath.Base(path))
		fields, err := stat(pid)
		switch {
		case err != nil:
		case pid == postmaster:
			add(fields, 11, 12, 13, 14)
		case fields[1] == strconv.Itoa(postmaster):
			add(fields, 11, 12)
		}
	}
	return time.Duration(ticks) * tick
}
