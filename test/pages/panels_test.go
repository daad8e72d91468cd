package pages_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestPanels: the page of a shelf shows its items as a tab, its ports as a card and its places as a drawing, each with
// what belongs to that shelf alone.
func TestPanels(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	upper := create(t, s, "/api/trial/shelves/", obj{"name": "upper", "places": 4})
	lower := create(t, s, "/api/trial/shelves/", obj{"name": "lower"})
	create(t, s, "/api/trial/items/", obj{"name": "lamp", "shelf": upper, "place": 2})
	create(t, s, "/api/trial/items/", obj{"name": "outside", "shelf": upper, "place": 9})
	create(t, s, "/api/trial/items/", obj{"name": "stranger", "shelf": lower, "place": 1})
	create(t, s, "/api/trial/ports/", obj{"name": "eth0", "shelf": upper})
	path := fmt.Sprintf("/trial/shelves/%d/", upper)

	page := b.get(t, path).Want(t, http.StatusOK)
	shows(t, page, `href="`+path+`items/">Items <span class="badge text-bg-secondary">2</span></a>`, `<h2 class="card-header">Ports</h2>`,
		"eth0", `<h2 class="card-header">Places</h2>`,
		"<figcaption>25 % of 4 units in use</figcaption>",
		`dominant-baseline="central">lamp</text>`, "<td>U2</td>", "<td>U9</td>", ">outside</a>",
		fmt.Sprintf(`href="/trial/items/add/?next=%%2Ftrial%%2Fshelves%%2F%d%%2F&amp;place=3&amp;shelf=upper"`, upper))
	hides(t, page, "stranger", "outside</text>")

	tab := b.get(t, path+"items/").Want(t, http.StatusOK)
	shows(t, tab, `aria-current="page" href="`+path+`items/"`, "lamp", "outside", "1–2 of 2",
		fmt.Sprintf(`href="/trial/items/?shelf_id=%d"`, upper),
		`href="/trial/items/add/?next=%2Ftrial%2Fshelves%2F`+fmt.Sprint(upper)+`%2Fitems%2F&amp;shelf=upper"`)
	hides(t, tab, "stranger", "Shelf</th>")
	shows(t, b.get(t, path+"changelog/").Want(t, http.StatusOK), `Items <span class="badge text-bg-secondary">2</span></a>`)
	shows(t, b.get(t, path+"items/?limit=1").Want(t, http.StatusOK), "1–1 of 2", `rel="next" href="`+path+`items/?`)
	shows(t, b.get(t, "/trial/items/add/?shelf=upper").Want(t, http.StatusOK), `value="upper"`)
	b.get(t, "/trial/shelves/999/items/").Want(t, http.StatusNotFound)
}

// TestPanelsOfWhatIsHidden: a panel of a type that the caller may not see is not shown, and of those they may see it
// shows what their permission allows.
func TestPanelsOfWhatIsHidden(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	create(t, s, "/api/trial/items/", obj{"name": "lamp", "shelf": shelf, "place": 2})
	create(t, s, "/api/trial/items/", obj{"name": "secret", "shelf": shelf, "place": 3})
	path := fmt.Sprintf("/trial/shelves/%d/", shelf)
	s.User(t, "shelves", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}})
	s.User(t, "some", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"trial.item"}, Actions: []string{"view"}, Constraints: obj{"name": "lamp"}})

	b := login(t, s, "shelves")
	hides(t, b.get(t, path).Want(t, http.StatusOK), "Items<", "Ports<", `card-header">Places`, "lamp")
	b.get(t, path+"items/").Want(t, http.StatusForbidden)

	b = login(t, s, "some")
	for _, address := range []string{path, path + "items/"} {
		page := b.get(t, address).Want(t, http.StatusOK)
		shows(t, page, "lamp")
		hides(t, page, "secret", "Ports<", "items/add/")
	}
}

// TestStatementsOfPanels: a page asks the database as often for many records in its panels as for one.
func TestStatementsOfPanels(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t, func(c *app.Config) { c.Types = trial.Types() })
	for _, typ := range trial.Types() {
		if _, err := s.DB.Exec(t.Context(), store.DraftTable(s.App.Registry.Type(typ.Key()))); err != nil {
			t.Fatal(err)
		}
	}
	b := login(t, s, "admin")
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	for n := range 3 {
		var items []obj
		for i := range 1 + 30*n {
			items = append(items, obj{"name": fmt.Sprint("item ", n, "-", i), "shelf": shelf, "place": i})
		}
		s.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/items/", Token: s.Admin, Body: items}).Want(t, http.StatusCreated)
		// Session and account; what every record has, with its custom links; one for each card, or the page and the count of a tab. All
		// tabs are counted together. A drawing reads in a transaction.
		for rest, want := range map[string]int64{"": 2 + 6 + 2 + 2, "items/": 2 + 5, "changelog/": 2 + 5} {
			path := fmt.Sprintf("/trial/shelves/%d/%s", shelf, rest)
			if got, _ := needs(t, b, path, wire); got != want {
				t.Errorf("%s, round %d: %d statements, want %d", path, n, got, want)
			}
		}
	}
}

// TestWrongPanels: the program does not start with a panel that names no drawing, or whose address is taken.
func TestWrongPanels(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for want, panel := range map[string]record.Panel{
		`record type trial.shelf: panel "Places" names the drawing "elevaton", and there is no such drawing`: {
			Card: "Places", Drawing: "elevaton", Data: func(record.Call, []record.Values) ([]any, error) { return nil, nil }},
		"two pages have the address GET /trial/shelves/{id}/edit/{$}: rename the panel or the action": {Tab: "Edit", List: "trial.item"},
	} {
		types := trial.Types()
		types[0].Panels = []record.Panel{panel}
		cfg := app.Config{DatabaseURL: s.DB.Config().ConnString(), SecretKey: apitest.SecretKey, BaseURL: s.URL, Types: types}
		a, err := app.New(context.WithoutCancel(t.Context()), cfg, slog.New(slog.DiscardHandler))
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
