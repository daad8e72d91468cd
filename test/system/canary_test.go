package system_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terrier/internal/dbtest"
)

// canaries are secrets that must turn up nowhere. Each has a name that says how it was used.
type canaries struct {
	t    *testing.T
	list []canary
}

type canary struct{ use, secret string }

// password returns a new secret that is to be used in the named way; key likewise.
func (c *canaries) password(use string) string { return c.watch(use, "canary-"+randomHex(12)) }
func (c *canaries) key(use string) string      { return c.watch(use, randomKey()) }

func (c *canaries) watch(use, secret string) string {
	if len(secret) < 12 {
		c.t.Fatalf("the secret of %q is too short to look for: %q", use, secret)
	}
	c.list = append(c.list, canary{use, strings.ToLower(secret)})
	return secret
}

// absent fails the test when a secret stands in the text: in clear, in hexadecimal, in base64, or as a hash that
// anybody can compute.
func (c *canaries) absent(where, text string) {
	c.t.Helper()
	text = strings.ToLower(text)
	for _, k := range c.list {
		plain := sha256.Sum256([]byte(k.secret))
		forms := map[string]string{
			"in clear":           k.secret,
			"in hexadecimal":     hex.EncodeToString([]byte(k.secret)),
			"in base64":          strings.ToLower(base64.StdEncoding.EncodeToString([]byte(k.secret))[:len(k.secret)]),
			"as a plain SHA-256": hex.EncodeToString(plain[:]),
		}
		for form, secret := range forms {
			if at := strings.Index(text, secret); at >= 0 {
				c.t.Errorf("%s holds, %s, the secret of %q: …%.160s…", where, form, k.use, text[max(0, at-80):])
			}
		}
	}
}

