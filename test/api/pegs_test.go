package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
	"terrier/test/trial"
)

const shelves, pegs = "/api/trial/shelves/", "/api/trial/pegs/"

// TestActionAllocates holds that an action written in a type file gives each of many callers a number of its own, with no gap, in one
// change set each: one change and one delivery for every record that it adds.
func TestActionAllocates(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	admin := adminOf(s)
	shelf := admin.create(t, shelves, obj{"name": "upper"})
	free := at(shelves, shelf) + "free-pegs/"
	admin.create(t, webhooks, hook("pegs", "content_types", []string{"trial.peg"}))
	for _, n := range []int{2, 5} {
		admin.create(t, pegs, obj{"shelf": shelf, "name": fmt.Sprint("kept ", n), "number": n})
	}
	numbers := func(rows []map[string]any) (all []int) {
		for _, row := range rows {
			all = append(all, int(row["number"].(float64)))
		}
		return all
	}
	if got := numbers(admin.get(t, free+"?limit=5").Want(t, http.StatusOK).List(t)); !slices.Equal(got, []int{1, 3, 4, 6, 7}) {
		t.Errorf("free at first: %v", got)
	}

	const clients = 16
	var wg sync.WaitGroup
	given := make([]int, clients)
	for i := range clients {
		wg.Go(func() {
			made := admin.do(t, "POST", free, obj{})
			if made.Status != http.StatusCreated {
				t.Errorf("client %d: %d %s", i, made.Status, made.Raw)
				return
			}
			given[i] = int(made.Object(t)["number"].(float64))
		})
	}
	wg.Wait()
	slices.Sort(given)
	if want := []int{1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}; !slices.Equal(given, want) {
		t.Errorf("given %v, want %v", given, want)
	}

	several := admin.do(t, "POST", free, []obj{{"name": "a", "start": 17}, {"name": "b", "start": 40, "nosuch": 1}, {}}).
		Want(t, http.StatusCreated)
	if got := numbers(several.List(t)); !slices.Equal(got, []int{19, 40, 20}) || several.Header.Get("X-Unknown-Fields") != "nosuch" {
		t.Errorf("a list is given %v, and unknown are %q", got, several.Header.Get("X-Unknown-Fields"))
	}
	request := several.Header.Get("X-Request-ID")
	for _, path := range []string{"/api/extras/object-changes/", deliveries} {
		if n := admin.page(t, path+"?request_id="+request).Count; n != 3 {
			t.Errorf("%s has %d of the request, want 3", path, n)
		}
	}
}

