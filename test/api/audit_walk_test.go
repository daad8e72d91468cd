package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/app"
	"terrier/internal/record"
	"terrier/test/apitest"
	"terrier/test/mutual"
)

// TestEveryActIsOneEvent walks the acts that concern security. Each leaves exactly one event, which says who did it, from where, by which
// way, when, and what was done. The settings of a start and the retention are tested in package app.
func TestEveryActIsOneEvent(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	ctx := t.Context()
	alice, user := newActor(t, s, "alice")
	adminToken := one[int64](t, s, "SELECT t.id FROM users_token t JOIN users_user u ON u.id = t.user_id WHERE username = 'admin'")
	byToken := fmt.Sprintf("admin|127.0.0.1|API, token %d", adminToken)
	const byAlice, byPage, byNobody, byCommand = "alice|127.0.0.1|page", "admin|127.0.0.1|page", "alice|127.0.0.1|API", "command line ("
	var made, token, perm, group, other, hookID int64
	var key string
	cookie := s.Login(t, "alice")
	post := func(session, path string, form url.Values) {
		r := httptest.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", session)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.RemoteAddr = "127.0.0.1:50000"
		w := httptest.NewRecorder()
		s.App.Handler.ServeHTTP(w, r)
		if w.Code >= http.StatusBadRequest {
			t.Errorf("%s: %d %.300s", path, w.Code, w.Body)
		}
	}
	patch := func(path string, id *int64, body obj) func() { return func() { admin.patch(t, path, *id, body) } }
	remove := func(path string, id *int64) func() {
		return func() { admin.do(t, "DELETE", at(path, *id), nil).Want(t, http.StatusNoContent) }
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	guess := func(status int) func() {
		return func() {
			s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: obj{"username": "alice", "password": "canary"}}).Want(t, status)
		}
	}
	certificate, clientKey := mutual.New(t).Client(t, "terrier", time.Hour)

	for _, act := range []struct {
		what, event, who, detail string
		do                       func()
	}{
		{"login", "login", byAlice, "password", func() { s.Login(t, "alice") }},
		{"wrong password", "login_failed", byNobody, "", guess(http.StatusForbidden)},
		{"login throttled", "login_throttled", byNobody, "", func() {
			exec(t, s, "UPDATE users_throttle SET attempts = array_fill(now(), ARRAY[50]) WHERE subject LIKE 'account:%'")
			guess(http.StatusTooManyRequests)()
		}},
		{"lock lifted", "login_unlocked", byCommand, "", func() { must(s.App.UnlockUser(ctx, "alice")) }},
		{"own password", "password_changed", byAlice, "", func() {
			post(cookie, "/user/password/", url.Values{"old_password": {apitest.Password}, "password": {"canary canary"},
				"password_again": {"canary canary"}})
		}},
		{"another's password", "password_changed", byToken, "", patch(users, &alice, obj{"password": "canary canary 2"})},
		{"password by command", "password_changed", byCommand, "", func() { must(s.App.SetPassword(ctx, "alice", apitest.Password)) }},
		{"logout", "logout", byAlice, "", func() { post(s.Login(t, "alice"), "/logout/", nil) }},

		{"account created", "user_created", byToken, "", func() {
			made = admin.create(t, users, obj{"username": "made", "password": "canary canary"})
		}},
		{"account renamed", "user_renamed", byToken, "was made", patch(users, &made, obj{"username": "renamed"})},
		{"e-mail", "user_changed", byToken, "email", patch(users, &made, obj{"email": "a@example.org"})},
		{"staff", "user_changed", byToken, "is_staff on", patch(users, &made, obj{"is_staff": true})},
		{"superuser made", "permission_changed", byToken, "is_superuser on", patch(users, &made, obj{"is_superuser": true})},
		{"superuser unmade", "permission_changed", byToken, "is_superuser off", patch(users, &made, obj{"is_superuser": false})},
		{"group created", "group_changed", byToken, "created", func() { group = admin.create(t, groups, obj{"name": "g"}) }},
		{"group renamed", "group_changed", byToken, "renamed, was g", patch(groups, &group, obj{"name": "h"})},
		{"member added", "permission_changed", byToken, "groups", func() { admin.patch(t, users, made, obj{"groups": []int64{group}}) }},
		{"member removed", "permission_changed", byToken, "groups", patch(users, &made, obj{"groups": []int64{}})},
		{"group deleted", "group_changed", byToken, "deleted", remove(groups, &group)},
		{"deactivated", "permission_changed", byToken, "is_active off", patch(users, &made, obj{"is_active": false})},
		{"account deleted", "user_deleted", byToken, "", remove(users, &made)},

		{"token created", "token_created", byToken, "read-only", func() {
			token = admin.create(t, tokens, obj{"user": alice, "write_enabled": false})
		}},
		{"token's end", "token_changed", byToken, "expires", patch(tokens, &token, obj{"expires": "2040-01-01T00:00:00Z"})},
		{"token's addresses", "token_changed", byToken, "allowed_ips", patch(tokens, &token, obj{"allowed_ips": []string{"10.0.0.0/8"}})},
		{"token's writing", "token_changed", byToken, "write_enabled", patch(tokens, &token, obj{"write_enabled": true})},
		{"token revoked", "token_deleted", byToken, "", remove(tokens, &token)},
		{"token provisioned", "token_created", byNobody, "", func() {
			a := s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: obj{"username": "alice", "password": apitest.Password}})
			key = a.Want(t, http.StatusCreated).Object(t)["key"].(string)
		}},

		{"permission created", "permission_changed", byToken, "created", func() {
			perm = admin.create(t, grants, obj{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"}})
		}},
		{"permission changed", "permission_changed", byToken, "actions", patch(grants, &perm, obj{"actions": []string{"view", "add"}})},
		{"permission deleted", "permission_changed", byToken, "deleted", remove(grants, &perm)},

		{"webhook created", "webhook_created", byToken, "", func() { hookID = admin.create(t, webhooks, hook("w")) }},
		{"webhook's address", "webhook_changed", byToken, "payload_url", patch(webhooks, &hookID, obj{"payload_url": "https://other.example/"})},
		{"webhook's TLS", "webhook_changed", byToken, "ssl_verification", patch(webhooks, &hookID, obj{"ssl_verification": false})},
		{"client certificate", "secret_rotated", byToken, "client_certificate, client_key",
			patch(webhooks, &hookID, obj{"client_certificate": certificate, "client_key": clientKey})},
		{"headers", "webhook_changed", byToken, "additional_headers", patch(webhooks, &hookID, obj{"additional_headers": "X-Key: canary"})},
		{"secret", "secret_rotated", byToken, "secret", patch(webhooks, &hookID, obj{"secret": "canary"})},
		{"webhook disabled", "webhook_changed", byToken, "enabled", patch(webhooks, &hookID, obj{"enabled": false})},
		{"webhook enabled", "webhook_changed", byToken, "enabled", patch(webhooks, &hookID, obj{"enabled": true})},
		{"template", "webhook_changed", byToken, "body_template", patch(webhooks, &hookID, obj{"body_template": "{}"})},
		{"conditions", "webhook_changed", byToken, "conditions", patch(webhooks, &hookID, obj{"conditions": obj{"attr": "name", "value": "x"}})},
		{"test", "webhook_tested", byToken, "", func() {
			admin.do(t, "POST", at(webhooks, hookID)+"test/", obj{}).Want(t, http.StatusAccepted)
		}},
		{"paused", "webhook_paused", byToken, "", func() { admin.do(t, "POST", at(webhooks, hookID)+"pause/", nil).Want(t, http.StatusOK) }},
		{"resumed", "webhook_resumed", byPage, "", func() { post(s.Login(t, "admin"), fmt.Sprintf("/extras/webhooks/%d/resume/", hookID), nil) }},
		{"link", "link_changed", byToken, "created", func() {
			other = admin.create(t, "/api/extras/custom-links/", obj{"name": "l", "content_types": []string{"dcim.site"}, "link_text": "x",
				"link_url": "https://wiki.example/"})
		}},
		{"link changed", "link_changed", byToken, "link_url",
			patch("/api/extras/custom-links/", &other, obj{"link_url": "https://other.example/"})},

		{"users exported by command", "exported", byCommand, "csv", func() {
			_, err := s.App.Export(ctx, "users.user", "csv", io.Discard)
			must(err)
		}},
		{"snapshot of many", "exported", byToken, "snapshot", func() {
			var many []obj
			for i := range 1001 {
				many = append(many, obj{"name": fmt.Sprint("t", i), "slug": fmt.Sprint("t", i)})
			}
			admin.do(t, "POST", "/api/extras/tags/", many).Want(t, http.StatusCreated)
			admin.get(t, "/api/extras/feed/snapshot/?type=extras.tag").Want(t, http.StatusOK)
		}},
		{"snapshot of few", "", "", "", func() { admin.get(t, "/api/extras/feed/snapshot/?type=dcim.site").Want(t, http.StatusOK) }},
		{"keys resealed", "keys_resealed", byCommand, "key ", func() {
			next, err := app.New(ctx, app.Config{DatabaseURL: s.DB.Config().ConnString(), BaseURL: s.URL, SecretKey: apitest.SecretKey + "-next",
				SecretKeyOld: []string{apitest.SecretKey}}, slog.New(slog.DiscardHandler))
			must(err)
			defer next.Close()
			_, err = next.Reseal(ctx)
			must(err)
		}},
		{"webhook deleted", "webhook_deleted", byToken, "", remove(webhooks, &hookID)},
	} {
		t.Run(act.what, func(t *testing.T) {
			last := one[int64](t, s, "SELECT coalesce(max(id), 0) FROM extras_auditevent")
			act.do()
			const which = " FROM extras_auditevent WHERE id > $1 AND NOT (event = 'login' AND $2 <> 'login')"
			got := lines(t, s, `SELECT concat_ws('|', event, user_name, address, way, detail)`+which+" ORDER BY id", last, act.event)
			if act.event == "" {
				if len(got) > 0 {
					t.Errorf("%q, want no event", got)
				}
				return
			}
			want := act.event + "|" + act.who
			if len(got) != 1 || !strings.HasPrefix(got[0], want) || !strings.Contains(got[0], "|"+act.detail) {
				t.Errorf("%q, want %s … %s", got, want, act.detail)
			}
			if act.detail == "" && len(got) == 1 && !strings.HasSuffix(got[0], "|") {
				t.Errorf("%q says more than that it was done", got)
			}
			if !one[bool](t, s, `SELECT bool_and(happened_at >= now() - interval '61 minutes' AND happened_at <= now())`+which, last, act.event) {
				t.Error("the time is wrong")
			}
		})
	}

	// Refused tokens are counted, and written once a second or at the end: one for each token and reason, one for all unknown ones.
	refused := func(key, from string) {
		s.Do(t, apitest.Call{Method: "GET", Path: sites, Token: key, From: from}).Want(t, http.StatusForbidden)
	}
	id := one[int64](t, s, "SELECT max(id) FROM users_token")
	admin.patch(t, tokens, id, obj{"allowed_ips": []string{"10.0.0.0/8"}})
	for _, from := range []string{"192.0.2.1:1", "192.0.2.2:1", "192.0.2.2:1"} {
		refused(key, from)
	}
	admin.patch(t, tokens, id, obj{"allowed_ips": []string{}, "expires": "2020-01-01T00:00:00Z"})
	refused(key, "192.0.2.2:1")
	admin.patch(t, users, alice, obj{"is_active": false})
	refused(user.key, "192.0.2.2:1")
	refused("0123456789abcdef0123456789abcdef01234567", "198.51.100.7:1")
	refused("canary", "198.51.100.7:1")
	refused("canary", "[2001:db8::7]:1")
	refused("canary", "[2001:db8::8]:1")
	last := one[int64](t, s, "SELECT max(id) FROM extras_auditevent")
	s.App.Close()
	hint := func(key string) string { return key[len(key)-6:] + " (alice)" }
	userToken := one[int64](t, s, "SELECT min(id) FROM users_token WHERE user_id = $1", alice)
	want := map[string]bool{
		fmt.Sprintf("token_refused|alice|192.0.2.2|API|users.token/%d|%s|address not allowed|3", id, hint(key)):          true,
		fmt.Sprintf("token_refused|alice|192.0.2.2|API|users.token/%d|%s|expired|1", id, hint(key)):                      true,
		fmt.Sprintf("token_refused|alice|192.0.2.2|API|users.token/%d|%s|account inactive|1", userToken, hint(user.key)): true,
		"token_refused||198.51.100.7|API|||unknown key|2":                                                                true,
		"token_refused||2001:db8::|API|||unknown key|2":                                                                  true,
	}
	got := lines(t, s, `SELECT concat_ws('|', event, user_name, address, way, target, target_name, detail, times) FROM extras_auditevent
		WHERE id > $1`, last)
	for _, e := range got {
		if !want[e] {
			t.Errorf("unexpected: %s", e)
		}
		delete(want, e)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	s.WantNoSecrets(t, "canary", key, clientKey)
}

// TestEveryFieldIsAudited: each field of users, groups, permissions, tokens and webhooks that people write has an event when it changes,
// or a reason here why it needs none.
func TestEveryFieldIsAudited(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	alice, _ := newActor(t, s, "alice")
	bob, _ := newActor(t, s, "bob")
	group := admin.create(t, groups, obj{"name": "g"})
	certificate, key := mutual.New(t).Client(t, "terrier", time.Hour)
	pair := obj{"client_certificate": certificate, "client_key": key}
	reasons := map[string]string{
		"users.user.first_name":       "it names a person, and neither identifies an account nor grants anything",
		"users.user.last_name":        "as the first name",
		"users.group.description":     "it grants nothing",
		"users.token.key":             "it can't be changed",
		"users.token.description":     "it grants nothing",
		"extras.webhook.ca_file_path": "the same rule as of the other fields of a webhook; a test has no authority's directory",
	}
	for key, test := range map[string]struct {
		path string
		make obj
		with map[string]any // what each field is changed to
	}{
		"users.user": {users, obj{"username": "u", "password": "canary canary"}, map[string]any{"username": "v", "password": "canary canary 2",
			"email": "a@example.org", "is_staff": true, "is_active": false, "is_superuser": true, "manage_tokens": false, "groups": []int64{group}}},
		"users.group": {groups, obj{"name": "x"}, map[string]any{"name": "y"}},
		"users.permission": {grants, obj{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"}}, map[string]any{
			"name": "q", "description": "d", "enabled": false, "object_types": []string{"dcim.region"}, "groups": []int64{group},
			"users": []int64{alice}, "actions": []string{"add"}, "constraints": obj{"name": "x"}}},
		"users.token": {tokens, obj{"user": alice}, map[string]any{"user": bob, "expires": "2040-01-01T00:00:00Z", "write_enabled": false,
			"allowed_ips": []string{"10.0.0.0/8"}}},
		"extras.webhook": {webhooks, hook("w", "secret", "whsec_"+strings.Repeat("QUJD", 10)), map[string]any{
			"content_types": []string{"dcim.region"}, "name": "x", "type_create": false,
			"type_update": false, "type_delete": false, "payload_url": "https://other.example/", "enabled": false, "http_method": "PUT",
			"http_content_type": "text/plain", "additional_headers": "X-Key: canary", "body_template": "{}", "secret": "canary",
			"previous_secret": "canary", "conditions": obj{"attr": "name", "value": "x"}, "ssl_verification": false,
			"client_certificate": pair, "client_key": pair, "standard_headers": true, "max_retries": 3, "concurrency": 3, "rate_limit": 3,
			"hold_on_failure": true}},
	} {
		typ := s.App.Registry.Type(key)
		for i, info := range typ.Infos() {
			if info.ReadOnly || typ.All()[i].Column().Storage == record.NoStorage || reasons[key+"."+info.Name] != "" {
				continue
			}
			value, known := test.with[info.Name]
			if !known {
				t.Errorf("%s.%s has neither a change nor a reason here", key, info.Name)
				continue
			}
			body, both := value.(obj)
			if !both || info.Name == "conditions" || info.Name == "constraints" {
				body = obj{info.Name: value}
			}
			id := admin.create(t, test.path, test.make)
			got := s.Audited(t, func() { admin.patch(t, test.path, id, body) })
			if len(got) != 1 {
				t.Errorf("%s.%s: %q, want one event", key, info.Name, got)
			}
			admin.do(t, "DELETE", at(test.path, id), nil).Want(t, http.StatusNoContent)
		}
	}
	s.WantNoSecrets(t, "canary", key)
}

// lines returns the only column of a query.
func lines(t *testing.T, s *apitest.Server, sql string, args ...any) []string {
	t.Helper()
	rows, err := s.DB.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}
