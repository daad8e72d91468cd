package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestAuditSessions: logging in and out is one event each, and so is a wrong password. A second logout is none.
func TestAuditSessions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id, _ := s.User(t, "alice")
	line := func(event string) string { return fmt.Sprintf("%s|alice|127.0.0.1|users.user/%d|alice|1", event, id) }
	var b browser
	s.WantAudited(t, func() { b = login(t, s, "alice") }, line("login"))
	s.WantAudited(t, func() {
		b.post(t, "/user/password/", url.Values{"old_password": {"canary"}, "password": {"canary canary"},
			"password_again": {"canary canary"}}).Want(t, http.StatusBadRequest)
	}, line("login_failed"))
	s.WantAudited(t, func() {
		b.post(t, "/login/", url.Values{"username": {"canary"}, "password": {"canary"}}).Want(t, http.StatusForbidden)
	}, "login_failed||127.0.0.1|||1")
	s.WantAudited(t, func() {
		s.Do(t, apitest.Call{Method: http.MethodPost, Path: "/logout/", Token: s.Admin})
	})
	s.WantAudited(t, func() {
		b.post(t, "/login/", url.Values{"username": {"alice"}, "password": {apitest.Password}}).Want(t, http.StatusSeeOther)
	}, line("logout"), line("login"))
	b = login(t, s, "alice")
	s.WantAudited(t, func() { b.post(t, "/logout/", url.Values{}).Want(t, http.StatusSeeOther) }, line("logout"))
	s.WantAudited(t, func() { b.post(t, "/logout/", url.Values{}).Want(t, http.StatusSeeOther) })
	s.WantNoSecrets(t, "canary")
}

// TestAuditPages: what is done on pages is recorded as through the API.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "before", "active")
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"name": "H", "secret": "canary 1"}))
	path := fmt.Sprintf("%s%d/", hooks, id)
	line := func(event string) string { return fmt.Sprintf("%s|admin|127.0.0.1|extras.webhook/%d|H|1", event, id) }
	for _, step := range []struct {
		path string
		form url.Values
		want []string
	}{
		{"pause/", url.Values{}, []string{line("webhook_paused")}},
		{"resume/", url.Values{}, []string{line("webhook_resumed")}},
		{"rotate/", url.Values{"secret": {"canary 2"}}, []string{line("secret_rotated")}},
		{"rotate/end/", url.Values{}, []string{line("secret_rotated")}},
		{"replay/", url.Values{"type": {"dcim.site"}}, []string{line("webhook_replayed")}},
	} {
		s.WantAudited(t, func() { b.post(t, path+step.path, step.form).Want(t, http.StatusSeeOther) }, step.want...)
	}
	token := s.Audited(t, func() {
		shows(t, b.post(t, "/user/tokens/add/", url.Values{"description": {"x"}, "lifetime": {"never"}}), "Token")
	})
	if len(token) != 1 || !strings.HasPrefix(token[0], "token_created|admin|127.0.0.1|users.token/") {
		t.Errorf("%q", token)
	}
	s.WantNoSecrets(t, "canary")

	list := b.get(t, "/extras/audit-events/").Want(t, http.StatusOK)
	shows(t, list, "Audit events", "Webhook paused", "Secret rotated", fmt.Sprintf("extras.webhook/%d", id))
	hides(t, list, "Add an audit event", "Delete selected", "canary")
	shows(t, b.get(t, "/extras/audit-events/?event=webhook_paused").Want(t, http.StatusOK), "Webhook paused")
	var one int64
	if err := s.DB.QueryRow(t.Context(), "SELECT id FROM extras_auditevent WHERE event = 'webhook_paused'").Scan(&one); err != nil {
		t.Fatal(err)
	}
	shows(t, b.get(t, fmt.Sprintf("/extras/audit-events/%d/", one)).Want(t, http.StatusOK), "webhook_paused", "127.0.0.1")
	s.User(t, "bob")
	login(t, s, "bob").get(t, "/extras/audit-events/").Want(t, http.StatusForbidden)
}

// TestAuditReplay: a replay of several batches is one event, with the number of all deliveries. One that queues none is no event.
func TestAuditReplay(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "before", "active")
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id,
			object_repr, version, postchange, data)
		SELECT changed_at - n * interval '1 ms', user_name, request_id, action, object_type, object_id, object_repr, version, postchange, data
		FROM extras_objectchange, generate_series(1, 2100) n WHERE object_type = 'dcim.site'`); err != nil {
		t.Fatal(err)
	}
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"name": "H"}))
	got := s.Audited(t, func() {
		b.post(t, fmt.Sprintf("%s%d/replay/", hooks, id), url.Values{"type": {"dcim.site"}}).Want(t, http.StatusSeeOther)
	})
	if want := []string{fmt.Sprintf("webhook_replayed|admin|127.0.0.1|extras.webhook/%d|H|2101", id)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// Again, there is nothing left to queue, so nothing has happened.
	s.WantAudited(t, func() { b.post(t, fmt.Sprintf("%s%d/replay/", hooks, id), url.Values{"type": {"dcim.site"}}) })
}
