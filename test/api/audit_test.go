package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

const (
	auditEvents = "/api/extras/audit-events/"
	groups      = "/api/users/groups/"
)

// byAdmin is the line of an event that the administrator causes through the API.
func byAdmin(event, target string, id int64, name any) string {
	return fmt.Sprintf("%s|admin|127.0.0.1|%s/%d|%s|1", event, target, id, name)
}

// TestAuditTokens: each token that is created or deleted is one event.
func TestAuditTokens(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	alice, _ := newActor(t, s, "alice")
	var answer apitest.Answer
	got := s.Audited(t, func() { answer = admin.do(t, "POST", tokens, obj{"user": alice}).Want(t, http.StatusCreated) })
	made := answer.Object(t)
	id, keys := apitest.ID(made), []string{made["key"].(string)}
	if want := []string{byAdmin("token_created", "users.token", id, made["display"])}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	request := answer.Header.Get("X-Request-Id")
	if found := admin.page(t, auditEvents+"?request_id="+request).Results; len(found) != 1 || found[0]["request_id"] != request {
		t.Errorf("request %s has the events %v", request, found)
	}
	s.WantAudited(t, func() { admin.patch(t, tokens, id, obj{"description": "x", "write_enabled": true}) })
	for _, change := range []obj{{"write_enabled": false}, {"expires": "2040-01-01T00:00:00Z"}, {"allowed_ips": []string{"10.0.0.0/8"}},
		{"expires": nil}} {
		s.WantAudited(t, func() { admin.patch(t, tokens, id, change) }, byAdmin("token_changed", "users.token", id, made["display"]))
	}
	s.WantAudited(t, func() { admin.do(t, "POST", tokens, obj{"user": 9999}).Want(t, http.StatusBadRequest) })
	s.WantAudited(t, func() { admin.do(t, "DELETE", at(tokens, id), nil).Want(t, http.StatusNoContent) },
		byAdmin("token_deleted", "users.token", id, made["display"]))

	bulk := s.Audited(t, func() {
		for _, token := range admin.do(t, "POST", tokens, []obj{{"user": alice}, {"user": alice}}).Want(t, http.StatusCreated).List(t) {
			keys = append(keys, token["key"].(string))
		}
	})
	if len(bulk) != 2 {
		t.Errorf("two tokens are the events %q", bulk)
	}
	provisioned := s.Audited(t, func() {
		a := s.Do(t, apitest.Call{Method: "POST", Path: provision, From: "192.0.2.9:1",
			Body: obj{"username": "alice", "password": apitest.Password}})
		keys = append(keys, a.Want(t, http.StatusCreated).Object(t)["key"].(string))
	})
	if len(provisioned) != 1 || !strings.HasPrefix(provisioned[0], "token_created|alice|192.0.2.9|users.token/") {
		t.Errorf("%q", provisioned)
	}
	left := one[int](t, s, "SELECT count(*) FROM users_token WHERE user_id = $1", alice)
	gone := s.Audited(t, func() { admin.do(t, "DELETE", at(users, alice), nil).Want(t, http.StatusNoContent) })
	user := byAdmin("user_deleted", "users.user", alice, "alice")
	if len(gone) != left+1 || left < 3 || !slices.Contains(gone, user) {
		t.Errorf("%d tokens were deleted with their user, and the events are %q", left, gone)
	}
	for _, e := range gone {
		if e != user && !strings.HasPrefix(e, "token_deleted|admin|127.0.0.1|users.token/") {
			t.Error(e)
		}
	}
	s.WantNoSecrets(t, keys...)
}

// TestAuditCommands: what is done on the command line is recorded with the name of its operator.
func TestAuditCommands(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ctx := t.Context()
	var token app.TokenInfo
	var err error
	for _, step := range []struct {
		want string
		do   func()
	}{
		{"user_created permission_changed", func() {
			_, err = s.App.CreateUser(ctx, app.NewUser{Username: "root", Password: "canary canary", Superuser: true})
		}},
		{"user_created", func() { _, err = s.App.CreateUser(ctx, app.NewUser{Username: "plain", Password: "canary canary"}) }},
		{"token_created", func() { token, err = s.App.CreateToken(ctx, app.NewToken{Username: "plain"}) }},
		{"token_deleted", func() { err = s.App.RevokeToken(ctx, token.ID) }},
		{"password_changed", func() { err = s.App.SetPassword(ctx, "plain", "canary canary 2") }},
		{"login_unlocked", func() { err = s.App.UnlockUser(ctx, "plain") }},
		{"exported", func() { _, err = s.App.Export(ctx, "users.user", "csv", io.Discard) }},
		{"permission_changed", func() { err = s.App.DeactivateUser(ctx, "plain") }},
	} {
		got := s.Audited(t, step.do)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range strings.Fields(step.want) {
			if len(got) == 0 || !strings.HasPrefix(got[0], want+"|command line (") {
				t.Fatalf("%q, want %s", got, step.want)
			}
			got = got[1:]
		}
		if len(got) > 0 {
			t.Errorf("%q, besides %s", got, step.want)
		}
	}
	s.WantNoSecrets(t, token.Key, "canary")
}

