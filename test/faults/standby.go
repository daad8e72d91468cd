package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// standby is a second server that has everything the first one has acknowledged.
type standby struct{ *cluster }

// follow makes a standby of the running server. From then on the server acknowledges no commit that the standby does not have.
func (c *cluster) follow(ctx context.Context) (*standby, error) {
	s := &standby{&cluster{root: c.root, dir: filepath.Join(c.dir, "standby")}}
	err := asServer(ctx, "pg_basebackup", "--dbname="+c.straight(), "--pgdata="+s.dir+"/data", "--write-recovery-conf", "--checkpoint=fast",
		"--no-sync")
	if err != nil {
		return nil, err
	}
	conf, err := os.OpenFile(s.dir+"/data/postgresql.auto.conf", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conf.Close() }()
	if _, err := fmt.Fprintf(conf, "unix_socket_directories = '%s'\n", s.dir); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if err := c.waitFor(ctx); err != nil {
		return nil, errors.Join(err, s.stop(ctx, "immediate"))
	}
	return s, nil
}

// waitFor makes every commit wait for the standby, and returns when the standby has all earlier ones.
func (c *cluster) waitFor(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.straight())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	// The processes of the server read the setting within moments. What they commit until then is compared below.
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	var written string
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&written); err != nil {
		return err
	}
	for {
		var follows bool
		err := conn.QueryRow(ctx, `SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= $1::pg_lsn`,
			written).Scan(&follows)
		if err != nil || follows {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// promote makes the standby the server of the cluster, whose own has ended.
func (c *cluster) promote(ctx context.Context, s *standby) error {
	if err := asServer(ctx, "pg_ctl", "promote", "--pgdata="+s.dir+"/data", "--wait", "--silent"); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dir, c.url = s.dir, s.url
	return nil
}
