package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

// counted is the line of a type with records.
func counted(path, label, count string) string {
	return `<a href="` + path + `">` + label + `</a><span class="badge text-bg-secondary">` + count + `</span></li>`
}

// TestHomeCountsWhatTheCallerSees: all of a type, or what the constraints of a permission let through, and no
// type they may not see.
func TestHomeCountsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon"})
	s.User(t, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "lis2"}})
	sites, regions, groups := "/dcim/sites/", "/dcim/regions/", "/dcim/site-groups/"

	home := login(t, s, "admin").get(t, "/").Want(t, http.StatusOK)
	shows(t, home, counted(sites, "Sites", "2"), counted(regions, "Regions", "1"))
	hides(t, home, counted(groups, "Site groups", "0"))
	home = login(t, s, "limited").get(t, "/").Want(t, http.StatusOK)
	shows(t, home, counted(sites, "Sites", "1"))
	hides(t, home, regions)
	s.User(t, "nobody") // may see only their own tokens
	shows(t, login(t, s, "nobody").get(t, "/").Want(t, http.StatusOK), "You don't have permission to see any records yet.")
}

// allCards are the cards of somebody who may see everything and has not moved any.
const allCards = "requests changes webhooks queued records recent"

var cardTitle = regexp.MustCompile(`<h2 class="card-header" id="card-(\w+)-title">`)

// cardsOf returns the cards of the home page in their order.
func cardsOf(a apitest.Answer) string {
	var keys []string
	for _, m := range cardTitle.FindAllStringSubmatch(string(a.Raw), -1) {
		keys = append(keys, m[1])
	}
	return strings.Join(keys, " ")
}

