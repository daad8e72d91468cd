package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/internal/record"
	"terrier/test/apitest"
)

// hit is how the search page shows a record.
func hit(path string, id int64, name string) string {
	return fmt.Sprintf(`<a href="%s%d/" data-hit>%s</a>`, path, id, name)
}

// foundIn returns the headings of a search page with how many records were found, in their order.
func foundIn(a apitest.Answer) (headings []string) {
	for _, m := range regexp.MustCompile(`>([^<]+)</a> <span class="badge text-bg-secondary">([^<]+)</span></h2>`).FindAllSubmatch(a.Raw, -1) {
		headings = append(headings, fmt.Sprintf("%s %s", m[1], m[2]))
	}
	return headings
}

// TestSearchPage: it shows what the caller may see, by type, with what matched. A type with a record of this name comes first.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const sites = "/dcim/sites/"
	one := create(t, s, "/api"+sites, obj{"name": "Lisbon 1", "slug": "a"})
	two := create(t, s, "/api"+sites, obj{"name": "Lisbon 2", "slug": "b"})
	described := create(t, s, "/api"+sites, obj{"name": "Porto", "slug": "c", "description": "moved here from lisbon in May"})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Greater Lisbon", "slug": "greater"})
	tenant := create(t, s, "/api/tenancy/tenants/", obj{"name": "LISBON", "slug": "d"})
	s.User(t, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "b"}})

	a := login(t, s, "admin").get(t, "/search/?q=+lisbon+").Want(t, http.StatusOK)
	shows(t, a, hit(sites, one, "<mark>Lisbon</mark> 1"), hit(sites, two, "<mark>Lisbon</mark> 2"),
		hit(sites, described, "Porto")+
			` <span class="found-in"><span class="found-field">Description:</span> moved here from <mark>lisbon</mark> in May</span>`,
		hit("/dcim/regions/", region, "Greater <mark>Lisbon</mark>"), hit("/tenancy/tenants/", tenant, "<mark>LISBON</mark>"),
		`<a href="/dcim/sites/?q=lisbon">Sites</a>`,
		`Only the newest 5000 of these lists were searched: <a href="/extras/deliveries/?q=lisbon">Deliveries</a>, `)
	if got := strings.Join(foundIn(a), ", "); got != "Tenants 1, Regions 1, Sites 3, Object changes 4" {
		t.Errorf("the page shows %s", got)
	}
	limited := login(t, s, "limited")
	a = limited.get(t, "/search/?q=lisbon").Want(t, http.StatusOK)
	shows(t, a, hit(sites, two, "<mark>Lisbon</mark> 2"))
	hides(t, a, "were searched of", "Porto", "Regions", "/tenancy/", "<mark>Lisbon</mark> 1", "LISBON")
	shows(t, limited.get(t, "/search/?q=porto").Want(t, http.StatusOK), "Nothing found for “porto”.")
	shows(t, limited.get(t, "/search/").Want(t, http.StatusOK), "Enter a name")

	// While somebody types only the results arrive.
	part := limited.get(t, "/search/?q=lisbon", "Hx-Request", "true", "Hx-Target", "found").Want(t, http.StatusOK)
	shows(t, part, hit(sites, two, "<mark>Lisbon</mark> 2"))
	hides(t, part, "<html", "<nav")
}

// TestSearchPageOfManyRecords: ten of a type are shown, with a link to all of them.
func TestSearchPageOfManyRecords(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for i := range 11 {
		create(t, s, "/api/dcim/regions/", obj{"name": fmt.Sprint("Region ", i), "slug": fmt.Sprint("r", i)})
	}
	s.User(t, "looks", apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view"}})
	a := login(t, s, "looks").get(t, "/search/?q=region").Want(t, http.StatusOK)
	shows(t, a, "more than 10", `<a href="/dcim/regions/?q=region">All results`)
	if n := strings.Count(string(a.Raw), "data-hit"); n != 10 {
		t.Errorf("the page shows %d records", n)
	}
}

// TestSearchPageFindsIDs: a delivery by its id, and the changes and deliveries of a request by the request's.
func TestSearchPageFindsIDs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	change := o.s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?changed_object_type=dcim.site&limit=1",
		Token: o.s.Admin}).Page(t).Results[0]
	delivery := o.s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/deliveries/?limit=1", Token: o.s.Admin}).Page(t).Results[0]
	id, request := fmt.Sprint(delivery["id"]), fmt.Sprint(change["request_id"])

	a := o.admin.get(t, "/search/?q="+id).Want(t, http.StatusOK)
	shows(t, a, `href="/extras/deliveries/`+id+`/" data-hit`, `<span class="found-field">ID:</span> <mark>`+id)
	if got := strings.Join(foundIn(a), ", "); got != "Deliveries 1" {
		t.Errorf("the id of a delivery finds %s", got)
	}
	a = o.admin.get(t, "/search/?q="+request).Want(t, http.StatusOK)
	shows(t, a, `<a href="/extras/object-changes/?request_id=`+request+`">Object changes</a>`,
		fmt.Sprintf(`href="/extras/object-changes/%v/" data-hit`, change["id"]), `<span class="found-field">Request id:</span> <mark>`+request)
	o.admin.get(t, "/extras/object-changes/?request_id="+request).Want(t, http.StatusOK)
	limited := o.user(t, "limited", grant(nil, "webhook", "view"))
	shows(t, limited.get(t, "/search/?q="+request).Want(t, http.StatusOK), "Nothing found for")
}

