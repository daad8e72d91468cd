package webhooks_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/test/install"
)

// recoveryBound is the promised time after PostgreSQL is back.
const recoveryBound = 10 * time.Second

// cluster is the test's own PostgreSQL, durable across crashes.
type cluster struct {
	t        *testing.T
	dir      string
	database string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	// Not the test's own directory, which the user postgres may not enter.
	dir, err := os.MkdirTemp("", "terrier-cluster.")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, dir: dir}
	t.Cleanup(func() {
		c.crash()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c.start()
	return c
}

func (c *cluster) start() {
	c.t.Helper()
	out, err := exec.Command("../../scripts/postgres", "start", c.dir).CombinedOutput()
	if err != nil {
		c.t.Fatalf("start PostgreSQL: %v: %s", err, out)
	}
	found := regexp.MustCompile(`TERRIER_DATABASE_URL='([^']+)'`).FindSubmatch(out)
	if found == nil {
		c.t.Fatalf("no address: %s", out)
	}
	c.database = string(found[1])
}

// crash ends the server without letting it write anything more.
func (c *cluster) crash() {
	c.t.Helper()
	program := "pg_ctl"
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl"); len(installed) > 0 {
		program = slices.Max(installed)
	}
	args := []string{program, "stop", "--pgdata=" + c.dir + "/data", "--mode=immediate", "--silent"}
	if os.Geteuid() == 0 {
		args = append([]string{"runuser", "-u", "postgres", "--"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(out), "No such process") &&
		!strings.Contains(string(out), "PID file") {
		c.t.Errorf("stop PostgreSQL: %v: %s", err, out)
	}
}

// TestPostgresCrashesUnderLoad crashes the database while clients write and a worker sends. Webhooks are notified of
// every acknowledged change, and nothing needs a restart.
func TestPostgresCrashesUnderLoad(t *testing.T) {
	t.Parallel()
	const crashes, clients, concurrency = 2, 4, 10
	c := newCluster(t)
	if out, code := install.New(t, c.database).Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	w := newWorldOn(t, c.database)
	w.duplicates = crashes * concurrency
	worker := w.Work()
	w.hook("/", object{"concurrency": concurrency})

	var acknowledged sync.Map // names of sites
	var count, unanswered atomic.Int64
	stop := make(chan struct{})
	var writing sync.WaitGroup
	defer writing.Wait()
	stopWriting := sync.OnceFunc(func() { close(stop) })
	defer stopWriting()
	for client := range clients {
		writing.Go(func() {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				name := fmt.Sprintf("client-%d-%d", client, i)
				a := w.server.Do(http.MethodPost, sitesPath, w.admin, object{"name": name, "slug": name})
				switch {
				case a.Status == http.StatusCreated:
					acknowledged.Store(name, true)
					count.Add(1)
				case a.Err != nil || a.Status >= 500:
					unanswered.Add(1)
				default:
					t.Errorf("%s: %d %v", name, a.Status, a)
				}
			}
		})
	}
	// more waits until something has happened so many times from now on.
	more := func(what string, n func() int64, by int64) time.Duration {
		t.Helper()
		from := n()
		return install.Within(t, recoveryBound, what, func() bool { return n() >= from+by })
	}
	received := func() int64 { return int64(w.receiver.count("/")) }
	for crash := range crashes {
		more("clients should write", count.Load, 50)
		more("the worker should send", received, 50)
		c.crash()
		before := unanswered.Load()
		install.Eventually(t, "clients should notice", func() bool { return unanswered.Load() > before })
		c.start()
		back := time.Now()
		more("the server should recover", count.Load, 1)
		wrote := time.Since(back)
		more("the worker should recover", received, concurrency+1) // more than it had under way
		w.db.Reset()
		t.Logf("crash %d: the server wrote again after %v, the worker sent again after %v", crash+1, wrote.Round(time.Millisecond),
			time.Since(back).Round(time.Millisecond))
	}
	stopWriting()
	writing.Wait()
	if !w.server.Running() || !worker.Running() {
		t.Fatalf("a process ended:\n%s\n%s", w.server.Log(), worker.Log())
	}
	// Jobs that were under way are handed out again when their time is over.
	ended := install.Within(t, resendBound, "every delivery should end", func() bool {
		return w.number("SELECT count(*) FROM extras_delivery WHERE state = 'queued'") == 0
	})
	t.Logf("%d creates acknowledged, %d without an answer; everything was notified %v after the last", count.Load(), unanswered.Load(),
		ended.Round(100*time.Millisecond))

	notified := map[string]bool{}
	for _, r := range w.receiver.at("/") {
		var body struct{ Data struct{ Name string } }
		install.Answer{Body: r.body}.Read(t, &body)
		notified[body.Data.Name] = true
	}
	acknowledged.Range(func(name, _ any) bool {
		if !notified[name.(string)] {
			t.Errorf("%s was acknowledged, and nobody was notified", name)
		}
		return true
	})
	if n := w.number(`SELECT count(*) FROM dcim_site s WHERE 1 <> (SELECT count(*) FROM extras_objectchange c
		JOIN extras_delivery d ON d.change_id = c.id AND d.changed_at = c.changed_at
		WHERE c.object_type = 'dcim.site' AND c.object_id = s.id AND c.action = 'create' AND d.state = 'successful')`); n != 0 {
		t.Errorf("%d sites do not have exactly one change with one successful delivery", n)
	}
	if sites, changes := w.number("SELECT count(*) FROM dcim_site"),
		w.number("SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.site'"); sites != changes || sites != len(notified) {
		t.Errorf("%d sites, %d changes, %d notified", sites, changes, len(notified))
	}
}
