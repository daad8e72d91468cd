package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// cluster is a PostgreSQL of the harness's own, with fsync on, that can be crashed and started again, or replaced by a standby.
type cluster struct {
	root string // everything is below it
	dir  string // of the server

	mu  sync.Mutex
	url string // straight to it, past every proxy
}

// newCluster creates a server in dir. It records the time of each commit, which shows what a transaction can have seen.
func newCluster(ctx context.Context, dir string) (*cluster, error) {
	c := &cluster{root: dir, dir: dir}
	if err := c.start(ctx); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, c.straight())
	if err != nil {
		return c, err
	}
	for _, sql := range []string{"ALTER SYSTEM SET track_commit_timestamp = on", "ALTER SYSTEM SET max_connections = 200"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return c, err
		}
	}
	if err := conn.Close(ctx); err != nil {
		return c, err
	}
	if err := c.stop(ctx, "fast"); err != nil {
		return c, err
	}
	return c, c.start(ctx)
}

var databaseURL = regexp.MustCompile(`TERRIER_DATABASE_URL='([^']+)'`)

func (c *cluster) start(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "scripts/postgres", "start", c.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w: %s", err, out)
	}
	found := databaseURL.FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("start PostgreSQL: scripts/postgres gave no address: %s", out)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.url = string(found[1])
	return nil
}

// straight returns the address of the server itself.
func (c *cluster) straight() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// connect opens connections to the server, whichever that is when they are made.
func (c *cluster) connect(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(c.straight())
	if err != nil {
		return nil, err
	}
	config.BeforeConnect = func(_ context.Context, conn *pgx.ConnConfig) error {
		now, err := pgx.ParseConfig(c.straight())
		if err == nil {
			conn.Host, conn.Port = now.Host, now.Port
		}
		return err
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// stop ends the server. The mode immediate is a crash.
func (c *cluster) stop(ctx context.Context, mode string) error {
	return asServer(ctx, "pg_ctl", "stop", "--pgdata="+c.dir+"/data", "--mode="+mode, "--silent")
}

// asServer runs a program of PostgreSQL's as the user that the server runs as.
func asServer(ctx context.Context, program string, args ...string) error {
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program); len(installed) > 0 {
		program = slices.Max(installed) // distributions keep it off the PATH
	}
	args = append([]string{program}, args...)
	if os.Geteuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

// remove removes the server, whatever state it is in.
func (c *cluster) remove() {
	if err := c.stop(context.Background(), "immediate"); err != nil && !strings.Contains(err.Error(), "PID file") {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := os.RemoveAll(c.root); err != nil {
		fmt.Fprintln(os.Stderr, "remove the database:", err)
	}
}
