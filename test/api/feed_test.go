package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/app"
	"terrier/internal/feed"
	"terrier/internal/ledger"
	"terrier/test/apitest"
)

const feedPath = "/api/extras/feed/"

// fed is an answer of the feed.
type fed struct {
	Results []struct {
		Position   int64           `json:"position"`
		ObjectType string          `json:"object_type"`
		ObjectID   int64           `json:"object_id"`
		Version    int64           `json:"version"`
		Event      string          `json:"event"`
		Model      string          `json:"model"`
		Username   string          `json:"username"`
		Data       map[string]any  `json:"data"`
		Snapshots  json.RawMessage `json:"snapshots"`
	} `json:"results"`
	Next, Oldest, Newest int64
}

// names lists the changes, such as "dcim.site 3 updated 2".
func (f fed) names() (all []string) {
	for _, r := range f.Results {
		all = append(all, fmt.Sprintf("%s %d %s %d", r.ObjectType, r.ObjectID, r.Event, r.Version))
	}
	return all
}

func readFeed(t *testing.T, s *apitest.Server, key string, query url.Values) fed {
	t.Helper()
	var out fed
	s.Do(t, apitest.Call{Method: "GET", Path: feedPath + "?" + query.Encode(), Token: key}).Want(t, http.StatusOK).Read(t, &out)
	return out
}

// numbered waits until every change has a position, and returns the newest.
func numbered(t *testing.T, s *apitest.Server) int64 {
	t.Helper()
	for {
		all := one[int64](t, s, "SELECT count(*) FROM extras_objectchange")
		at := readFeed(t, s, s.Admin, url.Values{"limit": {"1"}})
		if at.Newest >= all {
			return at.Newest
		}
		readFeed(t, s, s.Admin, url.Values{"after": {strconv.FormatInt(at.Newest, 10)}, "wait": {"20"}})
	}
}

func madeSite(t *testing.T, s *apitest.Server, name string) int64 {
	t.Helper()
	var site struct{ ID int64 }
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin, Body: map[string]any{"name": name, "slug": name}}).
		Want(t, http.StatusCreated).Read(t, &site)
	return site.ID
}

// TestFeed: the feed has every change in the order of positions, with what a delivery has of it. next leads on, also past changes that
// were not asked for.
func TestFeed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	before := numbered(t, s)
	start := strconv.FormatInt(before, 10)
	one, two := madeSite(t, s, "one"), madeSite(t, s, "two")
	path := fmt.Sprintf("/api/dcim/sites/%d/", one)
	s.Do(t, apitest.Call{Method: "PATCH", Path: path, Token: s.Admin, Body: map[string]any{"name": "first"}}).Want(t, http.StatusOK)
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/tags/", Token: s.Admin, Body: map[string]any{"name": "a", "slug": "a"}}).
		Want(t, http.StatusCreated)
	s.Do(t, apitest.Call{Method: "DELETE", Path: path, Token: s.Admin}).Want(t, http.StatusNoContent)
	newest := numbered(t, s)

	created, second := fmt.Sprintf("dcim.site %d created 1", one), fmt.Sprintf("dcim.site %d created 1", two)
	updated, deleted := fmt.Sprintf("dcim.site %d updated 2", one), fmt.Sprintf("dcim.site %d deleted 3", one)
	object := "dcim.site:" + strconv.FormatInt(one, 10)
	for name, c := range map[string]struct {
		query url.Values
		want  []string
	}{
		"types":         {url.Values{"types": {"dcim.site"}}, []string{created, second, updated, deleted}},
		"several types": {url.Values{"types": {"dcim.site,extras.tag"}, "events": {"updated,deleted"}}, []string{updated, deleted}},
		"events":        {url.Values{"types": {"dcim.site"}, "events": {"created", "deleted"}}, []string{created, second, deleted}},
		"object":        {url.Values{"object": {object}}, []string{created, updated, deleted}},
		"conditions": {url.Values{"types": {"dcim.site"}, "conditions": {`{"attr": "name", "value": "first"}`}},
			[]string{updated, deleted}},
		"changed": {url.Values{"object": {object}, "conditions": {`{"attr": "name", "op": "changed"}`}, "events": {"updated"}},
			[]string{updated}},
		"none": {url.Values{"types": {"dcim.region"}}, nil},
	} {
		c.query.Set("after", start)
		got := readFeed(t, s, s.Admin, c.query)
		if !slices.Equal(got.names(), c.want) || got.Next != newest || got.Newest != newest {
			t.Errorf("%s: got %v and next %d, want %v and %d", name, got.names(), got.Next, c.want, newest)
		}
		c.query.Set("limit", "1")
		var slowly []string
		for after := before; after < newest; {
			c.query.Set("after", strconv.FormatInt(after, 10))
			part := readFeed(t, s, s.Admin, c.query)
			if slowly = append(slowly, part.names()...); part.Next <= after || len(part.Results) > 1 {
				t.Fatalf("%s: after %d comes %d, with %v", name, after, part.Next, part.names())
			}
			after = part.Next
		}
		if !slices.Equal(slowly, c.want) {
			t.Errorf("%s: one by one %v, want %v", name, slowly, c.want)
		}
	}
	all := readFeed(t, s, s.Admin, url.Values{"after": {start}})
	for i, r := range all.Results {
		if r.Position != before+int64(i)+1 || r.Username != "admin" {
			t.Errorf("number %d has the position %d and the user %q", i, r.Position, r.Username)
		}
	}
	first := all.Results[0]
	if first.Model != "site" || first.Data["name"] != "one" || !slices.Contains([]string{"one"}, fmt.Sprint(first.Data["slug"])) {
		t.Errorf("the first change is %+v", first)
	}
	if got := readFeed(t, s, s.Admin, url.Values{}); got.Results[0].Position != 1 {
		t.Errorf("without after, it begins with %d", got.Results[0].Position)
	}
}

