package database_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"terrier/test/install"
)

// TestRollingUpgrade replaces the program from before the newest migration by the one of the working tree, under load: first
// the migration, then one process after the other. No request fails and everything is delivered. Until then the old
// program works on the new schema, and can be started on it.
func TestRollingUpgrade(t *testing.T) {
	drill(t)
	old := programBeforeMigration(t)
	n := emptyNode(t)
	in := install.New(t, n.url, "SHUTDOWN_DELAY=1s")
	next := in.Binary
	in.Binary = old
	if out, code := in.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	w := startWorld(t, in)
	servers := &balancer{t: t, ready: []*install.Process{w.server, w.Serve()}}
	workers := []*install.Process{w.worker, w.Work()}
	db := install.Connect(t, n.url)
	schema := func() int { return install.Number(t, db, "SELECT max(version_id) FROM goose_db_version") }
	before := schema()

	var acknowledged atomic.Int64
	more := func(what string) {
		t.Helper()
		known := acknowledged.Load()
		install.Eventually(t, "changes "+what, func() bool { return acknowledged.Load() > known+50 })
	}
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 4 {
		site := w.site(fmt.Sprintf("site-%d", i))
		wg.Go(func() { w.changeAndRead(servers, site, enough, &acknowledged) })
	}
	more("before the upgrade")

	w.Binary = next
	if out, code := w.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	if after := schema(); after <= before {
		t.Errorf("the schema was %d and is %d: the old program is not from before the newest migration", before, after)
	}
	more("by the old program on the new schema")
	w.Binary = old
	servers.replace(w.Serve)
	more("by the old program that was started on the new schema")
	w.Binary = next
	for range 2 {
		servers.replace(w.Serve)
		more("while servers are replaced")
	}
	for _, worker := range workers {
		w.Work()
		worker.Stop()
		more("while workers are replaced")
	}
	close(enough)
	wg.Wait()
	t.Logf("from schema %d to %d with %d changes, answers by status: %v", before, schema(), acknowledged.Load(), w.answers)
	w.wantOnly(http.StatusOK)
	w.audit(db)
}

// changeAndRead writes a site and reads it back until there is enough. Every request must succeed.
func (w *world) changeAndRead(servers *balancer, site int64, enough <-chan struct{}, acknowledged *atomic.Int64) {
	for n := 0; ; n++ {
		select {
		case <-enough:
			return
		default:
		}
		if w.changeAt(servers.next(), site, fmt.Sprint(n)).Status == http.StatusOK {
			acknowledged.Add(1)
		}
		for _, address := range []string{path(site), "/api/dcim/sites/"} {
			if a := servers.next().Get(address, w.admin); a.Status != http.StatusOK {
				w.t.Errorf("GET %s: %v", address, a)
			}
		}
	}
}

// balancer is a load balancer: requests go to servers that say they are ready, in turn.
type balancer struct {
	t     *testing.T
	mu    sync.Mutex
	ready []*install.Process
	turn  int
}

func (b *balancer) next() *install.Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	return b.ready[b.turn%len(b.ready)]
}

// replace starts a server and ends the oldest one, which says first that it is not ready.
func (b *balancer) replace(start func(...string) *install.Process) {
	b.t.Helper()
	started := start()
	b.mu.Lock()
	oldest := b.ready[0]
	b.ready = append(b.ready, started)
	b.mu.Unlock()
	oldest.Signal(syscall.SIGTERM)
	install.Eventually(b.t, "the server says that it stops", func() bool { return oldest.Get("/readyz", "").Status != http.StatusOK })
	b.mu.Lock()
	b.ready = b.ready[1:]
	b.mu.Unlock()
	if code := oldest.ExitCode(); code != 0 {
		b.t.Errorf("exit code after SIGTERM: %d\n%s", code, oldest.Log())
	}
}

// programBeforeMigration builds the program of the commit before the newest migration was added. Where that is not known,
// the test is skipped.
func programBeforeMigration(t *testing.T) string {
	t.Helper()
	migrations, err := filepath.Glob("../../internal/store/migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		if err != nil {
			t.Skipf("the history is missing: git %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	commit := "HEAD" // it may not have the newest migration yet
	if added := git("log", "--diff-filter=A", "--format=%H", "-1", "--", slices.Max(migrations)); added != "" {
		commit = git("rev-parse", "--verify", added+"^")
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "source.tar")
	git("-C", "../..", "archive", "--output="+archive, commit)
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "--extract", "--directory="+source, "--file="+archive)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("unpack the source: %v: %s", err, out)
	}
	binary := filepath.Join(dir, "terrier")
	if err := install.Build(t.Context(), source, binary); err != nil {
		t.Fatal(err)
	}
	t.Logf("upgrade from commit %s", commit)
	return binary
}
