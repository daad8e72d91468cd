package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"terrier/test/apitest"
)

// listener reads a stream in a test.
type listener struct {
	*testing.T
	*apitest.Stream
}

// listen begins to read, and returns when the server has noticed.
func listen(t *testing.T, s *apitest.Server, key, query string, header map[string]string) listener {
	t.Helper()
	return listener{t, s.Stream(t, apitest.Call{Method: "GET", Path: feedPath + query, Token: key, Header: header})}
}

// hears fails unless the next event is a change such as "dcim.site 3 updated 2". It returns its position.
func (l listener) hears(want string) string {
	l.Helper()
	e, ok := <-l.Events
	if !ok {
		l.Fatalf("the stream has ended; want %s", want)
	}
	var c struct {
		Position   int64  `json:"position"`
		ObjectType string `json:"object_type"`
		ObjectID   int64  `json:"object_id"`
		Version    int64  `json:"version"`
		Event      string `json:"event"`
	}
	if err := json.Unmarshal([]byte(e.Data), &c); err != nil {
		l.Fatalf("%v: %q", err, e.Data)
	}
	got := fmt.Sprintf("%s %d %s %d", c.ObjectType, c.ObjectID, c.Event, c.Version)
	if got != want || e.ID != strconv.FormatInt(c.Position, 10) {
		l.Fatalf("got %s with the id %s, want %s", got, e.ID, want)
	}
	return e.ID
}

// ends fails unless the stream ends without another event.
func (l listener) ends() {
	l.Helper()
	if e, more := <-l.Events; more {
		l.Errorf("the stream goes on with %s", e.Data)
	}
	l.Close()
}

func siteCreated(id int64) string { return fmt.Sprintf("dcim.site %d created 1", id) }

// TestLive: a stream has the changes that the feed has, as they come. It begins at the end, after a position, or after the last event
// that the client has got, and leaves out what the client did not ask for.
func TestLive(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	before := strconv.FormatInt(numbered(t, s), 10)
	first := madeSite(t, s, "first")
	numbered(t, s)

	end := listen(t, s, s.Admin, "", nil)
	after := listen(t, s, s.Admin, "?after="+before, nil)
	named := listen(t, s, s.Admin, `?types=dcim.site&events=created&conditions={"attr":"name","value":"third"}`, nil)
	if got := end.Header.Get("Content-Type"); got != "text/event-stream" || end.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("the head is %v", end.Header)
	}
	position := after.hears(siteCreated(first))
	second, third := madeSite(t, s, "second"), madeSite(t, s, "third")
	for _, l := range []listener{end, after} {
		l.hears(siteCreated(second))
		l.hears(siteCreated(third))
	}
	named.hears(siteCreated(third))
	again := listen(t, s, s.Admin, "?after=0", map[string]string{"Last-Event-ID": position})
	again.hears(siteCreated(second))
	again.hears(siteCreated(third))

	body := map[string]any{"name": "tag", "slug": "tag", "description": "two\nlines"}
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/tags/", Token: s.Admin, Body: body}).Want(t, http.StatusCreated)
	fourth := madeSite(t, s, "third-again")
	for _, l := range []listener{end, after, again} {
		l.hears("extras.tag 1 created 1")
		l.hears(siteCreated(fourth))
		l.Close()
	}
	s.App.Feed.End()
	named.ends()
}

// TestLiveRefuses: what the feed refuses, a stream refuses as well, with the same answer.
func TestLiveRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	newest := numbered(t, s)
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_sequencer SET oldest = 2"); err != nil {
		t.Fatal(err)
	}
	_, none := s.User(t, "none")
	for _, c := range []struct {
		key, query, last string
		status           int
	}{
		{s.Admin, "?after=0", "", http.StatusGone},
		{s.Admin, "?after=1", "0", http.StatusGone},
		{s.Admin, "", strconv.FormatInt(newest+1000, 10), http.StatusGone},
		{s.Admin, "?types=dcim.nothing", "", http.StatusBadRequest},
		{s.Admin, "?limit=5", "", http.StatusBadRequest},
		{s.Admin, "?wait=5", "", http.StatusBadRequest},
		{s.Admin, "", "x", http.StatusBadRequest},
		{s.Admin, "", "-1", http.StatusBadRequest},
		{none, "", "", http.StatusForbidden},
		{"", "", "", http.StatusForbidden},
	} {
		header := map[string]string{"Accept": "text/event-stream", "Last-Event-ID": c.last}
		got := s.Do(t, apitest.Call{Method: "GET", Path: feedPath + c.query, Token: c.key, Header: header}).Want(t, c.status)
		if c.status == http.StatusGone && got.Object(t)["oldest"] != 2.0 {
			t.Errorf("%s: %s", c.query, got.Raw)
		}
	}
	body := apitest.Call{Method: "GET", Path: feedPath, Token: s.Admin, Body: map[string]any{},
		Header: map[string]string{"Accept": "text/event-stream"}}
	s.Do(t, body).Want(t, http.StatusBadRequest)
	head := s.Do(t, apitest.Call{Method: "HEAD", Path: feedPath, Token: s.Admin, Header: map[string]string{"Accept": "text/event-stream"}})
	if head.Want(t, http.StatusOK).Header.Get("Content-Type") != "text/event-stream" || len(head.Raw) > 0 {
		t.Errorf("HEAD: %v %q", head.Header, head.Raw)
	}
	if n := s.App.Feed.Waiting(); n != 0 {
		t.Errorf("%d readers wait", n)
	}
}