// TestFeedRefuses: wrong parameters are named, and a position that is not there any more, or never was, is gone.
func TestFeedRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	newest := numbered(t, s)
	for query, field := range map[string]string{
		"after=x": "after", "after=-1": "after", "after=1&after=2": "after", "limit=-1": "limit", "limit=1001": "limit", "wait=21": "wait",
		"types=dcim.nothing": "types", "events=create": "events", "conditions=[": "conditions",
		"object=dcim.site": "object", "object=dcim.nothing:1": "object", "filter=1": "filter",
	} {
		var faults map[string][]string
		s.Do(t, apitest.Call{Method: "GET", Path: feedPath + "?" + query, Token: s.Admin}).Want(t, http.StatusBadRequest).Read(t, &faults)
		if len(faults[field]) == 0 {
			t.Errorf("%s: %v", query, faults)
		}
	}
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_sequencer SET oldest = 2"); err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{0, newest + 1} {
		var gone struct{ Oldest, Newest int64 }
		s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("%s?after=%d", feedPath, after), Token: s.Admin}).
			Want(t, http.StatusGone).Read(t, &gone)
		if gone.Oldest != 2 || gone.Newest != newest {
			t.Errorf("after %d: %+v", after, gone)
		}
	}
	readFeed(t, s, s.Admin, url.Values{"after": {"1"}})
	if got := readFeed(t, s, s.Admin, url.Values{}); got.Results[0].Position != 2 {
		t.Errorf("without after, it begins with %d", got.Results[0].Position)
	}
}

// TestFeedScope: callers see in the feed the changes that they see in the change log, and no other.
func TestFeedScope(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.ExemptViewPermissions = []string{"dcim.region"} })
	s.Follow(t)
	log := []string{"extras.objectchange"}
	_, all := s.User(t, "all", apitest.Grant{Types: log, Actions: []string{"view"}})
	_, sites := s.User(t, "sites", apitest.Grant{Types: log, Actions: []string{"view"},
		Constraints: map[string]any{"changed_object_type": "dcim.site"}})
	_, own := s.User(t, "own", apitest.Grant{Types: log, Actions: []string{"view"}, Constraints: map[string]any{"user_name": "nobody"}})
	_, none := s.User(t, "none", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	madeSite(t, s, "one")
	newest := numbered(t, s)
	for name, key := range map[string]string{"admin": s.Admin, "all": all, "sites": sites, "own": own} {
		var page struct {
			Results []struct {
				Type string `json:"changed_object_type"`
				ID   int64  `json:"changed_object_id"`
			}
		}
		s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?ordering=id&limit=1000", Token: key}).Want(t, http.StatusOK).
			Read(t, &page)
		got := readFeed(t, s, key, url.Values{"limit": {"1000"}})
		var listed, read []string
		for _, r := range page.Results {
			listed = append(listed, fmt.Sprint(r.Type, r.ID))
		}
		for _, r := range got.Results {
			read = append(read, fmt.Sprint(r.ObjectType, r.ObjectID))
		}
		if !slices.Equal(read, listed) || got.Next != newest {
			t.Errorf("%s reads %v up to %d, want %v up to %d", name, read, got.Next, listed, newest)
		}
	}
	if got := readFeed(t, s, sites, url.Values{}); len(got.Results) != 1 {
		t.Errorf("a caller who sees changes to sites has %v", got.names())
	}
	for _, key := range []string{none, ""} {
		s.Do(t, apitest.Call{Method: "GET", Path: feedPath, Token: key}).Want(t, http.StatusForbidden)
	}
}

