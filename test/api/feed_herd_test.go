package api_test

import (
	"net/url"
	"slices"
	"strconv"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
	"terrier/test/bench/gauge"
)

// counted starts a server whose statements are counted.
func counted(t *testing.T) (*apitest.Server, *gauge.Wire) {
	t.Helper()
	var wire *gauge.Wire
	s := apitest.New(t, func(c *app.Config) {
		u, err := url.Parse(c.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		if wire, err = gauge.NewWire(u.Host); err != nil {
			t.Fatal(err)
		}
		u.Host = wire.Address()
		c.DatabaseURL = u.String()
	})
	t.Cleanup(func() { _ = wire.Close() })
	return s, wire
}

// waitFor waits until so many readers wait.
func waitFor(t *testing.T, s *apitest.Server, readers int) {
	t.Helper()
	for s.App.Feed.Waiting() < readers {
		if _, err := s.DB.Exec(t.Context(), "SELECT pg_sleep(0.01)"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFeedReadsOnceForAll: a change that many wait for is read once for all of them, and once more for all whose permission has the same
// constraints. Those who wait for other types, and those who may not see it, are not answered.
func TestFeedReadsOnceForAll(t *testing.T) {
	t.Parallel()
	const each = 60
	s, wire := counted(t)
	s.Follow(t)
	log := []string{"extras.objectchange"}
	view := func(name string, constraints any) string {
		_, key := s.User(t, name, apitest.Grant{Types: log, Actions: []string{"view"}, Constraints: constraints})
		return key
	}
	sites := map[string]any{"changed_object_type": "dcim.site"}
	answered := []string{view("all", nil), view("also-all", nil), view("sites", sites), view("also-sites", sites)}
	silent := map[string]string{view("tags", nil): "extras.tag", view("nothing", map[string]any{"user_name": "nobody"}): "dcim.site"}
	after := strconv.FormatInt(numbered(t, s), 10)
	ask := func(key, types string, got chan<- fed) {
		got <- readFeed(t, s, key, url.Values{"after": {after}, "types": {types}, "wait": {"20"}})
	}
	answers, others := make(chan fed, len(answered)*each), make(chan fed, len(silent))
	for _, key := range answered {
		for range each {
			go ask(key, "dcim.site", answers)
		}
	}
	for key, types := range silent {
		go ask(key, types, others)
	}
	waitFor(t, s, len(answered)*each+len(silent))

	wire.Statements.Store(0)
	id := madeSite(t, s, "one")
	for range cap(answers) {
		got := (<-answers).names()
		if !slices.Equal(got, []string{"dcim.site " + strconv.FormatInt(id, 10) + " created 1"}) {
			t.Fatalf("who waits for the site gets %v", got)
		}
	}
	n := wire.Statements.Load()
	if t.Logf("%d statements for %d readers", n, cap(answers)); n >= int64(cap(answers)) {
		t.Error("the change is not read once for all")
	}
	if len(others) > 0 {
		t.Errorf("somebody whom it does not concern got %v", (<-others).names())
	}
	s.App.Feed.End()
	for range cap(others) {
		if got := (<-others).names(); len(got) > 0 {
			t.Errorf("somebody whom it does not concern got %v", got)
		}
	}
}
