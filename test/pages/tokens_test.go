package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

const (
	tokensAPI  = "/api/users/tokens/"
	ownTokens  = "/user/tokens/"
	allTokens  = "/users/tokens/"
	restored   = "0f1e2d3c4b5a69788796a5b4c3d2e1f00a1b2c3d"
	otherWords = "another long password 42"
)

var madeKey = regexp.MustCompile(`id="made-key">([0-9a-f]{40})</pre>`)

// keyOn takes the key from the page that shows it once.
func keyOn(t *testing.T, a apitest.Answer) string {
	t.Helper()
	m := madeKey.FindStringSubmatch(string(a.Want(t, http.StatusOK).Raw))
	if m == nil {
		t.Fatalf("%s shows no key", a.Call.Path)
	}
	return m[1]
}

// tokenForm is what the form of a new token sends.
func tokenForm(pairs ...string) url.Values {
	form := url.Values{"lifetime": {"never"}, "write_enabled": {"true"}, "key": {""}, "expires": {""}, "description": {""},
		"allowed_ips": {""}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// ownToken is the newest token of the caller with that key.
func ownToken(t *testing.T, s *apitest.Server, key string) map[string]any {
	t.Helper()
	found := s.Do(t, apitest.Call{Method: "GET", Path: tokensAPI + "?ordering=-id&limit=1", Token: key}).Page(t).Results
	if len(found) != 1 {
		t.Fatalf("%d tokens", len(found))
	}
	return found[0]
}

// TestListByKeyHidesTheKey: the page of a list that is filtered by a key does not repeat the key in a link or a form, and offers nothing
// that would mean all tokens without it.
func TestListByKeyHidesTheKey(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	a := b.get(t, allTokens+"?key="+s.Admin+"&write_enabled=true").Want(t, http.StatusOK)
	shows(t, a, "1–1", "write_enabled=true")
	hides(t, a, s.Admin, `name="all"`, "/export/")
	shows(t, b.get(t, allTokens).Want(t, http.StatusOK), `name="all"`, "/export/")
}

// TestTokenKeyIsShownOnce: whichever page makes a token, its answer shows the key, and nothing afterwards does.
func TestTokenKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, row := range []struct {
		path string
		form url.Values
	}{
		{ownTokens + "add/", tokenForm("description", "mine")},
		{ownTokens + "add/", tokenForm("description", "restored", "key", strings.ToUpper(restored))},
		{allTokens + "add/", url.Values{"user": {"admin"}, "write_enabled": {"true"}, "description": {"derived"}, "again": {"true"}}},
	} {
		t.Run(row.form.Get("description"), func(t *testing.T) {
			before := s.Log.Len()
			made := b.post(t, row.path, row.form)
			key := keyOn(t, made)
			if given := strings.ToLower(row.form.Get("key")); given != "" && key != given {
				t.Errorf("the key is %s", key)
			}
			shows(t, made, "Authorization: Token "+key, "curl -H 'Authorization: Token "+key+"' "+s.URL+"/api/status/",
				`data-copy="#made-key"`, `data-copy="#made-header"`, "will not be shown again")
			if made.Header.Get("Cache-Control") != "no-store" || made.Header.Get("Location") != "" ||
				strings.Contains(fmt.Sprint(made.Header), key) {
				t.Errorf("the key may be kept: %v", made.Header)
			}
			token := ownToken(t, s, key)
			id := apitest.ID(token)
			if token["description"] != row.form.Get("description") || token["write_enabled"] != true || token["key"] != nil {
				t.Errorf("%v", token)
			}
			for _, path := range []string{ownTokens, fmt.Sprintf("%s%d/edit/", ownTokens, id), fmt.Sprintf("%s%d/delete/", ownTokens, id), allTokens,
				fmt.Sprintf("%s%d/", allTokens, id), fmt.Sprintf("%s%d/edit/", allTokens, id), fmt.Sprintf("%s%d/changelog/", allTokens, id),
				"/extras/object-changes/", "/"} {
				hides(t, b.get(t, path).Want(t, http.StatusOK), key)
			}
			hides(t, b.get(t, fmt.Sprintf("%s%d/edit/", allTokens, id)), `name="key"`, `name="key__clear"`)
			change := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?limit=1", Token: s.Admin}).Page(t).Results[0]
			hides(t, b.get(t, fmt.Sprintf("/extras/object-changes/%v/", change["id"])).Want(t, http.StatusOK), key)
			for _, path := range []string{tokensAPI, fmt.Sprintf("%s%d/", tokensAPI, id), "/api/extras/object-changes/"} {
				hides(t, s.Do(t, apitest.Call{Method: "GET", Path: path, Token: s.Admin}), key)
			}
			if strings.Contains(strings.ToLower(s.Log.String()[before:]), key) {
				t.Error("the key is in the log")
			}
		})
	}
}

// TestTokenFormRefused: errors are beside their field, and a key is not sent back.
func TestTokenFormRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	weak := strings.Repeat("ab", 20)
	for _, row := range []struct {
		form  url.Values
		shown string
	}{
		{tokenForm("key", "too short", "description", "kept"), "A key must be exactly 40 hexadecimal characters."},
		{tokenForm("key", weak, "description", "kept"), "too easy to guess"},
		{tokenForm("allowed_ips", "10.0.0.0/8\nnowhere", "description", "kept"), "is not an address or a network"},
		{tokenForm("lifetime", "moment", "description", "kept"), "Enter a time"},
		{tokenForm("lifetime", "a while", "description", "kept"), "Choose one of the times."},
	} {
		a := b.post(t, ownTokens+"add/", row.form).Want(t, http.StatusBadRequest)
		shows(t, a, row.shown, `value="kept"`)
		hides(t, a, weak, "too short")
	}
	key := keyOn(t, b.post(t, ownTokens+"add/", tokenForm("key", restored)))
	shows(t, b.post(t, ownTokens+"add/", tokenForm("key", key)).Want(t, http.StatusBadRequest), "already exists")
}