// TestAuditPermissions: what changes what somebody may do is an event, and nothing else is.
func TestAuditPermissions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	alice, weak := newActor(t, s, "alice")
	perm := one[int64](t, s, "SELECT coalesce(max(id), 0) + 1 FROM users_permission")
	s.WantAudited(t, func() {
		perm = admin.create(t, grants, obj{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"}})
	}, byAdmin("permission_changed", "users.permission", perm, "p"))
	for range 2 { // the second changes nothing
		want := []string{byAdmin("permission_changed", "users.permission", perm, "p")}
		if one[bool](t, s, "SELECT users = ARRAY[$2::bigint] FROM users_permission WHERE id = $1", perm, alice) {
			want = nil
		}
		s.WantAudited(t, func() { admin.patch(t, grants, perm, obj{"users": []int64{alice}}) }, want...)
	}
	var group int64
	if made := s.Audited(t, func() { group = admin.create(t, groups, obj{"name": "g"}) }); len(made) != 1 ||
		made[0] != byAdmin("group_changed", "users.group", group, "g") {
		t.Errorf("%q", made)
	}
	for _, rights := range []obj{{"groups": []int64{group}}, {"is_superuser": true}, {"manage_tokens": false}, {"is_active": false}} {
		s.WantAudited(t, func() { admin.patch(t, users, alice, rights) }, byAdmin("permission_changed", "users.user", alice, "alice"))
	}
	s.WantAudited(t, func() { admin.patch(t, users, alice, obj{"first_name": "Alice", "password": "canary canary"}) },
		byAdmin("password_changed", "users.user", alice, "alice"))
	s.WantAudited(t, func() { weak.do(t, "DELETE", at(grants, perm), nil) }) // it is refused
	s.WantAudited(t, func() { admin.do(t, "DELETE", at(groups, group), nil).Want(t, http.StatusNoContent) },
		byAdmin("permission_changed", "users.user", alice, "alice"), byAdmin("group_changed", "users.group", group, "g"))
	s.WantAudited(t, func() { admin.do(t, "DELETE", at(grants, perm), nil).Want(t, http.StatusNoContent) },
		byAdmin("permission_changed", "users.permission", perm, "p"))
	s.WantNoSecrets(t, "canary")
}

// TestAuditDeliveries: what is done to webhooks and deliveries is one event each; what changes nothing is none.
func TestAuditDeliveries(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	path, d := at(webhooks, p.a), p.of(t, p.a, 0)
	act := func(path string, body any, status int) func() {
		return func() { p.admin.do(t, "POST", path, body).Want(t, status) }
	}
	for _, do := range [][2]string{{"pause/", "webhook_paused"}, {"resume/", "webhook_resumed"}} {
		p.s.WantAudited(t, act(path+do[0], nil, http.StatusOK), byAdmin(do[1], "extras.webhook", p.a, "A"))
		p.s.WantAudited(t, act(path+do[0], nil, http.StatusOK)) // it is so already
	}
	p.s.WantAudited(t, act(deliveryAt(d)+"retry/", nil, http.StatusBadRequest)) // it is queued
	for _, do := range [][2]string{{"retry/", "delivery_retried"}, {"redeliver/", "delivery_redelivered"}} {
		p.fail(t, "TRUE")
		p.s.WantAudited(t, act(deliveryAt(d)+do[0], nil, http.StatusAccepted),
			fmt.Sprintf("%s|admin|127.0.0.1|extras.delivery/%s|A|1", do[1], d["id"]))
	}
	p.fail(t, "TRUE")
	filter := obj{"webhook_id": p.a}
	p.s.WantAudited(t, act(deliveries+"retry/", obj{"filter": filter, "dry_run": true}, http.StatusOK))
	p.s.WantAudited(t, act(deliveries+"retry/", obj{"filter": filter}, http.StatusOK),
		fmt.Sprintf(`delivery_retried|admin|127.0.0.1|extras.delivery|{"webhook_id":%d}|3`, p.a))
	p.s.WantAudited(t, act(deliveries+"retry/", obj{"filter": filter}, http.StatusOK)) // all are queued

	p.s.WantAudited(t, func() { p.admin.patch(t, webhooks, p.a, obj{"secret": "canary"}) },
		byAdmin("secret_rotated", "extras.webhook", p.a, "A"))
	p.s.WantAudited(t, func() { p.admin.patch(t, webhooks, p.a, obj{"secret": "canary", "enabled": false}) },
		byAdmin("webhook_changed", "extras.webhook", p.a, "A"))
	p.s.WantNoSecrets(t, "canary")
}

// TestAuditLoginLimits: a wrong password is an event. Attempts beyond the limits are one event for each account, with their number, also
// over two processes. What was typed instead of a name is not recorded, because it may be a password.
func TestAuditLoginLimits(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	alice, _ := s.User(t, "alice")
	guess := func(name, from string, status int) func() {
		return func() {
			s.Do(t, apitest.Call{Method: "POST", Path: provision, From: from,
				Body: obj{"username": name, "password": "canary"}}).Want(t, status)
		}
	}
	of := func(event, from string, times int) string {
		return fmt.Sprintf("%s|alice|%s|users.user/%d|alice|%d", event, from, alice, times)
	}
	s.WantAudited(t, guess("alice", "192.0.2.1:1", http.StatusForbidden), of("login_failed", "192.0.2.1", 1))
	s.WantAudited(t, guess("canary as a name", "[::ffff:192.0.2.1]:1", http.StatusForbidden), "login_failed||192.0.2.1|||1")
	// No user can have this name.
	s.WantAudited(t, guess(strings.Repeat("x", 151), "192.0.2.1:1", http.StatusForbidden))
	exec(t, s, "UPDATE users_throttle SET attempts = array_fill(now(), ARRAY[50]) WHERE subject LIKE 'account:%'") // its limit
	for n := 1; n < 4; n++ {
		s.WantAudited(t, guess("alice", "192.0.2.77:1", http.StatusTooManyRequests), of("login_throttled", "192.0.2.77", n))
	}
	// An address that has no attempts left is refused unchecked. Its attempts are written together.
	const flooder = "198.51.100.1:1"
	guess("nobody", flooder, http.StatusForbidden)()
	exec(t, s, "UPDATE users_throttle SET attempts = array_fill(now(), ARRAY[200]) WHERE subject = 'address:198.51.100.1'")
	s.WantAudited(t, func() {
		for range 5 {
			guess("alice", flooder, http.StatusTooManyRequests)()
			guess("nobody", flooder, http.StatusTooManyRequests)()
			guess("canary", flooder, http.StatusTooManyRequests)()
		}
	})
	other, err := app.New(t.Context(), app.Config{DatabaseURL: s.DB.Config().ConnString(), SecretKey: apitest.SecretKey,
		BaseURL: s.URL}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r := httptest.NewRequest(http.MethodPost, s.URL+provision, strings.NewReader(`{"username": "alice", "password": "canary"}`))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = "192.0.2.78:1"
	s.WantAudited(t, func() { other.Handler.ServeHTTP(httptest.NewRecorder(), r) }, of("login_throttled", "192.0.2.78", 4))
	s.WantAudited(t, s.App.Close, of("login_throttled", "198.51.100.1", 9), "login_throttled||198.51.100.1|||10")
	s.WantNoSecrets(t, "canary")
}

// TestAuditIsSensitive: only those see the audit log whom a permission lets, and nobody can write to it.
func TestAuditIsSensitive(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.ExemptViewPermissions = []string{"*"} })
	_, weak := newActor(t, s, "weak", apitest.Grant{Types: []string{"users.token"}, Actions: []string{"view"}})
	_, auditor := newActor(t, s, "auditor", apitest.Grant{Types: []string{"extras.auditevent"},
		Actions: []string{"view", "add", "change", "delete"}, Constraints: obj{"event": "permission_changed"}})
	found := auditor.page(t, auditEvents).Results
	if len(found) == 0 {
		t.Fatal("the auditor sees nothing")
	}
	for _, e := range found {
		if e["event"].(obj)["value"] != "permission_changed" {
			t.Errorf("the auditor sees %v", e)
		}
	}
	id := apitest.ID(found[0])
	for _, path := range []string{auditEvents, at(auditEvents, id)} {
		weak.get(t, path).Want(t, http.StatusForbidden)
		s.Do(t, apitest.Call{Method: "GET", Path: path}).Want(t, http.StatusForbidden)
		auditor.get(t, path).Want(t, http.StatusOK)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if a := auditor.do(t, method, path, obj{"event": "login"}); a.Status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, a.Status)
			}
		}
	}
	hidden := one[int64](t, s, "SELECT min(id) FROM extras_auditevent WHERE event = 'token_created'")
	auditor.get(t, at(auditEvents, hidden)).Want(t, http.StatusNotFound)
	adminOf(s).do(t, "POST", webhooks, hook("h", "content_types", []string{"extras.auditevent"})).Want(t, http.StatusBadRequest)
}
