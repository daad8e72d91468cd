package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// webhookTimeout is how long the workers wait for a receiver. It is short, because the receiver hangs often.
const webhookTimeout = 4 * time.Second

// world is an installation: PostgreSQL, two servers, two workers and a receiver.
type world struct {
	config
	*timeline
	*report
	logs     string
	cluster  *cluster
	db       *pgxpool.Pool // directly, without a proxy
	apis     []*node
	workers  []*node
	receiver *receiver
	http     *http.Client
	settings []string

	followers     []*follower
	admin, reader string // keys of tokens
	cleanups      []func()
}

// newWorld starts everything and returns when it is ready.
func newWorld(ctx context.Context, cfg config, t *timeline, r *report) (w *world, err error) {
	w = &world{config: cfg, timeline: t, report: r, logs: filepath.Join(cfg.out, "logs")}
	// no HTTP proxy, whatever the environment says
	w.http = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := os.MkdirAll(w.logs, 0o755); err != nil {
		return w, err
	}
	dir, err := os.MkdirTemp("", "terrier-faults.") // not below the output, which the user postgres may not be able to enter
	if err != nil {
		return w, err
	}
	if w.cluster, err = newCluster(ctx, dir); w.cluster != nil {
		w.cleanups = append(w.cleanups, w.cluster.remove)
	}
	if err != nil {
		return w, err
	}
	if w.receiver, err = newReceiver(); err != nil {
		return w, err
	}
	w.cleanups = append(w.cleanups, w.receiver.close)
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, by its documentation
	w.settings = []string{"SECRET_KEY=" + hex.EncodeToString(key), "LISTEN=127.0.0.1:0", "BASE_URL=http://terrier.test",
		"EGRESS_ALLOW=127.0.0.1/32", "WEBHOOK_TIMEOUT=" + webhookTimeout.String()}
	if w.db, err = w.cluster.connect(ctx); err != nil {
		return w, err
	}
	w.cleanups = append(w.cleanups, w.db.Close)
	if err := w.accounts(ctx); err != nil {
		return w, err
	}
	return w, w.startNodes(ctx)
}

// accounts migrates the database and creates the users and tokens, with the command line.
func (w *world) accounts(ctx context.Context) error {
	if _, err := w.terrier(ctx, "", "migrate"); err != nil {
		return err
	}
	if err := w.makeTables(ctx); err != nil {
		return err
	}
	if _, err := w.terrier(ctx, "a right password\n", "user", "create", "admin", "--superuser", "--password-stdin"); err != nil {
		return err
	}
	for _, token := range []struct {
		into *string
		args []string
	}{{&w.admin, nil}, {&w.reader, []string{"--read-only"}}} {
		out, err := w.terrier(ctx, "", append([]string{"token", "create", "admin"}, token.args...)...)
		if err != nil {
			return err
		}
		if *token.into = tokenKey.FindString(out); *token.into == "" {
			return fmt.Errorf("terrier token create printed no key: %s", out)
		}
	}
	return nil
}

// makeTables creates the tables of the types that only the program under test has.
func (w *world) makeTables(ctx context.Context) error {
	registry, err := record.NewRegistry(append(inventory.Types(), trial.Types()...)...)
	if err != nil {
		return err
	}
	for _, t := range trial.Types() {
		if _, err := w.db.Exec(ctx, store.DraftTable(registry.Type(t.Key()))); err != nil {
			return fmt.Errorf("make the table of %s: %w", t.Key(), err)
		}
	}
	return nil
}

var tokenKey = regexp.MustCompile(`(?m)^[0-9a-f]{40}$`)

func (w *world) startNodes(ctx context.Context) error {
	straight, err := url.Parse(w.cluster.straight())
	if err != nil {
		return err
	}
	for _, role := range []string{"serve", "worker"} {
		for i := range 2 {
			p, err := newProxy(straight.Host)
			if err != nil {
				return err
			}
			n := &node{role: role, proxy: p, w: w}
			if role == "serve" {
				n.name, n.ahead = fmt.Sprintf("api-%d", i+1), time.Duration(i)*clocksApart
				w.apis = append(w.apis, n)
			} else {
				n.name = fmt.Sprintf("worker-%d", i+1)
				w.workers = append(w.workers, n)
			}
			w.cleanups = append(w.cleanups, p.close, n.kill)
			if err := n.start(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// kill ends a process that still runs when the harness ends.
func (n *node) kill() {
	if n.running() {
		_ = n.now().cmd.Process.Kill() // on an error it has ended already
		<-n.now().ended
	}
}

func (w *world) close() {
	for i := len(w.cleanups) - 1; i >= 0; i-- {
		w.cleanups[i]()
	}
	w.cleanups = nil
}

// command returns a command of the program under test, on the database at an address.
func (w *world) command(ctx context.Context, database string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.binary, args...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "TERRIER_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	u, err := url.Parse(w.cluster.straight())
	if err != nil {
		panic(err) // can't happen: it was parsed before
	}
	u.Host = database
	for _, s := range append(w.settings, "DATABASE_URL="+u.String()) {
		cmd.Env = append(cmd.Env, "TERRIER_"+s)
	}
	return cmd
}

// terrier runs a command to its end, directly on the database, and returns what it printed.
func (w *world) terrier(ctx context.Context, stdin string, args ...string) (string, error) {
	u, err := url.Parse(w.cluster.straight())
	if err != nil {
		return "", err
	}
	cmd := w.command(ctx, u.Host, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("terrier %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// nodes returns all nodes, in the order in which they are restarted.
func (w *world) nodes() []*node { return append(append([]*node(nil), w.apis...), w.workers...) }