// TestActionsAmongPlainCreates holds that an action is given the next free number when others take numbers by plain creates at the same
// time: no number is given twice, and nobody who leaves the choice to the action is refused while there are free numbers.
func TestActionsAmongPlainCreates(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types(), func(cfg *app.Config) { cfg.DatabaseURL += "&pool_max_conns=24" })
	admin := adminOf(s)
	shelf := admin.create(t, shelves, obj{"name": "upper"})
	free := at(shelves, shelf) + "free-pegs/"
	const clients, each = 16, 2
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				if made := admin.do(t, "POST", free, obj{}); made.Status != http.StatusCreated {
					t.Errorf("an action is refused: %d %s", made.Status, made.Raw)
				}
			}
		})
		wg.Go(func() {
			for n, made := 1, 0; made < each; n++ { // all of them try the numbers that the action finds free
				switch a := admin.do(t, "POST", pegs, obj{"shelf": shelf, "name": "plain", "number": n}); a.Status {
				case http.StatusCreated:
					made++
				case http.StatusBadRequest: // somebody else was faster
				default:
					t.Errorf("a plain create: %d %s", a.Status, a.Raw)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := one[int64](t, s, "SELECT count(DISTINCT number) FROM trial_peg"); n != 2*clients*each {
		t.Errorf("%d numbers are taken, want %d", n, 2*clients*each)
	}
}

// TestActionRefuses holds what an action refuses, and that nothing is left of what was refused.
func TestActionRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	admin := adminOf(s)
	shelf, other := admin.create(t, shelves, obj{"name": "upper"}), admin.create(t, shelves, obj{"name": "lower"})
	free := at(shelves, shelf) + "free-pegs/"
	view := apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}, Constraints: obj{"id": shelf}}
	_, looks := newActor(t, s, "looks", view)
	_, adds := newActor(t, s, "adds", view, apitest.Grant{Types: []string{"trial.peg"}, Actions: []string{"add"},
		Constraints: obj{"name__startswith": "mine"}})
	_, blind := newActor(t, s, "blind", apitest.Grant{Types: []string{"trial.peg"}, Actions: []string{"view", "add"}})

	looks.get(t, free).Want(t, http.StatusOK)
	for _, row := range []struct {
		name   string
		who    actor
		path   string
		body   any
		status int
	}{
		{"without the right to add", looks, free, obj{}, 403},
		{"without the right to see the shelf", blind, free, obj{}, 403},
		{"a shelf that they may not see", adds, at(shelves, other) + "free-pegs/", obj{"name": "mine"}, 404},
		{"a record outside of what they may add", adds, free, obj{"name": "yours"}, 403},
		{"one of several outside", adds, free, []obj{{"name": "mine"}, {"name": "yours"}}, 403},
		{"no number", admin, free, obj{"start": "x"}, 400},
		{"a number that is too low", admin, free, obj{"start": 0}, 400},
		{"nothing free", admin, free, obj{"start": 1000}, 400},
		{"a bad record", admin, free, []obj{{}, {"name": ""}}, 400},
		{"in the address", admin, free + "?start=2", obj{}, 400},
		{"no such shelf", admin, at(shelves, 1<<40) + "free-pegs/", obj{}, 404},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := writtenBy(t, s, func() { row.who.do(t, "POST", row.path, row.body).Want(t, row.status) })
			if n := admin.page(t, pegs).Count; n != 0 || w != (written{}) {
				t.Errorf("%d pegs, wrote %+v", n, w)
			}
		})
	}
	adds.do(t, "POST", free, obj{"name": "mine"}).Want(t, http.StatusCreated)
	admin.get(t, free+"?start=x").Want(t, http.StatusBadRequest)
	admin.get(t, free+"?nosuch=1").Want(t, http.StatusBadRequest)
}

// TestActionSeesWhatIsTaken holds that a number is not given twice although the caller may not see who has it.
func TestActionSeesWhatIsTaken(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	admin := adminOf(s)
	shelf := admin.create(t, shelves, obj{"name": "upper"})
	admin.create(t, pegs, obj{"shelf": shelf, "name": "hidden", "number": 1})
	_, adds := newActor(t, s, "adds", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"trial.peg"}, Actions: []string{"add"}})
	if n := adds.do(t, "POST", at(shelves, shelf)+"free-pegs/", obj{}).Want(t, http.StatusCreated).Object(t)["number"]; n != 2.0 {
		t.Errorf("given %v, want 2", n)
	}
}

// TestActionChecksItsBody holds that the fields of an action's body are checked as the fields of records are: the answer names the
// field, and nothing is written.
func TestActionChecksItsBody(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	admin := adminOf(s)
	free := at(shelves, admin.create(t, shelves, obj{"name": "upper"})) + "free-pegs/"
	for _, row := range []struct {
		method, path, field, message string
		body                         any
	}{
		{"POST", free, "start", "greater than or equal to 1", obj{"start": 0}},
		{"POST", free, "prefix", "no more than 65536 bytes", obj{"prefix": strings.Repeat("x", 64<<10+1)}},
		{"GET", free + "?limit=0", "limit", "greater than or equal to 1", nil},
	} {
		t.Run(row.method+" "+row.field, func(t *testing.T) {
			w := writtenBy(t, s, func() {
				errs := admin.do(t, row.method, row.path, row.body).Want(t, http.StatusBadRequest).Object(t)
				if message := fmt.Sprint(errs[row.field]); len(errs) != 1 || !strings.Contains(message, row.message) {
					t.Errorf("errors %v, want one on %s: %s", errs, row.field, row.message)
				}
			})
			if w != (written{}) {
				t.Errorf("wrote %+v", w)
			}
		})
	}
	if made := admin.do(t, "POST", free, obj{"prefix": "left-"}).Want(t, http.StatusCreated).Object(t); made["name"] != "left-peg 1" {
		t.Errorf("made %v", made["name"])
	}
}
