package api_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// login posts a form and returns the cookie of the session.
func login(t *testing.T, s *apitest.Server, username, password string, header map[string]string) (*http.Cookie, apitest.Answer) {
	t.Helper()
	h := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for k, v := range header {
		h[k] = v
	}
	a := s.Do(t, apitest.Call{Method: "POST", Path: "/login/", Header: h,
		Body: url.Values{"username": {username}, "password": {password}}.Encode()})
	cookies := (&http.Response{Header: a.Header}).Cookies()
	if len(cookies) != 1 {
		return nil, a
	}
	return cookies[0], a
}

// with calls with a cookie.
func with(t *testing.T, s *apitest.Server, c *http.Cookie, method, path string, body any, header ...string) apitest.Answer {
	t.Helper()
	h := map[string]string{"Cookie": c.Name + "=" + c.Value}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	return s.Do(t, apitest.Call{Method: method, Path: path, Body: body, Header: h})
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id, _ := newActor(t, s, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}})
	ended := func(c *http.Cookie) {
		t.Helper()
		wantDetail(t, with(t, s, c, "GET", sites, nil), http.StatusForbidden, noCreds)
	}
	begin := func(password string) *http.Cookie {
		t.Helper()
		c, a := login(t, s, "alice", password, nil)
		if a.Want(t, http.StatusNoContent); c == nil {
			t.Fatal("no cookie")
		}
		with(t, s, c, "GET", sites, nil).Page(t)
		return c
	}
	t.Run("refused", func(t *testing.T) {
		for _, row := range []struct {
			username, password string
			status             int
		}{{"alice", "wrong", 403}, {"nobody", apitest.Password, 403}, {"", "x", 400}, {"alice", "", 400}} {
			if c, a := login(t, s, row.username, row.password, nil); a.Status != row.status || c != nil {
				t.Errorf("%s: %d, cookie %v", row.username, a.Status, c)
			}
		}
	})
	c := begin(apitest.Password)
	t.Run("the cookie", func(t *testing.T) {
		if c.Name != "terrier_session" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Path != "/" ||
			c.Domain != "" || len(c.Value) < 32 {
			t.Errorf("%v", c)
		}
	})
	t.Run("by JSON too", func(t *testing.T) {
		s.Do(t, apitest.Call{Method: "POST", Path: "/login/", Body: obj{"username": "alice", "password": apitest.Password}}).
			Want(t, http.StatusNoContent)
	})
	t.Run("it may do what the user may", func(t *testing.T) {
		with(t, s, c, "POST", sites, site("By cookie")).Want(t, http.StatusCreated)
		wantDetail(t, with(t, s, c, "GET", users, nil), http.StatusForbidden, denied)
		change := admin.page(t, changeLog+"?changed_object_type=dcim.site").Results[0]
		if change["user_name"] != "alice" {
			t.Errorf("changed by %v", change["user_name"])
		}
	})
	t.Run("a bad token is refused beside a good cookie", func(t *testing.T) {
		wantDetail(t, with(t, s, c, "GET", sites, nil, "Authorization", "Token x"), http.StatusForbidden, "Invalid token")
	})
	t.Run("an unknown cookie is nobody", func(t *testing.T) {
		for _, value := range []string{"x", strings.Repeat("x", 5000), c.Value + "x"} {
			ended(&http.Cookie{Name: c.Name, Value: value})
		}
	})
	t.Run("rotated at login", func(t *testing.T) {
		again, _ := login(t, s, "alice", apitest.Password, map[string]string{"Cookie": c.Name + "=" + c.Value})
		if again.Value == c.Value {
			t.Error("the same value")
		}
		ended(c)
		with(t, s, again, "GET", sites, nil).Page(t)
		planted := &http.Cookie{Name: c.Name, Value: strings.Repeat("A", len(c.Value))}
		if got, _ := login(t, s, "alice", apitest.Password,
			map[string]string{"Cookie": planted.Name + "=" + planted.Value}); got.Value == planted.Value {
			t.Error("a planted value was taken over")
		}
		ended(planted)
	})
	t.Run("logout", func(t *testing.T) {
		c := begin(apitest.Password)
		out := with(t, s, c, "POST", "/logout/", nil).Want(t, http.StatusNoContent)
		if cleared := (&http.Response{Header: out.Header}).Cookies(); len(cleared) != 1 || cleared[0].MaxAge >= 0 {
			t.Errorf("%v", cleared)
		}
		ended(c)
	})
	t.Run("a new password ends it", func(t *testing.T) {
		c := begin(apitest.Password)
		if err := s.App.SetPassword(context.Background(), "alice", "another long password 42"); err != nil {
			t.Fatal(err)
		}
		ended(c)
		c = begin("another long password 42")
		admin.patch(t, users, id, obj{"password": apitest.Password})
		ended(c)
	})
	t.Run("deactivation ends it for good", func(t *testing.T) {
		c := begin(apitest.Password)
		admin.patch(t, users, id, obj{"is_active": false})
		ended(c)
		if c, a := login(t, s, "alice", apitest.Password, nil); c != nil || a.Status != http.StatusForbidden {
			t.Errorf("an inactive user logs in: %d", a.Status)
		}
		admin.patch(t, users, id, obj{"is_active": true})
		ended(c)
	})
}

