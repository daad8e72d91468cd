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
	Panics                  int64  // of its goroutines, since it was started
	Panicked                string // their names
}

// PresentEvery is how often a process says that it is running.
const PresentEvery = 15 * time.Second

const selectProcesses = `SELECT id, kind, host, program, key_ids, changelog_retention, delivery_retention, seen_at, panics, panicked FROM extras_process
	WHERE seen_at >= now() - $1::interval ORDER BY kind, host, id`

// Present records that a process is running.
func (s *Store) Present(ctx context.Context, p Process) error {
	_, err := s.pool.Exec(ctx, `
		INSERT INTO extras_process (id, kind, host, program, key_ids, changelog_retention, delivery_retention, seen_at, panics, panicked)
		VALUES ($1, $2, $3, $4, $5, $6, $7, now(), $8, $9)
		ON CONFLICT (id) DO UPDATE SET seen_at = now(), panics = excluded.panics, panicked = excluded.panicked`,
		p.ID, p.Kind, p.Host, p.Program, p.KeyIDs, p.Changes, p.Deliveries, p.Panics, p.Panicked)
	return s.translate(err)
}

// Absent records that a process has ended.
func (s *Store) Absent(ctx context.Context, id string) error {
	_, err := s.pool.Exec(ctx, "DELETE FROM extras_process WHERE id = $1", id)
	return s.translate(err)
}
