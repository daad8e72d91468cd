package database_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"terrier/test/install"
)

// TestRestore loses the database after a dump and restores it into a new one. Everything that was acknowledged before the
// dump is there, the tokens work, and deliveries that were queued in the dump are sent.
func TestRestore(t *testing.T) {
	drill(t)
	lost := newNode(t)
	w := newWorld(t, lost.url)
	w.changeSites(4, 50)
	w.worker.Stop()
	w.changeSites(4, 50) // these stay queued

	dump := filepath.Join(t.TempDir(), "terrier.dump")
	began := time.Now()
	lost.dump(dump)
	w.server.Stop()
	lost.stop("immediate")

	restored := emptyNode(t)
	restored.restore(dump)
	w.moveTo(restored.url)
	t.Logf("%d changes dumped, restored and served again after %v", len(w.written), time.Since(began).Round(time.Millisecond))
	w.changeSites(2, 10)
	w.wantOnly(http.StatusOK)
	w.audit(install.Connect(t, restored.url))
}

// changeSites makes sites and changes them, each by a writer of its own.
func (w *world) changeSites(sites, changes int) {
	w.t.Helper()
	var wg sync.WaitGroup
	for range sites {
		site := w.site("site-" + install.RandomHex(4))
		wg.Go(func() {
			for n := range changes {
				w.change(site, fmt.Sprint(n))
			}
		})
	}
	wg.Wait()
}

// moveTo starts server and worker on another database. The program brings it to its own schema first.
func (w *world) moveTo(database string) {
	w.t.Helper()
	w.Set("DATABASE_URL=" + database)
	if out, code := w.Terrier("", "migrate"); code != 0 {
		w.t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	w.server, w.worker = w.Serve(), w.Work()
}

// dump writes the database into a file, as docs/backup.md says.
func (n *node) dump(file string) {
	n.t.Helper()
	n.do(exec.CommandContext(n.t.Context(), program("pg_dump"), "--format=custom", "--file="+file, n.url))
}

// restore reads a dump into the empty database.
func (n *node) restore(file string) {
	n.t.Helper()
	n.do(exec.CommandContext(n.t.Context(), program("pg_restore"), "--no-owner", "--exit-on-error", "--dbname="+n.url, file))
}
