package system_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// TestSecretsAppearNowhere uses secrets in every possible way, right and wrong, and checks that they do not appear in anything that is
// stored or shown afterwards.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	in := newInstall(t, database, "LOG_LEVEL=debug")
	secret := &install.Canaries{T: t}
	secret.Watch("the secret key of the server", in.Settings["SECRET_KEY"])

	adminPassword := secret.Password("user create on the command line")
	in.User("admin", adminPassword, "--superuser")
	s := in.Serve()
	tokens, users := "/api/users/tokens/", "/api/users/users/"
	marker := "visible-" + randomHex(8) // proves that the search below works

	// expect sends a request and checks that the answer does not contain the secrets.
	expect := func(status int, method, path string, header http.Header, body any) answer {
		t.Helper()
		a := s.Send(method, path, header, body).Want(t, status)
		secret.Absent(fmt.Sprintf("the answer to %s %s", method, path), a.Body)
		return a
	}
	// creates sends a request that creates a token and returns the key. Only this answer shows it.
	creates := func(use string, header http.Header, path string, body object) (key string) {
		t.Helper()
		var made struct{ Key string }
		s.Send(http.MethodPost, path, header, body).Want(t, http.StatusCreated).Read(t, &made)
		return secret.Watch(use, made.Key)
	}

	provisioned := creates("provisioning", nil, provision, object{"username": "admin", "password": adminPassword, "description": marker})
	admin := http.Header{"Authorization": {"Token " + provisioned}}
	secret.Watch("token create on the command line", in.Token("admin"))

	// Tokens, created and refused.
	posted := creates("POST of a token", admin, tokens, object{"user": 1})
	creates("POST of a read-only token", admin, tokens, object{"user": 1, "write_enabled": false})
	for _, key := range []string{randomKey(), strings.ToUpper(randomKey())} {
		made := creates("a key that was supplied", admin, tokens, object{"user": 1, "key": key})
		if !strings.EqualFold(made, key) {
			t.Errorf("a token with a key of its own was made with another")
		}
		s.Get(tokens, key).Want(t, http.StatusOK)
		expect(http.StatusBadRequest, http.MethodPost, tokens, admin, object{"user": 1, "key": key}) // taken
	}
	var bulk []struct{ Key string }
	bulkKeys := []string{secret.Key("first of a bulk"), secret.Key("second of a bulk")}
	s.Send(http.MethodPost, tokens, admin, []object{{"user": 1, "key": bulkKeys[0]}, {"user": 1, "key": bulkKeys[1]}}).
		Want(t, http.StatusCreated).Read(t, &bulk)
	if len(bulk) != 2 || bulk[0].Key != bulkKeys[0] || bulk[1].Key != bulkKeys[1] {
		t.Errorf("the answer to a bulk should show its keys")
	}
	for _, body := range []any{
		object{"user": 1_000_000, "key": secret.Key("a key for nobody")},
		object{"user": 1, "key": secret.Key("a key that is too long") + "00"},
		object{"user": 1, "key": []string{secret.Key("a key in a list")}},
		object{"user": 1, "key": object{"x": secret.Key("a key in an object")}},
		object{"user": 1, "key": secret.Key("a key beside a bad date"), "expires": "tomorrow"},
		[]object{{"user": 1, "key": secret.Key("a key beside a bad item")}, {"user": 1, "key": "short"}},
		`{"user": 1, "key": "` + secret.Key("a key in broken JSON") + `", }`,
		`{"user": 1, "key": ` + secret.Key("a key without quotes") + `}`,
	} {
		expect(http.StatusBadRequest, http.MethodPost, tokens, admin, body)
	}
	expect(http.StatusBadRequest, http.MethodPatch, tokens+"1/", admin, object{"key": secret.Key("a change of a key")})
	expect(http.StatusOK, http.MethodPatch, tokens+"1/", admin, object{"description": marker})
	expect(http.StatusOK, http.MethodGet, tokens+"?key="+secret.Key("a key as a filter"), admin, nil)

	// Keys that are wrong, or in the wrong place.
	for _, header := range []string{
		"Token " + secret.Key("an unknown key"),
		"Token " + secret.Key("a key that is too long, in a header") + "ff",
		"Token " + posted + " " + secret.Key("a second key"),
		"Bearer " + secret.Key("another scheme"),
		"Basic " + secret.Key("yet another scheme"),
		secret.Key("no scheme"),
		"Token=" + secret.Key("an equals sign"),
		"Token:" + secret.Key("a colon"),
		"token\t" + secret.Key("a tab"),
	} {
		expect(http.StatusForbidden, http.MethodGet, "/api/dcim/sites/", http.Header{"Authorization": {header}}, nil)
		expect(http.StatusForbidden, http.MethodPost, "/api/dcim/sites/", http.Header{"Authorization": {header}}, object{"name": "x"})
	}

	// Logins.
	for _, path := range []string{provision, "/login/"} {
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials("admin", secret.Password("a wrong password at "+path)))
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials(secret.Password("a password in the wrong field at "+path), "x"))
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials("nobody", secret.Password("an unknown user at "+path)))
		expect(http.StatusBadRequest, http.MethodPost, path, nil, object{"password": secret.Password("no user name at " + path)})
		expect(http.StatusBadRequest, http.MethodPost, path, nil,
			`{"username": "admin", "password": "`+secret.Password("broken JSON at "+path)+`"`)
		expect(http.StatusBadRequest, http.MethodPost, path, nil,
			object{"username": []string{"admin"}, "password": secret.Password("a bad type at " + path)})
	}
	expect(http.StatusForbidden, http.MethodPost, "/login/?password="+secret.Password("a password in the address"),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		url.Values{"username": {"admin"}, "password": {secret.Password("a wrong password in a form")}}.Encode())

	// Sessions.
	cookie := login(t, s, "admin", adminPassword)
	_, value, _ := strings.Cut(cookie, "=")
	secret.Watch("a session cookie", value)
	session := http.Header{"Cookie": {cookie}}
	expect(http.StatusOK, http.MethodGet, "/api/dcim/sites/", session, nil)
	expect(http.StatusCreated, http.MethodPost, "/api/extras/tags/", session, object{"name": "by cookie", "slug": "by-cookie"})
	expect(http.StatusForbidden, http.MethodGet, "/api/dcim/sites/",
		http.Header{"Cookie": {"terrier_session=" + secret.Password("a wrong cookie")}}, nil)
	creates("POST of a token by cookie", session, tokens, object{"user": 1})

	// Users, created, changed and refused.
	var user struct{ ID int }
	expect(http.StatusCreated, http.MethodPost, users, admin, credentials("dave", secret.Password("a new user"))).Read(t, &user)
	dave := fmt.Sprintf("%s%d/", users, user.ID)
	expect(http.StatusOK, http.MethodPatch, dave, admin, object{"password": secret.Password("a PATCH of a password")})
	expect(http.StatusOK, http.MethodPut, dave, admin, credentials("dave", secret.Password("a PUT of a password")))
	expect(http.StatusOK, http.MethodPatch, users, admin,
		[]object{{"id": user.ID, "password": secret.Password("a bulk change of a password")}})
	daves := secret.Password("a password that is changed on the command line")
	if out, code := in.Terrier(daves+"\n", "user", "password", "dave", "--password-stdin"); code != 0 || strings.Contains(out, daves) {
		t.Errorf("user password: exit code %d: %s", code, out)
	}
	for _, body := range []any{
		credentials("not a user name!", secret.Password("a bad user name")),
		credentials("admin", secret.Password("a user name that is taken")),
		object{"username": "erin", "password": secret.Password("a bad mail address"), "email": "nowhere"},
		object{"username": "erin", "password": secret.Password("a password that is too long") + strings.Repeat("x", 128)},
		object{"username": "erin", "password": []string{secret.Password("a password in a list")}},
		object{"username": "erin", "password": object{"x": secret.Password("a password in an object")}},
		[]object{credentials("erin", secret.Password("first of a bad bulk")), {"username": "frank"}},
	} {
		expect(http.StatusBadRequest, http.MethodPost, users, admin, body)
	}
	expect(http.StatusBadRequest, http.MethodPatch, dave, admin, object{"password": secret.Password("a bad change"), "email": "nowhere"})
	expect(http.StatusNotFound, http.MethodPatch, users+"1000000/", admin, object{"password": secret.Password("a change of nobody")})
	expect(http.StatusOK, http.MethodGet, users+"?password="+secret.Password("a password as a filter"), admin, nil)
	expect(http.StatusNoContent, http.MethodDelete, dave, admin, nil)
	expect(http.StatusNoContent, http.MethodDelete, tokens+"3/", admin, nil)

	// What is shown afterwards.
	shown := everything(t, s, admin)
	secret.Absent("the API", shown)
	list, _ := in.Terrier("", "token", "list", "admin")
	secret.Absent("terrier token list", list)
	// What is stored.
	dump := install.Dump(t, database)
	secret.Absent("the dump", dump)
	s.Stop()
	secret.Absent("the log", s.Log())

	for where, text := range map[string]string{"the API": shown, "the dump": dump} {
		if !strings.Contains(text, marker) {
			t.Errorf("%s lacks what it should hold: the search proves nothing", where)
		}
	}
	if !strings.Contains(s.Log(), "path="+provision) || strings.Count(s.Log(), "status=403") < 20 {
		t.Errorf("the log lacks the requests: the search proves nothing")
	}
	t.Logf("%d secrets in none of %d bytes of answers, %d of dump, %d of log", len(secret.List), len(shown), len(dump), len(s.Log()))
}

