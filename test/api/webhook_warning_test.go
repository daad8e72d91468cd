package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestWebhookWarning: a webhook whose address the egress policy refuses is saved, and the answer to whoever creates or changes it, alone or
// among others, has a Warning header with the reason and what to set. Other webhooks and other types have none.
func TestWebhookWarning(t *testing.T) {
	t.Parallel()
	const private, loopback, metadata = "http://10.1.2.3/", "http://localhost:9000/", "http://169.254.169.254/"
	for allow, warns := range map[string]map[string]string{
		"none":    {private: "set TERRIER_EGRESS_ALLOW=10.1.2.3/32", loopback: "127.0.0.1/32", metadata: "never allowed"},
		"private": {private: "", loopback: "127.0.0.1/32 (or its network) to TERRIER_EGRESS_ALLOW", metadata: "never allowed"},
		"":        {private: "", loopback: "set TERRIER_EGRESS_ALLOW=private,127.0.0.1/32", metadata: "never allowed"},
	} {
		t.Run(allow, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, func(c *app.Config) { c.EgressAllow = allow })
			do := func(method, path string, body any, want int, warnings ...string) apitest.Answer {
				t.Helper()
				a := s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body}).Want(t, want)
				got := a.Header.Values("Warning")
				if len(got) != len(warnings) {
					t.Fatalf("%s %s: warnings %q, want %q", method, path, got, warnings)
				}
				for i, text := range warnings {
					if !strings.HasPrefix(got[i], `199 - "`) || !strings.Contains(got[i], text) || !strings.HasSuffix(got[i], `."`) {
						t.Errorf("%s %s: the warning is %s, want %q", method, path, got[i], text)
					}
				}
				return a
			}
			hook := func(url string) obj {
				return obj{"name": "hook " + url, "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": url}
			}
			const hooks = "/api/extras/webhooks/"
			for url, text := range warns {
				var want []string
				if text != "" {
					want = []string{text}
				}
				path := fmt.Sprintf("%s%d/", hooks, apitest.ID(do("POST", hooks, hook(url), http.StatusCreated, want...).Object(t)))
				do("PATCH", path, obj{"enabled": false}, http.StatusOK, want...)
				do("PATCH", path, obj{"payload_url": "https://9.9.9.9/"}, http.StatusOK)
				do("PUT", path, hook(url), http.StatusOK, want...)
				do("GET", path, nil, http.StatusOK)
			}
			both := do("POST", hooks, []obj{hook(metadata + "1"), hook("https://9.9.9.9/"), hook(metadata + "2")}, http.StatusCreated,
				"never allowed", "never allowed").List(t)
			if got := do("PATCH", hooks, []obj{{"id": both[2]["id"], "enabled": false}, {"id": both[1]["id"], "enabled": false}}, http.StatusOK,
				"never allowed").Header.Get("Warning"); !strings.Contains(got, fmt.Sprintf(`"webhook %v: `, both[2]["id"])) {
				t.Errorf("the warning does not say which webhook it is about: %s", got)
			}
			do("POST", "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"}, http.StatusCreated)
		})
	}
}