// TestFeedWaits: a request that waits is answered when there is a change for it, and with nothing when the server stops or the accounts
// change.
func TestFeedWaits(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	stop := s.Follow(t)
	_, key := s.User(t, "reader", apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"}})
	wait := func(query url.Values) <-chan fed {
		query.Set("after", strconv.FormatInt(numbered(t, s), 10))
		query.Set("wait", "20")
		answers := make(chan fed, 1)
		go func() { answers <- readFeed(t, s, key, query) }()
		for s.App.Feed.Waiting() == 0 {
			if _, err := s.DB.Exec(t.Context(), "SELECT pg_sleep(0.01)"); err != nil {
				t.Error(err)
			}
		}
		return answers
	}
	got := wait(url.Values{"types": {"dcim.site"}})
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/tags/", Token: s.Admin, Body: map[string]any{"name": "a", "slug": "a"}}).
		Want(t, http.StatusCreated)
	id := madeSite(t, s, "one")
	if names := (<-got).names(); !slices.Equal(names, []string{fmt.Sprintf("dcim.site %d created 1", id)}) {
		t.Errorf("who waits for sites gets %v", names)
	}
	got = wait(url.Values{"types": {"users.user"}})
	s.User(t, "another")
	if names := (<-got).names(); len(names) != 0 {
		t.Errorf("when accounts change, who waits gets %v", names)
	}
	got = wait(url.Values{})
	began := time.Now()
	stop()
	if names := (<-got).names(); len(names) != 0 || time.Since(began) > 10*time.Second {
		t.Errorf("when the server stops, who waits gets %v after %v", names, time.Since(began))
	}
	newest := strconv.FormatInt(readFeed(t, s, key, url.Values{}).Newest, 10)
	if readFeed(t, s, key, url.Values{"wait": {"20"}, "after": {newest}}); time.Since(began) > 10*time.Second {
		t.Error("a request waits although the server has stopped")
	}
}

// TestFeedAfterALateLookup: a caller whose account changed after they were looked up does not wait for changes that they may not see any
// more.
func TestFeedAfterALateLookup(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	newest := numbered(t, s)
	c := ledger.Caller{Subject: &access.Subject{UserID: 1, Superuser: true, Generation: one[int64](t, s, "SELECT n FROM users_generation")}}
	exec(t, s, "DELETE FROM users_token")
	began := time.Now()
	page, err := s.App.Feed.Read(t.Context(), c, feed.Query{After: newest, Limit: 10, Wait: 20 * time.Second})
	if took := time.Since(began); err != nil || len(page.Changes) > 0 || page.Next != newest || took > 10*time.Second {
		t.Errorf("%d changes up to %d, %v after %v", len(page.Changes), page.Next, err, took)
	}
}

// TestFeedSoon: a reader that waits has a change soon after its commit. The goal is a p95 of 250 ms; the bound leaves room for a busy
// machine.
func TestFeedSoon(t *testing.T) {
	t.Parallel()
	const rounds, bound = 20, 2 * time.Second
	s := apitest.New(t)
	s.Follow(t)
	after := numbered(t, s)
	var took []time.Duration
	for n := range rounds {
		arrived := make(chan time.Time, 1)
		go func() {
			page := readFeed(t, s, s.Admin, url.Values{"after": {strconv.FormatInt(after, 10)}, "wait": {"20"}})
			after = page.Next
			arrived <- time.Now()
		}()
		madeSite(t, s, fmt.Sprint("site-", n))
		committed := time.Now()
		took = append(took, (<-arrived).Sub(committed))
	}
	slices.Sort(took)
	p95 := took[len(took)*95/100]
	if t.Logf("p50 %v, p95 %v", took[len(took)/2], p95); p95 > bound {
		t.Errorf("p95 is %v", p95)
	}
}
