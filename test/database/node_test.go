package database_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/internal/delivery"
	"terrier/test/install"
)

// node is a PostgreSQL of the test's own, which may be stopped.
type node struct {
	t       *testing.T
	dir     string
	url     string
	host    string // and port
	release string // the directory of another release than the installed one
}

// emptyNode starts a server with an empty database.
func emptyNode(t *testing.T) *node {
	t.Helper()
	n := &node{t: t, dir: filepath.Join(t.TempDir(), "node")}
	open(t, filepath.Dir(n.dir))
	n.start()
	return n
}

// newNode starts a server with a migrated database.
func newNode(t *testing.T) *node {
	t.Helper()
	n := emptyNode(t)
	if err := delivery.Migrate(t.Context(), n.url, func(string, ...any) {}); err != nil {
		t.Fatal(err)
	}
	return n
}

var nodeURL = regexp.MustCompile(`postgres://terrier@([^/]+)/terrier[^']*`)

// start starts the server, on the port that it had before.
func (n *node) start() {
	n.t.Helper()
	cmd := exec.CommandContext(n.t.Context(), "../../scripts/postgres", "start", n.dir)
	if n.release != "" {
		cmd.Env = append(os.Environ(), "TERRIER_POSTGRES_BIN="+n.release+"/bin", "LD_LIBRARY_PATH="+n.release+"/lib")
	}
	out, err := cmd.CombinedOutput()
	found := nodeURL.FindSubmatch(out)
	if err != nil || found == nil {
		n.t.Fatalf("start PostgreSQL: %v: %s", err, out)
	}
	if n.url == "" {
		n.t.Cleanup(func() { _ = n.control("stop", "--mode=immediate").Run() }) // it may have been stopped
	}
	n.url, n.host = string(found[0]), string(found[1])
}

// control is pg_ctl on the server. Not with the test's context, which ends before the cleanup.
func (n *node) control(command string, flags ...string) *exec.Cmd {
	return asServer(context.Background(), program("pg_ctl"), append([]string{command, "--silent", "--pgdata=" + n.dir + "/data"}, flags...)...)
}

func (n *node) do(cmd *exec.Cmd) {
	n.t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("%s: %v: %s", strings.Join(cmd.Args, " "), err, out)
	}
}

// stop ends the server. Immediate is a crash.
func (n *node) stop(mode string) {
	n.t.Helper()
	n.do(n.control("stop", "--mode="+mode))
}

// set changes settings of the server.
func (n *node) set(statements ...string) {
	n.t.Helper()
	db := install.Connect(n.t, n.url+"&default_transaction_read_only=off")
	defer db.Close()
	for _, statement := range append(statements, "SELECT pg_reload_conf()") {
		if _, err := db.Exec(n.t.Context(), statement); err != nil {
			n.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// program finds a program of PostgreSQL's, which distributions keep off the PATH.
func program(name string) string {
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(installed) > 0 {
		return slices.Max(installed)
	}
	return name
}

// copyTo makes a base backup of the running server.
func (n *node) copyTo(other *node, flags ...string) {
	n.t.Helper()
	n.do(asServer(n.t.Context(), program("pg_basebackup"), append([]string{"--dbname=" + n.url, "--pgdata=" + other.dir + "/data",
		"--checkpoint=fast", "--no-sync"}, flags...)...))
	other.configure("unix_socket_directories = '" + other.dir + "'")
}

// configure adds settings to those that the server starts with.
func (n *node) configure(settings ...string) {
	n.t.Helper()
	conf, err := os.OpenFile(n.dir+"/data/postgresql.auto.conf", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		n.t.Fatal(err)
	}
	_, err = conf.WriteString(strings.Join(settings, "\n") + "\n")
	if closed := conf.Close(); err != nil || closed != nil {
		n.t.Fatal(err, closed)
	}
}

// standby makes a second server that follows the first, which waits for it with every commit.
func (n *node) standby() *node {
	n.t.Helper()
	other := &node{t: n.t, dir: filepath.Join(n.dir, "standby")}
	n.copyTo(other, "--write-recovery-conf")
	other.start()
	n.set("ALTER SYSTEM SET synchronous_standby_names = '*'")
	db := install.Connect(n.t, n.url)
	defer db.Close()
	install.Eventually(n.t, "the standby follows", func() bool {
		return install.Number(n.t, db, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1
	})
	return other
}
