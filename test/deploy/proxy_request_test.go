package deploy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/test/install"
)

// addresses: the log, the login limits and the known addresses of a user have the client's address, whatever the client
// claims. Nothing has the proxy's.
func (p *proxy) addresses(t *testing.T, pool *pgxpool.Pool) {
	client := p.client(t, "127.0.0.5")
	forged := http.Header{"X-Forwarded-For": {"203.0.113.9"}}
	body := install.Object{"username": "admin", "password": "right password"}
	client.Send(http.MethodPost, "/login/", forged, body).Want(t, http.StatusNoContent)
	body["password"] = "wrong password"
	client.Send(http.MethodPost, "/login/", forged, body).Want(t, http.StatusForbidden)
	logs := p.servers[0].Log() + p.servers[1].Log()
	if !strings.Contains(logs, "from=127.0.0.5") || strings.Contains(logs, "from=203.0.113.9") {
		t.Errorf("the log has other addresses than 127.0.0.5:\n%s", logs)
	}
	if n := install.Number(t, pool, "SELECT count(*) FROM users_login_address WHERE address::text LIKE '127.0.0.5%'"); n != 1 {
		t.Errorf("%d logins from 127.0.0.5 are known", n)
	}
	if n := install.Number(t, pool, "SELECT count(*) FROM users_login_address"); n != 1 {
		t.Errorf("logins from %d addresses are known", n)
	}
}

const largest = 16 << 20

// bodies: 16 MiB pass, and one byte more is refused by Terrier, in its own words. Links begin with the base URL.
func (p *proxy) bodies(t *testing.T, token string) {
	client := p.client(t, "127.0.0.8")
	site := `[{"name":"` + t.Name() + `","slug":"large"}]`
	padded := func(size int) string { return site[:1] + strings.Repeat(" ", size-len(site)) + site[1:] }
	var made []struct{ URL string }
	client.Do(http.MethodPost, "/api/dcim/sites/", token, padded(largest)).Want(t, http.StatusCreated).Read(t, &made)
	if len(made) != 1 || !strings.HasPrefix(made[0].URL, "https://"+host+"/api/dcim/sites/") {
		t.Errorf("created %v", made)
	}
	refused := client.Do(http.MethodPost, "/api/dcim/sites/", token, padded(largest+1)).Want(t, http.StatusRequestEntityTooLarge)
	if !strings.Contains(refused.Body, `"detail"`) {
		t.Errorf("not Terrier refused it: %s", refused.Body)
	}
	long := client.Get("/api/dcim/sites/?q="+strings.Repeat("x", 15<<10), token)
	if long.Header.Get("X-Request-ID") == "" {
		t.Errorf("an address of 15 KiB did not reach Terrier: %v", long)
	}
}