func TestTokenLifetimes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for lifetime, lasts := range map[string]time.Duration{"never": 0, "1h": time.Hour, "1d": 24 * time.Hour, "7d": 7 * 24 * time.Hour,
		"30d": 30 * 24 * time.Hour, "90d": 90 * 24 * time.Hour, "1y": 365 * 24 * time.Hour} {
		before := time.Now().Truncate(time.Second)
		token := ownToken(t, s, keyOn(t, b.post(t, ownTokens+"add/", tokenForm("lifetime", lifetime, "expires", "2031-01-01T00:00"))))
		text, limited := token["expires"].(string)
		if lasts == 0 {
			if limited {
				t.Errorf("%s: expires %s", lifetime, text)
			}
			continue
		}
		expires, err := time.Parse(time.RFC3339, text)
		if err != nil || expires.Before(before.Add(lasts)) || expires.After(time.Now().Add(lasts)) {
			t.Errorf("%s: expires %s (%v)", lifetime, text, err)
		}
	}
	token := ownToken(t, s, keyOn(t, b.post(t, ownTokens+"add/",
		tokenForm("lifetime", "moment", "expires", "2031-02-03T04:05", "allowed_ips", "127.0.0.1\r\n10.1.2.3/8"))))
	if token["expires"] != "2031-02-03T04:05:00.000000Z" || fmt.Sprint(token["allowed_ips"]) != "[127.0.0.1/32 10.0.0.0/8]" {
		t.Errorf("%v", token)
	}
}

// TestTokenLife: a token is listed, edited, expires, is revoked and restored.
func TestTokenLife(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "alice")
	b := login(t, s, "alice")
	use := func(key string) int { return s.Do(t, apitest.Call{Method: "GET", Path: tokensAPI, Token: key}).Status }

	key := keyOn(t, b.post(t, ownTokens+"add/", tokenForm("description", "for Ansible")))
	list := b.get(t, ownTokens).Want(t, http.StatusOK)
	shows(t, list, key[34:]+" (alice)", "for Ansible", "read, write", "anywhere", ownTokens+"add/")
	hides(t, list, "expired")
	id := apitest.ID(ownToken(t, s, key))
	at := fmt.Sprintf("%s%d/", ownTokens, id)

	form := b.get(t, at+"edit/").Want(t, http.StatusOK)
	shows(t, form, `value="for Ansible"`, `name="version" value="1"`)
	hides(t, form, `name="key"`)
	edit := tokenForm("description", "no longer", "lifetime", "moment", "expires", "2020-01-01T00:00:00", "version", "1", "key",
		restored, "user", "admin")
	edit.Del("write_enabled")
	b.post(t, at+"edit/", edit).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, ownTokens).Want(t, http.StatusOK), "no longer", "read only", "2020-01-01 00:00:00",
		`<span class="badge state-failed">expired</span>`)
	if use(key) != http.StatusForbidden || use(restored) != http.StatusForbidden {
		t.Error("an expired token works, or its key was changed")
	}
	b.post(t, at+"edit/", edit).Want(t, http.StatusPreconditionFailed)

	shows(t, b.get(t, at+"delete/").Want(t, http.StatusOK), "Revoke", "no longer", "last used")
	b.post(t, at+"delete/", url.Values{}).Want(t, http.StatusSeeOther)
	b.get(t, at+"edit/").Want(t, http.StatusNotFound)
	hides(t, b.get(t, ownTokens), "no longer")
	b.post(t, ownTokens+"add/", tokenForm("key", key)).Want(t, http.StatusOK)
	if use(key) != http.StatusOK {
		t.Error("a restored key does not work")
	}
}