// everything returns the contents of every list of the API. It finds them from the API's root.
func everything(t *testing.T, s *server, header http.Header) string {
	t.Helper()
	var all strings.Builder
	var walk func(path string, depth int)
	walk = func(path string, depth int) {
		a := s.Send(http.MethodGet, path, header, nil).Want(t, http.StatusOK)
		all.WriteString(a.Body)
		if depth == 0 {
			return
		}
		var contents map[string]string
		a.Read(t, &contents)
		for _, address := range contents {
			path := strings.TrimPrefix(address, "http://terrier.test")
			if strings.HasSuffix(path, "/status/") {
				continue
			}
			if depth == 1 {
				path += "?limit=0"
			}
			walk(path, depth-1)
		}
	}
	walk("/api/", 2)
	for _, path := range []string{"/api/users/tokens/1/", "/api/users/users/1/"} {
		all.WriteString(s.Send(http.MethodGet, path, header, nil).Want(t, http.StatusOK).Body)
		all.WriteString(s.Send(http.MethodOptions, path, header, nil).Want(t, http.StatusOK).Body)
	}
	var changes struct {
		Count   int
		Results []struct {
			Post json.RawMessage `json:"postchange_data"`
		}
	}
	s.Send(http.MethodGet, "/api/extras/object-changes/?limit=0", header, nil).Want(t, http.StatusOK).Read(t, &changes)
	if changes.Count < 15 || changes.Count != len(changes.Results) {
		t.Errorf("%d of %d changes were read", len(changes.Results), changes.Count)
	}
	return all.String()
}
