package pages_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestWebhookDefaults: a webhook that does not say how often it is retried, and whether it holds, gets what the settings say when it is
// created, wherever that is: by the API, by an import, from the command line; a form begins with it. It is stored: no later request
// changes it unless it says so. Without the settings it is one attempt, and a form recommends more.
func TestWebhookDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		retries, formRetries int
		hold, formHold       bool
	}{{0, 10, false, true}, {7, 7, true, true}, {3, 3, false, false}} {
		t.Run(fmt.Sprint(c.retries, c.hold), func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, func(cfg *app.Config) { cfg.WebhookMaxRetries, cfg.WebhookHold = c.retries, c.hold })
			b := login(t, s, "admin")
			const hooks = "/api/extras/webhooks/"
			body := func(name string, pairs ...any) obj {
				made := obj{"name": name, "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": "https://9.9.9.9/"}
				for i := 0; i < len(pairs); i += 2 {
					made[pairs[i].(string)] = pairs[i+1]
				}
				return made
			}
			do := func(method, path string, body any, want int) apitest.Answer {
				t.Helper()
				return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body}).Want(t, want)
			}
			has := func(name string, retries int, hold bool) {
				t.Helper()
				found := do("GET", hooks+"?name="+name, nil, http.StatusOK).Page(t).Results
				if len(found) != 1 || found[0]["max_retries"] != float64(retries) || found[0]["hold_on_failure"] != hold {
					t.Errorf("%s: %v, want %d retries and hold %v", name, found, retries, hold)
				}
			}
			said := apitest.ID(do("POST", hooks, body("said", "max_retries", 2, "hold_on_failure", !c.hold), http.StatusCreated).Object(t))
			unsaid := apitest.ID(do("POST", hooks, body("unsaid"), http.StatusCreated).Object(t))
			do("POST", hooks, []obj{body("one"), body("none", "max_retries", 0, "hold_on_failure", false)}, http.StatusCreated)
			b.paste(t, "/extras/webhooks/import/", "name,content_types,type_create,payload_url\ntyped,dcim.site,true,https://9.9.9.9/\n", "import").
				Want(t, http.StatusSeeOther)
			if _, err := s.App.CreateWebhook(t.Context(), app.NewWebhook{Name: "command", URL: "https://9.9.9.9/", Types: []string{"dcim.site"},
				Events: []string{"create"}}); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"unsaid", "one", "typed", "command"} {
				has(name, c.retries, c.hold)
			}
			has("none", 0, false)

			do("PUT", fmt.Sprintf("%s%d/", hooks, said), body("said"), http.StatusOK)
			do("PATCH", fmt.Sprintf("%s%d/", hooks, said), obj{"enabled": false}, http.StatusOK)
			has("said", 2, !c.hold)
			do("PATCH", fmt.Sprintf("%s%d/", hooks, unsaid), obj{"max_retries": 1}, http.StatusOK)
			do("PUT", hooks, []obj{body("unsaid", "id", unsaid)}, http.StatusOK)
			has("unsaid", 1, c.hold)

			form := b.get(t, "/extras/webhooks/add/").Want(t, http.StatusOK)
			retries := regexp.MustCompile(`<input[^>]* name="max_retries"[^>]*>`).FindString(string(form.Raw))
			hold := regexp.MustCompile(`<input[^>]* name="hold_on_failure"[^>]*>`).FindString(string(form.Raw))
			if !strings.Contains(retries, fmt.Sprintf(`value="%d"`, c.formRetries)) || strings.Contains(hold, "checked") != c.formHold {
				t.Errorf("the form begins with %s and %s", retries, hold)
			}
		})
	}
}
