package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/fill"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/apitest"
	"terrier/test/trial"
)

const snapshots = "/api/extras/feed/snapshot/"

// kept is a record in a snapshot.
type kept struct {
	ID      int64           `json:"id"`
	Version int64           `json:"version"`
	State   json.RawMessage `json:"state"`
}

// snapshotOf reads a snapshot, and checks its first and its last line.
func (a actor) snapshotOf(tb testing.TB, key string) map[int64]kept {
	tb.Helper()
	got := a.get(tb, snapshots+"?type="+key).Want(tb, http.StatusOK)
	lines := bytes.Split(bytes.TrimSuffix(got.Raw, []byte("\n")), []byte("\n"))
	var head struct {
		Position *int64
		Type     string
	}
	if err := json.Unmarshal(lines[0], &head); err != nil || head.Type != key || head.Position == nil {
		tb.Errorf("the first line is %s (%v)", lines[0], err)
	}
	last, records := string(lines[len(lines)-1]), lines[1:len(lines)-1]
	if want := `{"end":true,"count":` + strconv.Itoa(len(records)) + `}`; last != want {
		tb.Errorf("the last line is %s, want %s", last, want)
	}
	found := map[int64]kept{}
	for _, line := range records {
		var one kept
		if err := json.Unmarshal(line, &one); err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		found[one.ID] = one
	}
	return found
}

// TestSnapshotOfEveryType: a snapshot has the records of its type, each as its last change left it, byte by byte.
func TestSnapshotOfEveryType(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	admin, l := adminOf(s), newLeast(s)
	l.firstOf(t, s.App.Registry.Type("extras.customfield")) // later, it would change the state of others without a change of their own
	for _, typ := range s.App.Registry.Types() {
		if !typ.Notifies() {
			admin.get(t, snapshots+"?type="+typ.Key()).Want(t, http.StatusBadRequest)
			continue
		}
		if typ.ReadOnly {
			recordHealth(t, s, l)
			continue
		}
		l.firstOf(t, typ)
		_, gone := l.create(t, typ)
		admin.do(t, http.MethodDelete, at(typ.Path(), gone), nil).Want(t, http.StatusNoContent)
	}
	for _, typ := range s.App.Registry.Types() {
		if typ.Notifies() {
			t.Run(typ.Key(), func(t *testing.T) { compareWithChanges(t, admin, typ) })
		}
	}
}

// recordHealth makes a record of the one read-only type that webhooks are notified of, as Terrier does.
func recordHealth(t *testing.T, s *apitest.Server, l *least) {
	t.Helper()
	hook := l.firstOf(t, s.App.Registry.Type("extras.webhook"))
	caller := ledger.Caller{Subject: &access.Subject{Username: "terrier", Superuser: true}, RequestID: uuid.NewString(), Machine: true}
	_, err := s.App.Ledger.Create(t.Context(), caller, s.App.Registry.Type(store.WebhookHealthType), []ledger.Input{
		{"webhook": json.Number(strconv.FormatInt(hook, 10)), "state": "failing", "since": "2026-11-18T12:00:00Z", "reason": "no answer"}})
	if err != nil {
		t.Fatal(err)
	}
}

func compareWithChanges(t *testing.T, admin actor, typ *record.Type) {
	t.Helper()
	found := admin.snapshotOf(t, typ.Key())
	rows, err := admin.s.DB.Query(t.Context(), `SELECT DISTINCT ON (object_id) object_id, version, postchange FROM extras_objectchange
		WHERE object_type = $1 ORDER BY object_id, id DESC`, typ.Key())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	alive := 0
	for rows.Next() {
		var id, version int64
		var state *string
		if err := rows.Scan(&id, &version, &state); err != nil {
			t.Fatal(err)
		}
		got, ok := found[id]
		if state == nil {
			if ok {
				t.Errorf("%d was deleted, and is in the snapshot", id)
			}
			continue
		}
		if alive++; got.Version != version || string(got.State) != *state {
			t.Errorf("%d has version %d and state\n%s, want version %d and\n%s", id, got.Version, got.State, version, *state)
		}
	}
	if rows.Err() != nil || alive == 0 || alive != len(found) {
		t.Errorf("%d records are in the snapshot, want %d (%v)", len(found), alive, rows.Err())
	}
}

// TestSnapshotShowsWhatListsShow: the same records as a list, and no secret.
func TestSnapshotShowsWhatListsShow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	one := admin.create(t, sites, site("one"))
	admin.create(t, sites, site("two"))
	_, some := newActor(t, s, "some", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"id": one}})
	if got := some.snapshotOf(t, "dcim.site"); len(got) != 1 || got[one].ID != one {
		t.Errorf("somebody who may see site %d gets %v", one, got)
	}
	some.get(t, snapshots+"?type=dcim.rack").Want(t, http.StatusForbidden)
	actor{s, ""}.get(t, snapshots+"?type=dcim.site").Want(t, http.StatusForbidden)
	for _, query := range []string{"", "?type=", "?type=dcim.nosuch", "?type=dcim.site&type=dcim.rack", "?type=users.token",
		"?type=extras.webhook", "?type=extras.objectchange", "?type=dcim.site&name=one"} {
		admin.get(t, snapshots+query).Want(t, http.StatusBadRequest)
	}
	head := admin.do(t, http.MethodHead, snapshots+"?type=dcim.site", nil).Want(t, http.StatusOK)
	if len(head.Raw) > 0 || head.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("HEAD is answered with %q, %s", head.Raw, head.Header)
	}
	// A page would hold all records in memory, so a browser gets the lines too.
	session, _ := login(t, s, "admin", apitest.Password, nil)
	got := surf(t, s, session, "GET", snapshots+"?type=dcim.site", nil).want(t, http.StatusOK)
	if !strings.HasSuffix(got.body, "\"count\":2}\n") {
		t.Errorf("a browser gets %s", got.body)
	}
}

// TestSnapshotBrokenOff: when the database goes away, the client sees that lines are missing.
func TestSnapshotBrokenOff(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	long := fill.Recipe{"comments": func(fill.Row) any { return strings.Repeat("more than all buffers hold ", 600) }}
	if err := fill.New(s.App.Store, 1).Fill(t.Context(), s.App.Registry.Type("dcim.site"), 1000, long); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.App.Handler)
	t.Cleanup(server.Close)
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+snapshots+"?type=dcim.site", nil)
	if err != nil {
		t.Fatal(err)
	}
	asked.Header.Set("Authorization", "Token "+s.Admin)
	got, err := http.DefaultClient.Do(asked)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	var ended bool
	err = s.DB.QueryRow(t.Context(), `SELECT bool_and(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE '%FROM "dcim_site" t%' AND pid <> pg_backend_pid()`).Scan(&ended)
	if err != nil || !ended {
		t.Fatalf("the snapshot is not being read (%v)", err)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if lines.Err() == nil || strings.Contains(last, `"end"`) {
		t.Errorf("it looks complete: %v, and the last line is %.100s", lines.Err(), last)
	}
}
