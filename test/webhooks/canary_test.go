package webhooks_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/install"
)

// TestSecretsOfWebhooksAppearNowhere uses the secrets of webhooks in every possible way, and looks for them in
// everything that is kept or shown afterwards.
func TestSecretsOfWebhooksAppearNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "LOG_LEVEL=debug", "WEBHOOK_TIMEOUT=5s")
	worker := w.Work()
	secret := &install.Canaries{T: t}
	marker := "visible-" + install.RandomHex(8) // proves that the search below would find something

	w.keepJobs()

	// Each kind of delivery, with secrets in every field that may have them.
	private := func(use string) object {
		return object{"secret": secret.Password("the secret of " + use), "previous_secret": secret.Password("the former secret of " + use),
			"additional_headers": fmt.Sprintf("Authorization: Bearer %s\nX-Mixed: {{ data.slug }} %s", secret.Password("a header of "+use),
				secret.Password("a template of "+use))}
	}
	with := func(fields object, more ...any) object {
		for i := 0; i < len(more); i += 2 {
			fields[more[i].(string)] = more[i+1]
		}
		return fields
	}
	w.receiver.answerStatus("/500", http.StatusInternalServerError)
	w.receiver.answer("/retry", func(int, *http.Request) reply {
		return reply{status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"1"}}}
	})
	echo := func(status int) func(int, *http.Request) reply {
		return func(_ int, r *http.Request) reply {
			headers, _ := json.Marshal(r.Header) // a map of texts
			whole := string(headers) + r.Header.Get("Authorization") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			return reply{status: status, header: http.Header{"X-Echo": {r.Header.Get("Authorization")}, "X-All": {string(headers)}},
				body: whole + marker}
		}
	}
	w.receiver.answer("/echo", echo(http.StatusOK))
	w.receiver.answer("/refusing-echo", echo(http.StatusTeapot))
	w.receiver.hold("/hang")
	headers := private("a success")
	hooks := []int64{
		w.hook("/ok", headers),
		w.hook("/500", private("a refusal")),
		w.hook("/retry", with(private("a retry"), "max_retries", 1)),
		w.hook("/hang", private("a hanging receiver")),
		w.hook("/template", with(private("a failing template"), "body_template", "{{ data.nothing.deeper }}")),
		w.hook("/header", with(private("a failing header"), "additional_headers",
			fmt.Sprintf("X-A: %s {{ data.nothing.deeper }}", secret.Password("a header that fails")))),
		w.hook("/injected", with(private("an injected header"), "additional_headers",
			fmt.Sprintf("X-A: %s {{ data.comments }}", secret.Password("a header with a line break")))),
		w.hook("/echo", private("a receiver that repeats")),
		w.hook("/refusing-echo", with(private("a receiver that repeats and refuses"), "body_template", "{{ data.slug }}")),
		w.hook("/standard", with(private("standard headers"), "standard_headers", true,
			"secret", secret.Watch("the secret of Standard Webhooks", "whsec_"+base64.StdEncoding.EncodeToString([]byte(install.RandomHex(16)))))),
		w.hook("/denied", with(private("a forbidden address"), "payload_url", "http://10.255.255.1/")),
		w.hook("/closed", with(private("a closed port"), "payload_url", closedPort(t))),
	}
	s := w.site(object{"description": marker, "comments": "a\r\nb"})
	for i, hook := range hooks {
		if d := w.only(hook); i == 0 {
			d.want(t, "successful", "")
		}
	}
	// The receiver got them, as they are.
	got := w.receiver.at("/ok")[0].whole()
	for _, line := range strings.Split(headers["additional_headers"].(string), "\n") {
		if value := line[strings.LastIndex(line, " ")+1:]; !strings.Contains(got, value) {
			t.Errorf("the receiver did not get a header")
		}
	}

	// Webhooks, changed and refused.
	first := fmt.Sprintf("%s%d/", webhooksPath, hooks[1])
	expect := func(status int, method, path string, body any) {
		t.Helper()
		a := w.server.Do(method, path, w.admin, body).Want(t, status)
		if status >= 400 { // a successful answer shows the headers to those who may change them
			secret.Absent(fmt.Sprintf("the answer to %s %s", method, path), a.Body)
		}
	}
	expect(http.StatusOK, http.MethodPatch, first, private("a change"))
	expect(http.StatusOK, http.MethodPatch, first, object{"secret": ""})
	w.signs("/500", "")
	bad := func(field string, value any) {
		t.Helper()
		expect(http.StatusBadRequest, http.MethodPatch, first, with(private("a change with a bad "+field), field, value))
	}
	bad("payload_url", "ftp://x/")
	bad("secret", []string{secret.Password("a secret in a list")})
	bad("secret", object{"x": secret.Password("a secret in an object")})
	bad("additional_headers", "no colon "+secret.Password("a line without a colon"))
	bad("additional_headers", "X-Hook-Signature: "+secret.Password("a reserved header"))
	bad("additional_headers", "X-A: {{ "+secret.Password("a template that is not one"))
	bad("additional_headers", "X-A: "+secret.Password("a header twice")+"\nX-A: "+secret.Password("a header twice, again"))
	bad("additional_headers", []string{"X-A: " + secret.Password("headers in a list")})
	expect(http.StatusBadRequest, http.MethodPost, webhooksPath, fmt.Sprintf(`{"secret": "%s", }`, secret.Password("broken JSON")))
	expect(http.StatusBadRequest, http.MethodGet, webhooksPath+"?secret="+secret.Password("a secret as a filter"), nil)
	expect(http.StatusNoContent, http.MethodDelete, fmt.Sprintf("%s%d/", webhooksPath, hooks[2]), nil)
	s.update(object{"description": marker + " again"})
	for i, hook := range hooks {
		if i != 2 {
			w.ended(hook, 2)
		}
	}

	// What is shown.
	shown := w.do(http.MethodGet, deliveriesPath+"?limit=0", nil).Body + w.do(http.MethodGet, "/api/extras/object-changes/?limit=0",
		nil).Body +
		w.do(http.MethodGet, "/api/extras/queues/", nil).Body
	for _, hook := range hooks {
		for _, d := range w.deliveries(hook) {
			shown += w.do(http.MethodGet, deliveriesPath+d.ID+"/", nil).Body
		}
	}
	secret.Absent("the deliveries, their attempts and the change log", shown)
	if !strings.Contains(shown, "•••"+marker) {
		t.Errorf("the answers of the receiver that repeats are not shown: the search proves nothing")
	}
	for _, name := range []string{`"Authorization":["•••"]`, `"X-Mixed":["•••"]`} {
		if !strings.Contains(strings.ReplaceAll(shown, " ", ""), name) {
			t.Errorf("the attempts do not name the header %s", name)
		}
	}
	// Headers are for those who may change the webhook; secrets for nobody.
	secrets := &install.Canaries{T: t}
	for _, c := range secret.List {
		if strings.Contains(c.Use, "secret") {
			secrets.List = append(secrets.List, c)
		}
	}
	secrets.Absent("the webhooks, shown to an administrator", w.do(http.MethodGet, webhooksPath+"?limit=0", nil).Body)
	w.do(http.MethodPost, "/api/users/users/", object{"username": "viewer", "password": "right password"})
	w.do(http.MethodPost, "/api/users/permissions/", object{"name": "view",
		"object_types": []string{"extras.webhook", "extras.delivery"}, "actions": []string{"view"}, "users": []int{2}})
	viewer := w.Token("viewer")
	seen := w.server.Get(webhooksPath+"?limit=0", viewer).Want(t, http.StatusOK).Body
	for _, d := range w.deliveries(hooks[0]) {
		seen += w.server.Get(deliveriesPath+d.ID+"/", viewer).Want(t, http.StatusOK).Body
	}
	secret.Absent("what a viewer sees", seen)
	if strings.Contains(seen, marker) {
		t.Errorf("a viewer sees what was sent: %s", seen)
	}

	// What is kept, and the jobs.
	var jobs string
	if err := w.db.QueryRow(t.Context(), "SELECT string_agg(j::text, E'\n') FROM ended_job j").Scan(&jobs); err != nil {
		t.Fatal(err)
	}
	secret.Absent("the jobs", jobs)
	dump := install.Dump(t, w.database)
	secret.Absent("the dump", dump)
	w.server.Stop()
	worker.Stop()
	secret.Absent("the log of the server", w.server.Log())
	secret.Absent("the log of the worker", worker.Log())

	for where, text := range map[string]string{"the API": shown, "the dump": dump} {
		if !strings.Contains(text, marker) {
			t.Errorf("%s lacks what it should hold: the search proves nothing", where)
		}
	}
	for where, text := range map[string]string{w.server.Log(): "path=" + webhooksPath, worker.Log(): "delivery attempted",
		jobs: `"delivery"`} {
		if !strings.Contains(where, text) {
			t.Errorf("a log or the jobs lack %q: the search proves nothing", text)
		}
	}
	t.Logf("%d secrets in none of %d bytes of answers, %d of dump, %d of jobs, %d of logs", len(secret.List), len(shown)+len(seen),
		len(dump), len(jobs), len(w.server.Log())+len(worker.Log()))
}
