package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"terrier/internal/intake"
	"terrier/test/apitest"
)

// TestPagesForEverybodyTakeSmallForms: forms that need no permission (own password, own tokens) accept no large body.
func TestPagesForEverybodyTakeSmallForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "nobody")
	nobody, admin := login(t, s, "nobody"), login(t, s, "admin")
	large := strings.Repeat("x", intake.Small)
	for _, path := range []string{"/user/tokens/add/", "/users/tokens/add/", "/users/tokens/import/", "/user/password/",
		"/api/users/tokens/"} {
		nobody.post(t, path, url.Values{"description": {large}, "_method": {"POST"}, "_content": {"{}"}}).
			Want(t, http.StatusRequestEntityTooLarge)
	}
	shows(t, nobody.upload(t, "/users/tokens/import/", "x.csv", large, "mode", "check").Want(t, http.StatusRequestEntityTooLarge),
		"larger than 65536 bytes")
	// A caller with a permission may send more.
	admin.post(t, "/users/tokens/import/", url.Values{"text": {"description\n" + large}, "mode": {"check"}}).Want(t, http.StatusBadRequest)
	long := admin.post(t, "/dcim/sites/import/", url.Values{"text": {"slug,name\na," + strings.Repeat("x", 15<<20)}, "mode": {"check"}})
	shows(t, long.Want(t, http.StatusBadRequest), "no more than")
}

// late is a body that never arrives.
type late struct{}

func (late) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestLoginBodies: a body that is too large or too slow is answered at the login as elsewhere.
func TestLoginBodies(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if s.App.API.Intake == nil || s.App.API.Intake != s.App.Site.Intake {
		t.Error("the API and the pages don't share one gate")
	}
	large := strings.Repeat("x", intake.Credentials)
	for _, path := range []string{"/login/", "/api/users/tokens/provision/"} {
		for media, body := range map[string]string{"application/json": `{"username":"` + large + `"}`,
			"application/x-www-form-urlencoded": "username=" + large} {
			if strings.HasPrefix(path, "/api/") && media != "application/json" {
				continue
			}
			for name, row := range map[string]struct {
				body   io.Reader
				status int
				says   string
			}{
				"large": {strings.NewReader(body), http.StatusRequestEntityTooLarge, "The request body is larger than 4096 bytes."},
				"slow":  {late{}, http.StatusServiceUnavailable, "The request body did not arrive in time."},
			} {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, row.body)
				r.Header.Set("Content-Type", media)
				w := httptest.NewRecorder()
				s.App.Handler.ServeHTTP(w, r)
				if w.Code != row.status || !strings.Contains(w.Body.String(), row.says) {
					t.Errorf("%s, %s, %s: %d %s", path, media, name, w.Code, w.Body)
				}
			}
		}
	}
}
