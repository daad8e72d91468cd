package database_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"terrier/test/install"
)

// TestPointInTime goes back to a moment between two acknowledged changes, from a base backup and the archived log. The
// first change is there and was delivered, the second one never happened, and work goes on.
func TestPointInTime(t *testing.T) {
	drill(t)
	lost := newNode(t)
	archive := filepath.Join(lost.dir, "archive")
	lost.do(asServer(t.Context(), "mkdir", archive))
	lost.set("ALTER SYSTEM SET archive_mode = on", "ALTER SYSTEM SET archive_command = 'cp %p "+archive+"/%f'")
	lost.stop("fast") // archive_mode is read at the start
	lost.start()
	w := newWorld(t, lost.url)
	w.changeSites(2, 20)
	backup := &node{t: t, dir: filepath.Join(lost.dir, "backup")}
	lost.copyTo(backup)

	site := w.site("lisbon")
	w.change(site, "wanted")
	moment := lost.moment()
	w.server.Do(http.MethodPatch, path(site), w.admin, object{"description": "a mistake"}).Want(t, http.StatusOK)
	w.site("porto")
	w.audit(install.Connect(t, lost.url)) // all of it is delivered
	lost.archiveAll()
	w.server.Stop()
	w.worker.Stop()
	lost.stop("immediate")

	began := time.Now()
	backup.configure("restore_command = 'cp "+archive+"/%f %p'", "recovery_target_time = '"+moment+"'", "recovery_target_action = promote",
		"archive_mode = off")
	backup.do(asServer(t.Context(), "touch", backup.dir+"/data/recovery.signal"))
	backup.start()
	db := install.Connect(t, backup.url)
	install.Eventually(t, "recovery ends", func() bool { return install.Number(t, db, "SELECT pg_is_in_recovery()::int") == 0 })
	w.moveTo(backup.url)
	t.Logf("back at %s after %v", moment, time.Since(began).Round(time.Millisecond))
	var found struct{ Description string }
	w.server.Do(http.MethodGet, path(site), w.admin, nil).Want(t, http.StatusOK).Read(t, &found)
	if found.Description != "wanted" {
		t.Errorf("the description is %q", found.Description)
	}
	if n := install.Number(t, db, "SELECT count(*) FROM dcim_site WHERE name = 'porto'"); n != 0 {
		t.Error("a site that was made after the moment is there")
	}
	w.lost = 2 // receivers know of the mistake and of porto
	w.changeSites(2, 20)
	w.wantOnly(http.StatusOK)
	w.audit(db)
}

// moment is the time of the database, between what is committed and what follows.
func (n *node) moment() string {
	n.t.Helper()
	db := install.Connect(n.t, n.url)
	defer db.Close()
	var at string
	if err := db.QueryRow(n.t.Context(), "SELECT clock_timestamp()::text").Scan(&at); err != nil {
		n.t.Fatal(err)
	}
	return at
}

// archiveAll returns when all that was written is in the archive.
func (n *node) archiveAll() {
	n.t.Helper()
	db := install.Connect(n.t, n.url)
	defer db.Close()
	var segment string
	if err := db.QueryRow(n.t.Context(), "SELECT pg_walfile_name(pg_switch_wal())").Scan(&segment); err != nil {
		n.t.Fatal(err)
	}
	install.Eventually(n.t, "the log is archived", func() bool {
		_, err := os.Stat(filepath.Join(n.dir, "archive", segment))
		return err == nil
	})
}
