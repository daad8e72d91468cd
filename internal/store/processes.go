package store

import (
	"context"
	"time"
)

// Process is a running server or worker: what `terrier doctor` compares between them. No part of a secret can be told from
// the ids of keys, which are also in what the keys protect.
type Process struct {
	ID, Kind, Host, Program string
	KeyIDs                  []string // the current key first
	Changes, Deliveries     int      // how many days they are kept
	SeenAt                  time.Time
	Panics                  int64          // of its goroutines, since it was started
	Panicked                string         // their names
	Waiting                 string         // what its requests waited for at its last sign
	ClockOffset             *time.Duration // how far the database's clock is ahead of the process's at least; nil if not known
}

// ClockTolerance is how far the clock of a server may differ from the database's. Changes have the server's time.
const ClockTolerance = 2 * time.Second

// ClockWrong reports whether the process is a server whose clock differs too much.
func (p Process) ClockWrong() bool {
	return p.Kind == ServerKind && p.ClockOffset != nil && p.ClockOffset.Abs() > ClockTolerance
}

// The kinds of process that run for long.
const (
	ServerKind = "server"
	WorkerKind = "worker"
)

// PresentLately is how long after its last sign a process counts as running.
const PresentLately = 3 * PresentEvery

// PresentEvery is how often a process says that it is running.
const PresentEvery = 15 * time.Second

const selectProcesses = `SELECT id, kind, host, program, key_ids, changelog_retention, delivery_retention, seen_at, panics, panicked,
	waiting, clock_offset FROM extras_process WHERE seen_at >= now() - $1::interval ORDER BY kind, host, id`

// Present records that a process is running. It returns the database's time.
func (s *Store) Present(ctx context.Context, p Process) (now time.Time, err error) {
	defer named(&err, "note that this process runs")
	err = s.pool.QueryRow(ctx, `
		INSERT INTO extras_process (id, kind, host, program, key_ids, changelog_retention, delivery_retention, seen_at, panics, panicked,
			clock_offset, waiting)
		VALUES ($1, $2, $3, $4, $5, $6, $7, now(), $8, $9, $10, $11)
		ON CONFLICT (id) DO UPDATE SET seen_at = now(), panics = excluded.panics, panicked = excluded.panicked,
			clock_offset = excluded.clock_offset, waiting = excluded.waiting
		RETURNING clock_timestamp()`,
		p.ID, p.Kind, p.Host, p.Program, p.KeyIDs, p.Changes, p.Deliveries, p.Panics, p.Panicked, p.ClockOffset,
		p.Waiting).Scan(&now)
	return now, s.translate(err)
}

// Absent records that a process has ended.
func (s *Store) Absent(ctx context.Context, id string) (err error) {
	defer named(&err, "note that this process ends")
	_, err = s.pool.Exec(ctx, "DELETE FROM extras_process WHERE id = $1", id)
	return s.translate(err)
}
