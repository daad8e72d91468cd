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
	a := confirmed(t, admin, path+"free-pegs/", url.Values{"start": {"3"}}).Want(t, http.StatusSeeOther)
	if page := string(admin.get(t, a.Header.Get("Location")).Want(t, http.StatusOK).Raw); !strings.Contains(page, "peg 3") {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}

// TestActionButtons holds that the buttons of the actions of webhooks and deliveries show the label that the declaration gives them, and
// lead to the action's page.
func TestActionButtons(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	running := create(t, s, "/api/extras/webhooks/", saved(obj{"secret": "new", "previous_secret": "old"}))
	paused := create(t, s, "/api/extras/webhooks/", saved(obj{"name": "paused"}))
	s.Do(t, apitest.Call{Method: "POST", Path: fmt.Sprintf("/api/extras/webhooks/%d/pause/", paused), Token: s.Admin}).Want(t, http.StatusOK)
	newSite(t, s, "Lisbon", "active")
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_delivery SET state = 'failed', finished_at = now()"); err != nil {
		t.Fatal(err)
	}
	deliveries := s.App.Registry.Type("extras.delivery")
	sent := deliveries.FormatID(number(t, s, "SELECT id FROM extras_delivery WHERE webhook_id = $1", running))
	hook := fmt.Sprintf("%s%d/", hooks, running)
	b := login(t, s, "admin")
	for _, c := range []struct{ action, label, on, at string }{
		{"POST extras.webhook/test", "Send a test", hook, hook + "test/"},
		{"POST extras.webhook/pause", "Pause", hook, hook + "pause/"},
		{"POST extras.webhook/resume", "Resume", fmt.Sprintf("%s%d/", hooks, paused), fmt.Sprintf("%s%d/resume/", hooks, paused)},
		{"POST extras.webhook/replay", "Replay", hook, hook + "replay/"},
		{"POST extras.webhook/rotate", "Rotate secret", hook, hook + "rotate/"},
		{"POST extras.webhook/rotate/end", "The receiver knows the new one", hook + "rotate/", hook + "rotate/end/"},
		{"POST extras.delivery/retry", "Retry", "/system/tasks/", "/extras/deliveries/" + sent + "/retry/"},
		{"POST extras.delivery/redeliver", "Send again", "/extras/deliveries/" + sent + "/", "/extras/deliveries/" + sent + "/redeliver/"},
		{"POST extras.deliveries/retry", "Retry all that match", "/system/tasks/", "/extras/deliveries/retry/"},
	} {
		if title := s.App.Registry.Action(c.action).Title(); title != c.label {
			t.Errorf("%s is called %q", c.action, title)
		}
		shows(t, b.get(t, c.on).Want(t, http.StatusOK), ">"+c.label, `"`+c.at+`"`)
	}
}

// TestActionPagesNeedTheRight posts to every page about a webhook and its deliveries as somebody who sees them and may change another
// webhook. All are refused, and nothing is written.
func TestActionPagesNeedTheRight(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	hook := create(t, s, "/api/extras/webhooks/", saved(obj{"secret": "x"}))
	newSite(t, s, "Lisbon", "active")
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_delivery SET state = 'failed', finished_at = now()"); err != nil {
		t.Fatal(err)
	}
	sent := s.App.Registry.Type("extras.delivery").FormatID(number(t, s, "SELECT id FROM extras_delivery"))
	s.User(t, "elsewhere",
		apitest.Grant{Types: []string{"extras.webhook", "extras.delivery", "extras.objectchange"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"change"}, Constraints: obj{"name": "another"}})
	b := login(t, s, "elsewhere")
	state := func() (text string) {
		t.Helper()
		if err := s.DB.QueryRow(t.Context(), `SELECT (SELECT string_agg(w::text, '') FROM extras_webhook w) ||
			(SELECT string_agg(d::text, '') FROM extras_delivery d) || (SELECT count(*) FROM extras_webhook_pause)`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before, tried := state(), 0
	for _, r := range s.App.Site.Routes() {
		if r.Method != http.MethodPost || r.Type == nil || r.Type.Key() != "extras.webhook" || !strings.Contains(r.Path, "{id}") {
			continue
		}
		id := fmt.Sprint(hook)
		if strings.HasPrefix(r.Path, "/extras/deliveries/") {
			id = sent
		}
		path := strings.NewReplacer("{$}", "", "{id}", id).Replace(r.Path)
		if a := b.post(t, path, url.Values{}); a.Status != http.StatusForbidden && a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
		tried++
	}
	if after := state(); after != before || tried < 12 {
		t.Errorf("after %d pages: %s", tried, after)
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