// TestHomeIsArranged: a person moves and hides cards, which stays so in another browser, and for nobody else. Nothing that the API puts
// into the preferences breaks the page.
func TestHomeIsArranged(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	is := func(b browser, want string) {
		t.Helper()
		if got := cardsOf(b.get(t, "/").Want(t, http.StatusOK)); got != want {
			t.Errorf("the cards are %q, want %q", got, want)
		}
	}
	is(b, allCards)
	for _, step := range []struct{ do, want string }{
		{"up recent", "requests changes webhooks queued recent records"},
		{"up recent", "requests changes webhooks recent queued records"},
		{"hide webhooks", "requests changes recent queued records"},
		{"down requests", "changes requests recent queued records"},
		{"down requests", "changes requests recent queued records"}, // after the hidden one
		{"down records", "changes requests recent queued records"},
		{"show webhooks", "changes webhooks requests recent queued records"},
	} {
		a := b.post(t, "/arrange/", url.Values{"do": {step.do}}).Want(t, http.StatusSeeOther)
		if to, _, _ := strings.Cut(a.Header.Get("Location"), "#"); to != "/?arrange=" {
			t.Errorf("%s leads to %s", step.do, to)
		}
		is(b, step.want)
	}
	is(login(t, s, "admin"), "changes webhooks requests recent queued records")
	_, key := s.User(t, "other", apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"}})
	other := login(t, s, "other")
	is(other, "changes records recent")
	config := apitest.Call{Method: "PATCH", Path: "/api/users/config/", Token: key, Body: obj{"home": obj{"hidden": []any{"webhooks"}}}}
	s.Do(t, config).Want(t, http.StatusOK)
	other.post(t, "/arrange/", url.Values{"do": {"hide recent"}}).Want(t, http.StatusSeeOther)
	config.Method, config.Body = "GET", nil
	if home := s.Do(t, config).Want(t, http.StatusOK).Object(t)["home"].(obj); fmt.Sprint(home["hidden"]) != "[recent webhooks]" {
		t.Errorf("of a card that may not be seen %v is left", home)
	}
	for _, do := range []string{"", "up", "up nothing", "eat records"} {
		b.post(t, "/arrange/", url.Values{"do": {do}}).Want(t, http.StatusBadRequest)
	}
	b.post(t, "/arrange/", url.Values{"do": {"reset"}}).Want(t, http.StatusSeeOther)
	is(b, allCards)

	for _, home := range []any{1, []any{1}, obj{"cards": 1, "hidden": obj{}},
		obj{"cards": []any{1, "nothing", nil}, "hidden": []any{"x", 1}}} {
		s.Do(t, apitest.Call{Method: "PATCH", Path: "/api/users/config/", Token: s.Admin, Body: obj{"home": home}}).Want(t, http.StatusOK)
		is(b, allCards)
	}
	everything := obj{"home": obj{"hidden": strings.Fields(allCards)}}
	s.Do(t, apitest.Call{Method: "PATCH", Path: "/api/users/config/", Token: s.Admin, Body: everything}).Want(t, http.StatusOK)
	shows(t, b.get(t, "/").Want(t, http.StatusOK), "All cards are hidden", "Show Records")
}

// TestHomeShowsRequestsAndQueue: bars lead to the deliveries of their hour. Somebody who may see one webhook sees its requests alone, and
// no deliveries.
func TestHomeShowsRequestsAndQueue(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	shows(t, b.get(t, "/").Want(t, http.StatusOK), "Nothing was sent in the last 24 hours", "No delivery is queued")
	var hooks []int64
	for i := range 2 {
		hooks = append(hooks, create(t, s, "/api/extras/webhooks/", obj{"name": fmt.Sprint("hook ", i), "content_types": []string{"dcim.site"},
			"type_create": true, "payload_url": "http://localhost:9/"}))
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	hour := time.Now().UTC().Truncate(time.Hour)
	for i, hook := range hooks {
		if _, err := s.DB.Exec(t.Context(), "INSERT INTO extras_tally VALUES ($1, $2, $3, 1, 9)", hour, hook, 10*(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.DB.Exec(t.Context(),
		"UPDATE extras_delivery SET queued_at = queued_at - interval '3 hours' WHERE webhook_id = $1", hooks[1]); err != nil {
		t.Fatal(err)
	}
	list := "/extras/deliveries/?finished_at__gte=" + url.QueryEscape(hour.Format(time.RFC3339)) + "&amp;finished_at__lt="
	home := b.get(t, "/").Want(t, http.StatusOK)
	shows(t, home, "Webhook requests per hour: 30 successful, 2 failed.", list,
		`<dt>Queued</dt><dd><a href="/extras/deliveries/?state=queued">2</a>`, ">3 h 0 min</a>")
	at := strings.Index(string(home.Raw), list)
	link, _, _ := strings.Cut(string(home.Raw)[at:], `"`)
	b.get(t, strings.ReplaceAll(link, "&amp;", "&")).Want(t, http.StatusOK)

	s.User(t, "one", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}, Constraints: obj{"id": hooks[0]}})
	one := login(t, s, "one").get(t, "/").Want(t, http.StatusOK)
	if got := cardsOf(one); got != "requests records" {
		t.Errorf("the cards are %q", got)
	}
	shows(t, one, "Webhook requests per hour: 10 successful, 1 failed.")
	hides(t, one, "/extras/deliveries/", "hook 1")
}

// TestHomeShowsChangesPerDay: of all types that the caller may see changes of. Somebody with a constraint sees only what passes it.
func TestHomeShowsChangesPerDay(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	s.User(t, "limited", apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"},
		Constraints: obj{"changed_object_type": "dcim.region"}})
	for i := range 3 {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("Lisbon ", i), "slug": fmt.Sprint("lis", i)})
	}
	create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon"})
	limited := login(t, s, "limited").get(t, "/").Want(t, http.StatusOK)
	shows(t, limited, "Changes per day: 1 in 14 days.", "Region 1")
	hides(t, limited, "Site 3")
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO extras_change_tally
		SELECT (changed_at AT TIME ZONE 'UTC')::date, object_type, count(*) FROM extras_objectchange GROUP BY 1, 2`); err != nil {
		t.Fatal(err)
	}
	home := b.get(t, "/").Want(t, http.StatusOK)
	shows(t, home, "Site 3", "Region 1", "/extras/object-changes/?time__gte=")
	if !slices.Contains(strings.Fields(cardsOf(home)), "changes") {
		t.Error("there is no chart")
	}
}

// TestHomeLeavesOutWhatIsSlow: a card that takes too long says so, and all others are shown.
func TestHomeLeavesOutWhatIsSlow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "a", "active")
	other, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Rollback(context.Background()) })
	if _, err := other.Exec(t.Context(), "LOCK TABLE extras_change_tally"); err != nil {
		t.Fatal(err)
	}
	home := b.get(t, "/").Want(t, http.StatusOK)
	if got := cardsOf(home); got != allCards {
		t.Errorf("the cards are %q", got)
	}
	shows(t, home, counted("/dcim/sites/", "Sites", "1"))
	if n := strings.Count(string(home.Raw), "took too long"); n != 1 {
		t.Errorf("%d cards took too long", n)
	}
}
