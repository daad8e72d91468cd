package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestBodyThatIsNotJSON: a body that is not valid JSON, under a content type that is, is reported where it can be corrected: in the
// preview, in the form, when the webhook is saved (page and API), and with what was sent.
func TestBodyThatIsNotJSON(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "Braga 1", "active")
	const wrong, right = `{"a": {{ data.name }} }`, `{"a": {{ data.name | tojson }} }`
	const says = "The body is not valid JSON, although the content type is application/json: see line 1, character 7."
	form := hookForm("name", "wrong", "body_template", wrong, "sample", lastChange(t, s))
	shows(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "Would be sent", says)
	form.Set("body_template", right)
	hides(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "not valid JSON")
	form.Set("body_template", wrong)
	form.Set("http_content_type", "text/plain")
	hides(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "not valid JSON")

	// Saved by the API and by the form.
	call := apitest.Call{Method: "POST", Path: "/api/extras/webhooks/", Token: s.Admin,
		Body: saved(obj{"name": "wrong", "body_template": wrong})}
	made := s.Do(t, call).Want(t, http.StatusCreated)
	if got := made.Header.Get("Warning"); !strings.Contains(got, "The body is not valid JSON") {
		t.Errorf("the API warns of %q", got)
	}
	hook := apitest.ID(made.Object(t))
	path := fmt.Sprintf("%s%d/", hooks, hook)
	shows(t, b.get(t, path+"edit/").Want(t, http.StatusOK), says)
	mend := b.post(t, path+"edit/", hookForm("name", "wrong", "body_template", right)).Want(t, http.StatusSeeOther)
	if got := note(t, b, mend); strings.Contains(got, "JSON") {
		t.Errorf("a good template is warned of: %s", got)
	}
	hides(t, b.get(t, path+"edit/"), "not valid JSON")
	broken := b.post(t, path+"edit/", hookForm("name", "wrong", "body_template", wrong)).Want(t, http.StatusSeeOther)
	if got := note(t, b, broken); !strings.Contains(got, "The body is not valid JSON") {
		t.Errorf("the note is %q", got)
	}

	// What was sent.
	newSite(t, s, "Braga 2", "active")
	id := number(t, s, "SELECT max(id) FROM extras_delivery WHERE webhook_id = $1", hook)
	sent := func(contentType string) {
		for _, query := range []string{"DELETE FROM extras_attempt WHERE $2 <> ''",
			`INSERT INTO extras_attempt SELECT id, changed_at, changed_at + interval '1 s', 12, 'POST', 'https://receiver.example/hook',
				jsonb_build_object('Content-Type', jsonb_build_array($2::text))::text::json, convert_to('{"a": Braga 1 }', 'UTF8'), 200, '{}', '',
				FALSE, '' FROM extras_delivery WHERE id = $1`} {
			if _, err := s.DB.Exec(t.Context(), strings.ReplaceAll(query, "WHERE $2", "WHERE $1::bigint > 0 AND $2"), id, contentType); err != nil {
				t.Fatal(err)
			}
		}
	}
	sent("application/json")
	at := "/extras/deliveries/" + s.App.Registry.Type("extras.delivery").FormatID(id) + "/"
	shows(t, b.get(t, at).Want(t, http.StatusOK), says)
	sent("text/plain")
	hides(t, b.get(t, at).Want(t, http.StatusOK), "not valid JSON")
}