// TestSearchPageEscapes: neither names nor what is searched for become part of the page's markup.
func TestSearchPageEscapes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for i, name := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</mark><b>x`} {
		create(t, s, "/api/dcim/sites/", obj{"name": name, "slug": fmt.Sprint("s", i), "description": "about " + name + " again"})
		for _, text := range []string{name, name[:3], name[1:]} {
			a := b.get(t, "/search/?q="+url.QueryEscape(text)).Want(t, http.StatusOK)
			hides(t, a, "<script>alert", "<img src=x", "</mark><b>")
			if !strings.Contains(string(a.Raw), "data-hit") {
				t.Errorf("%q finds nothing", text)
			}
		}
	}
}

// TestSearchPageNamesSlowTypes: a type that takes too long is named, with its list, and the others are shown.
func TestSearchPageNamesSlowTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	other, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Rollback(t.Context()) //nolint:errcheck // it is over
	if _, err := other.Exec(t.Context(), "LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	a := b.get(t, "/search/?q=lisbon").Want(t, http.StatusOK)
	// Types that show the site of a record took too long as well.
	shows(t, a, "This took too long in <a", `<a class="alert-link" href="/dcim/sites/">Sites</a>`,
		hit("/dcim/regions/", region, "<mark>Lisbon</mark>"))
	hides(t, a, "<mark>Lisbon</mark> 1</a>")
}

// TestSearchPageOfManyTypes: eighty more types are searched too.
func TestSearchPageOfManyTypes(t *testing.T) {
	t.Parallel()
	more := make([]record.Type, 80)
	for i := range more {
		more[i] = cable
		more[i].Name, more[i].Plural = fmt.Sprintf("cable%02d", i), fmt.Sprintf("cable%02ds", i)
	}
	s := apitest.New(t, func(c *app.Config) { c.Types = more })
	for _, typ := range more {
		if _, err := s.DB.Exec(t.Context(), strings.ReplaceAll(cableTable, "dcim_cable", typ.Table())+
			"; INSERT INTO "+typ.Table()+" VALUES (1, 1, 'trunk', 'fibre', NULL, NULL, true, '{}', '{}', now(), now())"); err != nil {
			t.Fatal(err)
		}
	}
	a := login(t, s, "admin").get(t, "/search/?q=trunk").Want(t, http.StatusOK)
	if n := len(foundIn(a)); n != len(more) {
		t.Errorf("found in %d types", n)
	}
}

// TestSearchPageSuggests: where nothing is found because words are misspelled by one letter, the page links to the search for the right
// ones. It suggests no name that the caller may not see, no other number, and nothing for what is like no name.
func TestSearchPageSuggests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Frankfurt 1", "slug": "fra1"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon <1>", "slug": "lis1", "description": "north of the river"})
	create(t, s, "/api/tenancy/tenants/", obj{"name": "Meridian Bank", "slug": "mb"})
	create(t, s, "/api/tenancy/tenants/", obj{"name": "mgmt hub", "slug": "hub"})
	s.User(t, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "lis1"}})
	s.User(t, "blind")
	admin := login(t, s, "admin")
	for text, want := range map[string]string{
		"frankfort": "frankfurt", "frankfrt": "frankfurt", "Frankkfurt": "Frankfurt", "fraknfurt": "frankfurt", // one letter
		"merdian bnak": "meridian bank", "meridian Bnak": "meridian Bank", "frankfrt 1": "frankfurt 1", // words
		"mgnt": "mgmt", "xmgmt": "mgmt", // short ones
		"mgt": "", "lsi": "", "4711": "", "10.1.0.3": "", "02:54:02:00:c2:01": "", "zzzzqqqq": "", "frnkfrt": "", // too short, numbers, nonsense
		"frankfrt zzzzqqqq": "", "frankfrt bank": "", "frankfurt bank": "", // which finds nothing either
		"a b c d e f g h frankfrt": "", strings.Repeat("frankfrt", 40): "",
	} {
		a := admin.get(t, "/search/?q="+url.QueryEscape(text)).Want(t, http.StatusOK)
		shows(t, a, "Nothing found for “"+text+"”.")
		if want == "" {
			hides(t, a, "Did you mean")
			continue
		}
		href := "/search/?q=" + url.QueryEscape(want)
		shows(t, a, `Did you mean <a href="`+strings.ReplaceAll(href, "+", "&#43;")+`" data-hit data-meant>`+want+`</a>?`)
		shows(t, admin.get(t, href).Want(t, http.StatusOK), "data-hit>")
	}
	found := admin.get(t, "/search/?q=frankfurt").Want(t, http.StatusOK)
	shows(t, found, hit("/dcim/sites/", site, "<mark>Frankfurt</mark> 1"))
	hides(t, found, "Did you mean")
	shows(t, admin.get(t, "/search/?q=%3C2%3E+lisbon+nroth").Want(t, http.StatusOK), "Nothing found for “&lt;2&gt; lisbon nroth”.")

	limited := login(t, s, "limited")
	hides(t, limited.get(t, "/search/?q=frankfrt").Want(t, http.StatusOK), "Did you mean", "Frankfurt")
	shows(t, limited.get(t, "/search/?q=Lisbn").Want(t, http.StatusOK), `data-meant>Lisbon</a>?`)
	hides(t, login(t, s, "blind").get(t, "/search/?q=Lisbn").Want(t, http.StatusOK), "Did you mean")

	// While they type only the results arrive, and nothing is suggested for half a word.
	part := admin.get(t, "/search/?q=frankfrt", "Hx-Request", "true", "Hx-Target", "found").Want(t, http.StatusOK)
	shows(t, part, "Nothing found for “frankfrt”.")
	hides(t, part, "Did you mean", "<html", "<nav")
}
