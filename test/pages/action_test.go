package pages_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/internal/record"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestActionForm holds that an action which a type declares has a button on the page of a record and a form that its Body makes, for
// those who may use it.
func TestActionForm(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	path := fmt.Sprintf("/trial/shelves/%d/", shelf)
	s.User(t, "looks", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}})
	admin, looks := login(t, s, "admin"), login(t, s, "looks")

	link := `href="` + path + `free-pegs/">Take a peg</a>`
	if page := string(admin.get(t, path).Raw); strings.Count(page, link) != 1 {
		t.Errorf("the page has no button: %.2000s", page)
	}
	if page := string(looks.get(t, path).Raw); strings.Contains(page, "free-pegs") {
		t.Error("somebody who may add no peg is offered one")
	}
	looks.get(t, path+"free-pegs/").Want(t, http.StatusForbidden)
	looks.post(t, path+"free-pegs/", url.Values{"start": {"3"}}).Want(t, http.StatusForbidden)

	form := string(admin.get(t, path+"free-pegs/").Want(t, http.StatusOK).Raw)
	for _, part := range []string{"Take a peg: upper", "Take the lowest free pegs of a shelf.", `name="start"`, `value="1"`,
		"The lowest number to take."} {
		if !strings.Contains(form, part) {
			t.Errorf("the form lacks %q", part)
		}
	}
	refused := string(admin.post(t, path+"free-pegs/", url.Values{"start": {"0"}}).Want(t, http.StatusBadRequest).Raw)
	if !strings.Contains(refused, "greater than or equal to 1") || !strings.Contains(refused, `value="0"`) {
		t.Errorf("what is wrong is not beside the field: %.3000s", refused)
	}
	a := admin.post(t, path+"free-pegs/", url.Values{"start": {"3"}}).Want(t, http.StatusSeeOther)
	if page := string(admin.get(t, a.Header.Get("Location")).Want(t, http.StatusOK).Raw); !strings.Contains(page, "peg 3") {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}

// TestWrongActions holds that the program does not start with an action that does nothing, or that is offered on pages only and has none.
// Only an action on a record gets a page from its Do.
func TestWrongActions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, c := range []struct {
		want   string
		action record.Action
	}{
		{"the action POST trial.shelf/poke has no Do, and nothing is bound to it", record.Action{}},
		{"the action POST trial.shelf/poke has no Do, and nothing is bound to it", record.Action{PagesOnly: true}},
		{"the action POST trial.shelves/poke is offered on pages only", record.Action{PagesOnly: true, OnList: true,
			Do: func(record.Call) (any, error) { return nil, nil }}},
	} {
		want, action := c.want, c.action
		action.Name, action.Method, action.Needs, action.Doc = "poke", "POST", "change", "Poke it"
		types := trial.Types()
		types[0].Actions = []record.Action{action}
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
