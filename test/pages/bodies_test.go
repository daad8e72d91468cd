package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/intake"
	"terrier/test/apitest"
)

// TestPagesForEverybodyTakeSmallForms: what needs no permission takes no large body: own password, own tokens.
func TestPagesForEverybodyTakeSmallForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "nobody")
	nobody, admin := login(t, s, "nobody"), login(t, s, "admin")
	large := strings.Repeat("x", intake.Small)
	for _, path := range []string{"/user/tokens/add/", "/users/tokens/add/", "/users/tokens/import/", "/user/password/", "/api/users/tokens/"} {
		nobody.post(t, path, url.Values{"description": {large}, "_method": {"POST"}, "_content": {"{}"}}).Want(t, http.StatusRequestEntityTooLarge)
	}
	shows(t, nobody.upload(t, "/users/tokens/import/", "x.csv", large, "mode", "check").Want(t, http.StatusRequestEntityTooLarge), "larger than 65536 bytes")
	// Whoever was given the right may send more.
	admin.post(t, "/users/tokens/import/", url.Values{"text": {"description\n" + large}, "mode": {"check"}}).Want(t, http.StatusBadRequest)
	long := admin.post(t, "/dcim/sites/import/", url.Values{"text": {"slug,name\na," + strings.Repeat("x", 15<<20)}, "mode": {"check"}})
	shows(t, long.Want(t, http.StatusBadRequest), "no more than")
}