// TestSecretsAppearNowhere uses secrets in every way there is, right and wrong, and looks for them in everything that
// is kept or shown afterwards.
func TestSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	in := newInstall(t, database, "LOG_LEVEL=debug")
	secret := &canaries{t: t}
	secret.watch("the secret key of the server", in.settings["SECRET_KEY"])

	adminPassword := secret.password("user create on the command line")
	in.user("admin", adminPassword, "--superuser")
	s := in.serve()
	tokens, users := "/api/users/tokens/", "/api/users/users/"
	marker := "visible-" + randomHex(8) // proves that the search below would find something

	// expect sends a request and looks for the secrets in an answer that should not hold them.
	expect := func(status int, method, path string, header http.Header, body any) answer {
		t.Helper()
		a := s.send(method, path, header, body).want(t, status)
		secret.absent(fmt.Sprintf("the answer to %s %s", method, path), a.body)
		return a
	}
	// creates sends a request that makes a token and returns the key, which this answer and no other shows.
	creates := func(use string, header http.Header, path string, body object) (key string) {
		t.Helper()
		var made struct{ Key string }
		s.send(http.MethodPost, path, header, body).want(t, http.StatusCreated).read(t, &made)
		return secret.watch(use, made.Key)
	}

	provisioned := creates("provisioning", nil, provision, object{"username": "admin", "password": adminPassword, "description": marker})
	admin := http.Header{"Authorization": {"Token " + provisioned}}
	secret.watch("token create on the command line", in.token("admin"))

	// Tokens, made and refused.
	posted := creates("POST of a token", admin, tokens, object{"user": 1})
	creates("POST of a read-only token", admin, tokens, object{"user": 1, "write_enabled": false})
	for _, key := range []string{randomKey(), strings.ToUpper(randomKey())} {
		made := creates("a key that was supplied", admin, tokens, object{"user": 1, "key": key})
		if !strings.EqualFold(made, key) {
			t.Errorf("a token with a key of its own was made with another")
		}
		s.get(tokens, key).want(t, http.StatusOK)
		expect(http.StatusBadRequest, http.MethodPost, tokens, admin, object{"user": 1, "key": key}) // taken
	}
	var bulk []struct{ Key string }
	bulkKeys := []string{secret.key("first of a bulk"), secret.key("second of a bulk")}
	s.send(http.MethodPost, tokens, admin, []object{{"user": 1, "key": bulkKeys[0]}, {"user": 1, "key": bulkKeys[1]}}).want(t, http.StatusCreated).read(t, &bulk)
	if len(bulk) != 2 || bulk[0].Key != bulkKeys[0] || bulk[1].Key != bulkKeys[1] {
		t.Errorf("the answer to a bulk should show its keys")
	}
	for _, body := range []any{
		object{"user": 1_000_000, "key": secret.key("a key for nobody")},
		object{"user": 1, "key": secret.key("a key that is too long") + "00"},
		object{"user": 1, "key": []string{secret.key("a key in a list")}},
		object{"user": 1, "key": object{"x": secret.key("a key in an object")}},
		object{"user": 1, "key": secret.key("a key beside a bad date"), "expires": "tomorrow"},
		[]object{{"user": 1, "key": secret.key("a key beside a bad item")}, {"user": 1, "key": "short"}},
		`{"user": 1, "key": "` + secret.key("a key in broken JSON") + `", }`,
		`{"user": 1, "key": ` + secret.key("a key without quotes") + `}`,
	} {
		expect(http.StatusBadRequest, http.MethodPost, tokens, admin, body)
	}
	expect(http.StatusBadRequest, http.MethodPatch, tokens+"1/", admin, object{"key": secret.key("a change of a key")})
	expect(http.StatusOK, http.MethodPatch, tokens+"1/", admin, object{"description": marker})
	expect(http.StatusBadRequest, http.MethodGet, tokens+"?key="+secret.key("a key as a filter"), admin, nil)

	// Keys that are wrong, or in the wrong place.
	for _, header := range []string{
		"Token " + secret.key("an unknown key"),
		"Token " + secret.key("a key that is too long, in a header") + "ff",
		"Token " + posted + " " + secret.key("a second key"),
		"Bearer " + secret.key("another scheme"),
		"Basic " + secret.key("yet another scheme"),
		secret.key("no scheme"),
		"Token=" + secret.key("an equals sign"),
		"Token:" + secret.key("a colon"),
		"token\t" + secret.key("a tab"),
	} {
		expect(http.StatusForbidden, http.MethodGet, "/api/dcim/sites/", http.Header{"Authorization": {header}}, nil)
		expect(http.StatusForbidden, http.MethodPost, "/api/dcim/sites/", http.Header{"Authorization": {header}}, object{"name": "x"})
	}

	// Logins.
	for _, path := range []string{provision, "/login/"} {
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials("admin", secret.password("a wrong password at "+path)))
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials(secret.password("a password in the wrong field at "+path), "x"))
		expect(http.StatusForbidden, http.MethodPost, path, nil, credentials("nobody", secret.password("an unknown user at "+path)))
		expect(http.StatusBadRequest, http.MethodPost, path, nil, object{"password": secret.password("no user name at " + path)})
		expect(http.StatusBadRequest, http.MethodPost, path, nil, `{"username": "admin", "password": "`+secret.password("broken JSON at "+path)+`"`)
		expect(http.StatusBadRequest, http.MethodPost, path, nil, object{"username": []string{"admin"}, "password": secret.password("a bad type at " + path)})
	}
	expect(http.StatusForbidden, http.MethodPost, "/login/?password="+secret.password("a password in the address"),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		url.Values{"username": {"admin"}, "password": {secret.password("a wrong password in a form")}}.Encode())

	// Sessions.
	cookie := login(t, s, "admin", adminPassword)
	_, value, _ := strings.Cut(cookie, "=")
	secret.watch("a session cookie", value)
	session := http.Header{"Cookie": {cookie}}
	expect(http.StatusOK, http.MethodGet, "/api/dcim/sites/", session, nil)
	expect(http.StatusCreated, http.MethodPost, "/api/extras/tags/", session, object{"name": "by cookie", "slug": "by-cookie"})
	expect(http.StatusForbidden, http.MethodGet, "/api/dcim/sites/", http.Header{"Cookie": {"terrier_session=" + secret.password("a wrong cookie")}}, nil)
	creates("POST of a token by cookie", session, tokens, object{"user": 1})

	// Users, made, changed and refused.
	var user struct{ ID int }
	expect(http.StatusCreated, http.MethodPost, users, admin, credentials("dave", secret.password("a new user"))).read(t, &user)
	dave := fmt.Sprintf("%s%d/", users, user.ID)
	expect(http.StatusOK, http.MethodPatch, dave, admin, object{"password": secret.password("a PATCH of a password")})
	expect(http.StatusOK, http.MethodPut, dave, admin, credentials("dave", secret.password("a PUT of a password")))
	expect(http.StatusOK, http.MethodPatch, users, admin, []object{{"id": user.ID, "password": secret.password("a bulk change of a password")}})
	daves := secret.password("a password that is changed on the command line")
	if out, code := in.terrier(daves+"\n", "user", "password", "dave", "--password-stdin"); code != 0 || strings.Contains(out, daves) {
		t.Errorf("user password: exit code %d: %s", code, out)
	}
	for _, body := range []any{
		credentials("not a user name!", secret.password("a bad user name")),
		credentials("admin", secret.password("a user name that is taken")),
		object{"username": "erin", "password": secret.password("a bad mail address"), "email": "nowhere"},
		object{"username": "erin", "password": secret.password("a password that is too long") + strings.Repeat("x", 128)},
		object{"username": "erin", "password": []string{secret.password("a password in a list")}},
		object{"username": "erin", "password": object{"x": secret.password("a password in an object")}},
		[]object{credentials("erin", secret.password("first of a bad bulk")), {"username": "frank"}},
	} {
		expect(http.StatusBadRequest, http.MethodPost, users, admin, body)
	}
	expect(http.StatusBadRequest, http.MethodPatch, dave, admin, object{"password": secret.password("a bad change"), "email": "nowhere"})
	expect(http.StatusNotFound, http.MethodPatch, users+"1000000/", admin, object{"password": secret.password("a change of nobody")})
	expect(http.StatusBadRequest, http.MethodGet, users+"?password="+secret.password("a password as a filter"), admin, nil)
	expect(http.StatusNoContent, http.MethodDelete, dave, admin, nil)
	expect(http.StatusNoContent, http.MethodDelete, tokens+"3/", admin, nil)

	// What is shown afterwards.
	shown := everything(t, s, admin)
	secret.absent("the API", shown)
	list, _ := in.terrier("", "token", "list", "admin")
	secret.absent("terrier token list", list)
	// What is kept.
	dump := dumpDatabase(t, database)
	secret.absent("the dump", dump)
	s.stop()
	secret.absent("the log", s.log())

	for where, text := range map[string]string{"the API": shown, "the dump": dump} {
		if !strings.Contains(text, marker) {
			t.Errorf("%s lacks what it should hold: the search proves nothing", where)
		}
	}
	if !strings.Contains(s.log(), "path="+provision) || strings.Count(s.log(), "status=403") < 20 {
		t.Errorf("the log lacks the requests: the search proves nothing")
	}
	t.Logf("%d secrets in none of %d bytes of answers, %d of dump, %d of log", len(secret.list), len(shown), len(dump), len(s.log()))
}

