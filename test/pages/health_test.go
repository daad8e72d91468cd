package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/doctor"
	"terrier/test/apitest"
)

const healthPage = "/system/health/"

// TestHealth: superusers see the outcome of every check, and nobody else does. The page visits no receiver unless it is
// asked to, but knows what the egress policy says of an address. It shows no secret.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	create(t, s, "/api/extras/webhooks/", obj{"name": "W " + evil, "payload_url": "http://127.0.0.1:9/path-canary", "secret": "secret-canary",
		"content_types": []string{"dcim.site"}, "type_create": true})
	admin := login(t, s, "admin")
	page := admin.get(t, healthPage).Want(t, http.StatusOK)
	for _, c := range doctor.Checks() {
		shows(t, page, `<tr id="`+c.ID()+`">`)
	}
	shows(t, page, "<code>terrier worker</code>", "docs/troubleshooting.md#fleet-workers", "no worker is alive",
		"other hosts were not asked", "127.0.0.1 is not a public address")
	shows(t, admin.get(t, "/"), `href="`+healthPage+`"`)

	asked := admin.send(t, http.MethodPost, healthPage, url.Values{}).Want(t, http.StatusOK)
	shows(t, asked, "127.0.0.1 is not a public address")
	for _, p := range []apitest.Answer{page, asked} {
		hides(t, p, "path-canary", "secret-canary", apitest.SecretKey, evil)
	}

	s.User(t, "operator", apitest.Grant{Types: []string{"users.user", "extras.webhook"}, Actions: []string{"view", "change"}})
	other := login(t, s, "operator")
	hides(t, other.get(t, "/"), healthPage)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other.send(t, method, healthPage, url.Values{}).Want(t, http.StatusForbidden)
	}
}

// TestHealthIsShared: whoever opens the page within some seconds gets the same run.
func TestHealthIsShared(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	admin.get(t, healthPage).Want(t, http.StatusOK)
	if _, err := s.DB.Exec(t.Context(), "INSERT INTO record_count (type, n) VALUES ('dcim.site', 5)"); err != nil {
		t.Fatal(err)
	}
	again := string(admin.get(t, healthPage).Want(t, http.StatusOK).Raw)
	if strings.Contains(again, "terrier recount") {
		t.Error("the checks ran again at once")
	}
}