// TestLiveRights: a change that is made after a permission, a user or a token was changed is sent only to those who may see it then. Who
// may see nothing any more is disconnected.
func TestLiveRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	log := []string{"extras.objectchange"}
	grant := apitest.Grant{Types: log, Actions: []string{"view"}, Constraints: map[string]any{"changed_object_type": "dcim.site"}}
	_, revoked := s.User(t, "revoked", grant)
	leaver, inactive := s.User(t, "inactive", grant)
	_, narrowed := s.User(t, "narrowed", apitest.Grant{Types: log, Actions: []string{"view"}})
	numbered(t, s)
	listeners := map[string]listener{}
	for name, key := range map[string]string{"revoked": revoked, "inactive": inactive, "narrowed": narrowed, "admin": s.Admin} {
		listeners[name] = listen(t, s, key, "?types=dcim.site,dcim.region", nil)
	}
	first := siteCreated(madeSite(t, s, "first"))
	for _, l := range listeners {
		l.hears(first)
	}
	id := one[int64](t, s, "SELECT t.id FROM users_token t JOIN users_user u ON u.id = t.user_id WHERE u.username = 'revoked'")
	s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/users/tokens/%d/", id), Token: s.Admin}).Want(t, http.StatusNoContent)
	s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/users/users/%d/", leaver), Token: s.Admin,
		Body: map[string]any{"is_active": false}}).Want(t, http.StatusOK)
	id = one[int64](t, s, "SELECT id FROM users_permission WHERE name = 'narrowed-0'")
	s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/users/permissions/%d/", id), Token: s.Admin,
		Body: map[string]any{"constraints": map[string]any{"changed_object_type": "dcim.region"}}}).Want(t, http.StatusOK)
	second := siteCreated(madeSite(t, s, "second"))
	var region struct{ ID int64 }
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/regions/", Token: s.Admin, Body: map[string]any{"name": "r", "slug": "r"}}).
		Want(t, http.StatusCreated).Read(t, &region)
	third := fmt.Sprintf("dcim.region %d created 1", region.ID)
	listeners["revoked"].ends()
	listeners["inactive"].ends()
	listeners["narrowed"].hears(third)
	listeners["admin"].hears(second)
	listeners["admin"].hears(third)
	s.App.Feed.End()
	listeners["narrowed"].ends()
	listeners["admin"].ends()
}

// TestLiveReadsOnceForAll: a change is read once for all who listen, whatever their number.
func TestLiveReadsOnceForAll(t *testing.T) {
	t.Parallel()
	const each = 30
	s, wire := counted(t)
	s.Follow(t)
	limited := apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"},
		Constraints: map[string]any{"changed_object_type": "dcim.site"}}
	_, one := s.User(t, "one", limited)
	_, two := s.User(t, "two", limited)
	numbered(t, s)
	var all []listener
	for _, key := range []string{s.Admin, one, two} {
		for range each {
			all = append(all, listen(t, s, key, "", nil))
		}
	}
	least := int64(1 << 62) // now and then callers are looked up again
	for round := range 3 {
		wire.Statements.Store(0)
		site := siteCreated(madeSite(t, s, fmt.Sprint("site-", round)))
		for _, l := range all {
			l.hears(site)
		}
		least = min(least, wire.Statements.Load())
	}
	if t.Logf("%d statements for %d readers", least, len(all)); least >= int64(len(all)) {
		t.Error("the change is not read once for all")
	}
}

// TestLiveWhileAccountsChange: whoever changes accounts all the time keeps no change from others. Everybody may change tokens of their own.
func TestLiveWhileAccountsChange(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	numbered(t, s)
	l := listen(t, s, s.Admin, "?types=dcim.site", nil)
	defer l.Close()
	for n := range 100 {
		exec(t, s, "UPDATE users_generation SET n = n + 1")
		madeSite(t, s, fmt.Sprint("site-", n))
		select {
		case _, ok := <-l.Events:
			if !ok {
				t.Fatal("the stream has ended")
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("a reader has heard of none of 100 changes")
}