// everything reads every list of the API, from its own table of contents.
func everything(t *testing.T, s *server, header http.Header) string {
	t.Helper()
	var all strings.Builder
	var walk func(path string, depth int)
	walk = func(path string, depth int) {
		a := s.send(http.MethodGet, path, header, nil).want(t, http.StatusOK)
		all.WriteString(a.body)
		if depth == 0 {
			return
		}
		var contents map[string]string
		a.read(t, &contents)
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
		all.WriteString(s.send(http.MethodGet, path, header, nil).want(t, http.StatusOK).body)
		all.WriteString(s.send(http.MethodOptions, path, header, nil).want(t, http.StatusOK).body)
	}
	var changes struct {
		Count   int
		Results []struct {
			Post json.RawMessage `json:"postchange_data"`
		}
	}
	s.send(http.MethodGet, "/api/extras/object-changes/?limit=0", header, nil).want(t, http.StatusOK).read(t, &changes)
	if changes.Count < 15 || changes.Count != len(changes.Results) {
		t.Errorf("%d of %d changes were read", len(changes.Results), changes.Count)
	}
	return all.String()
}

func dumpDatabase(t *testing.T, database string) string {
	t.Helper()
	program, err := exec.LookPath("pg_dump")
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump"); len(installed) > 0 {
		program, err = slices.Max(installed), nil // not Debian's wrapper, which looks for clusters of its own
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "--dbname="+database).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	return string(out)
}