// TestTokenMomentIsKept: editing another field leaves the expiry as it is, to the microsecond.
func TestTokenMomentIsKept(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	const moment = "2031-02-03T04:05:06.789012Z"
	id := create(t, s, tokensAPI, obj{"expires": moment})
	at := fmt.Sprintf("%s%d/", ownTokens, id)
	shows(t, b.get(t, at+"edit/"), `value="2031-02-03T04:05:06"`, `<option value="moment" selected>`)
	b.post(t, at+"edit/", edited(t, b, at, "description", "new")).Want(t, http.StatusSeeOther)
	token := s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("%s%d/", tokensAPI, id), Token: s.Admin}).Object(t)
	if token["expires"] != moment || token["description"] != "new" {
		t.Errorf("%v", token)
	}
}

// TestTokensOfOthers: one's own pages show nobody else's token, not even to a superuser.
func TestTokensOfOthers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, key := s.User(t, "alice")
	s.User(t, "bob")
	id := apitest.ID(ownToken(t, s, key))
	for _, who := range []string{"bob", "admin"} {
		b := login(t, s, who)
		for _, page := range []string{"edit", "delete"} {
			path := fmt.Sprintf("%s%d/%s/", ownTokens, id, page)
			b.get(t, path).Want(t, http.StatusNotFound)
			b.post(t, path, tokenForm()).Want(t, http.StatusNotFound)
		}
		hides(t, b.get(t, ownTokens).Want(t, http.StatusOK), key[34:])
	}
	bob := login(t, s, "bob")
	bob.get(t, fmt.Sprintf("%s%d/", allTokens, id)).Want(t, http.StatusNotFound)
	shows(t, bob.get(t, allTokens+"add/").Want(t, http.StatusOK), `name="user" id="id_user" value="bob"`)
	bob.post(t, allTokens+"add/", url.Values{"user": {"alice"}}).Want(t, http.StatusBadRequest)
	keyOn(t, bob.post(t, ownTokens+"add/", tokenForm("user", "alice")))
	if n := s.Do(t, apitest.Call{Method: "GET", Path: tokensAPI, Token: key}).Page(t).Count; n != 1 {
		t.Errorf("alice has %d tokens", n)
	}
}

// TestTokensTakenAway: without manage_tokens nothing can be made or changed, only revoked.
func TestTokensTakenAway(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	user, key := s.User(t, "alice")
	admin, b := login(t, s, "admin"), login(t, s, "alice")
	id := apitest.ID(ownToken(t, s, key))
	at := fmt.Sprintf("%s%d/", ownTokens, id)
	shows(t, b.get(t, ownTokens), ownTokens+"add/", at+"edit/", at+"delete/")

	edit := fmt.Sprintf("/users/users/%d/edit/", user)
	shows(t, admin.get(t, edit).Want(t, http.StatusOK), "Manage tokens", `name="manage_tokens" id="id_manage_tokens" value="true" checked`)
	admin.post(t, edit, url.Values{"username": {"alice"}, "is_active": {"true"}}).Want(t, http.StatusSeeOther)

	page := b.get(t, ownTokens).Want(t, http.StatusOK)
	shows(t, page, "An administrator removed", at+"delete/")
	hides(t, page, ownTokens+"add/", "edit/")
	for _, path := range []string{ownTokens + "add/", at + "edit/", allTokens + "add/", fmt.Sprintf("%s%d/edit/", allTokens, id)} {
		b.get(t, path).Want(t, http.StatusForbidden)
		b.post(t, path, tokenForm("user", "alice")).Want(t, http.StatusForbidden)
	}
	hides(t, b.get(t, allTokens).Want(t, http.StatusOK), "add/", "edit/")
	b.post(t, at+"delete/", url.Values{}).Want(t, http.StatusSeeOther)
	hides(t, b.get(t, ownTokens), key[34:])
}