func TestSecureCookie(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.BaseURL = "https://terrier.test" })
	c, a := login(t, s, "admin", apitest.Password, nil)
	if a.Want(t, http.StatusNoContent); c == nil || c.Name != "__Host-terrier_session" || !c.Secure || !c.HttpOnly || c.Path != "/" ||
		c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("%v", a.Header["Set-Cookie"])
	}
	with(t, s, c, "GET", sites, nil).Page(t)
	wantDetail(t, with(t, s, &http.Cookie{Name: "terrier_session", Value: c.Value}, "GET", sites, nil), http.StatusForbidden, noCreds)
}

// pagePatterns are the addresses outside the API: the pages'.
func pagePatterns(s *apitest.Server) []string {
	patterns := s.App.Server.Patterns()
	for _, r := range s.App.Site.Routes() {
		patterns = append(patterns, r.Pattern())
	}
	return patterns
}

// TestCrossOrigin: every unsafe route, with a superuser's cookie, with the headers that a browser sends when another
// site caused the request.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	c, _ := login(t, s, "admin", apitest.Password, nil)
	before := admin.page(t, changeLog).Count
	hostile := [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.test"}, {"Origin", "null"},
		{"Origin", "http://terrier.test.evil.test"},
		{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"},
	}
	refused := func(method, path string, header []string) {
		t.Helper()
		a := with(t, s, c, method, path, obj{}, header...).Want(t, http.StatusForbidden)
		if detail, _ := a.Object(t)["detail"].(string); !strings.HasPrefix(detail, "CSRF Failed: ") {
			t.Errorf("%s %s %v: %s", method, path, header, a.Raw)
		}
	}
	for _, r := range s.App.API.Routes() {
		path := strings.NewReplacer("{$}", "", "{id}", "1").Replace(r.Pattern)
		for _, method := range r.Methods {
			if method == "GET" {
				with(t, s, c, "GET", path, nil, hostile[0]...) // reading is allowed
				continue
			}
			for _, header := range hostile {
				refused(method, path, header)
			}
		}
	}
	for _, pattern := range pagePatterns(s) {
		if method, path, _ := strings.Cut(strings.NewReplacer("{$}", "", "{id}", "1").Replace(pattern), " "); method != "GET" {
			for _, header := range hostile {
				refused(method, path, header)
			}
		}
	}
	if n := admin.page(t, changeLog).Count; n != before {
		t.Errorf("%d change rows of refused requests", n-before)
	}
	with(t, s, c, "GET", sites, nil).Page(t) // and still logged in
	for _, header := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", s.URL}, nil} {
		with(t, s, c, "POST", sites, obj{}, header...).Want(t, http.StatusBadRequest)
	}
	// A browser can't be made to send this header, so a token needs no such protection.
	s.Do(t, apitest.Call{Method: "POST", Path: sites, Token: s.Admin, Body: obj{},
		Header: map[string]string{"Origin": "https://evil.test", "Sec-Fetch-Site": "cross-site"}}).Want(t, http.StatusBadRequest)
}