func TestProfile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	group := create(t, s, "/api/users/groups/", obj{"name": "Lisbon team"})
	id, _ := s.User(t, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "grant"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change"}, Constraints: obj{"region__slug": "lisbon"}})
	s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/users/users/%d/", id), Token: s.Admin,
		Body: obj{"groups": []int64{group}, "first_name": "Alice", "email": "alice@example.com"}}).Want(t, http.StatusOK)
	page := login(t, s, "alice").get(t, "/user/").Want(t, http.StatusOK)
	shows(t, page, "alice@example.com", "Lisbon team", `href="/dcim/sites/"`, "grant", "region__slug", "your own")
	hides(t, page, "/users/groups/", "/dcim/regions/", "argon2")
	shows(t, login(t, s, "admin").get(t, "/user/").Want(t, http.StatusOK), "you are a superuser")
	if to := (browser{s: s}).get(t, "/user/").Want(t, http.StatusSeeOther).Header.Get("Location"); to != "/login/?next=%2Fuser%2F" {
		t.Errorf("nobody is sent to %s", to)
	}
}

// TestOwnPassword: people without any permission can change their own password, and only with the old one.
func TestOwnPassword(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "alice")
	here, elsewhere := login(t, s, "alice"), login(t, s, "alice")
	change := func(old, first, again string) apitest.Answer {
		return here.post(t, "/user/password/", url.Values{"old_password": {old}, "password": {first}, "password_again": {again}})
	}
	for _, row := range []struct{ old, first, again, shown string }{
		{"wrong", otherWords, otherWords, "This is not your password."},
		{"", otherWords, otherWords, "This is not your password."},
		{apitest.Password, otherWords, "something else", "not the same"},
		{apitest.Password, "short", "short", "at least 8 characters"},
	} {
		a := change(row.old, row.first, row.again).Want(t, http.StatusBadRequest)
		shows(t, a, row.shown)
		hides(t, a, apitest.Password, otherWords)
	}
	done := change(apitest.Password, otherWords, otherWords).Want(t, http.StatusSeeOther)
	elsewhere.get(t, "/user/").Want(t, http.StatusSeeOther)
	here.get(t, "/user/").Want(t, http.StatusSeeOther)
	here.cookie = sessionOf(t, done)
	shows(t, here.get(t, "/user/").Want(t, http.StatusOK), "alice")
	s.Do(t, apitest.Call{Method: "POST", Path: "/login/", Body: obj{"username": "alice", "password": apitest.Password}}).
		Want(t, http.StatusForbidden)
	s.Do(t, apitest.Call{Method: "POST", Path: "/login/", Body: obj{"username": "alice", "password": otherWords}}).
		Want(t, http.StatusNoContent)
	log := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?changed_object_type=users.user&limit=1", Token: s.Admin})
	if changed := log.Page(t).Results[0]; changed["user_name"] != "alice" || fmt.Sprint(changed["action"]) == "" {
		t.Errorf("%v", changed)
	}
	hides(t, log, "argon2")

	// Guessing here counts like guessing at the login.
	change("wrong", otherWords, otherWords).Want(t, http.StatusBadRequest)
	if _, err := s.DB.Exec(context.Background(),
		"UPDATE users_throttle SET attempts = array_fill(now(), ARRAY[50]) WHERE subject LIKE 'account:%' AND "+
			"cardinality(attempts) > 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.Exec(context.Background(), "DELETE FROM users_login_address"); err != nil { // where alice has a second counter
		t.Fatal(err)
	}
	late := change(otherWords, "a third long password", "a third long password").Want(t, http.StatusTooManyRequests)
	if shows(t, late, "Request was throttled"); late.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
}

// sessionOf is the cookie that an answer starts a session with.
func sessionOf(t *testing.T, a apitest.Answer) string {
	t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if strings.HasSuffix(c.Name, "terrier_session") {
			return c.Name + "=" + c.Value
		}
	}
	t.Fatal("no session begins")
	return ""
}
