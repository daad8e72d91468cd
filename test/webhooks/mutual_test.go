package webhooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/test/install"
	"terrier/test/mutual"
)

// TestReceiverDemandsACertificate: a receiver that demands a client certificate gets it from the worker, and says whose it
// is. Without one the delivery says what is missing. The keys are in nothing that is kept, logged or shown.
func TestReceiverDemandsACertificate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "LOG_LEVEL=debug")
	worker := w.Work()
	w.keepJobs()
	authority, keys := mutual.New(t), &install.Canaries{T: t}
	receiver := authority.Receiver(t)
	with := func(by *mutual.Authority, name string) object {
		certificate, key := by.Client(t, name, time.Hour)
		keys.Watch("the key of "+name, strings.Split(key, "\n")[1])
		return object{"payload_url": receiver.URL + "/", "ssl_verification": false, "client_certificate": certificate, "client_key": key}
	}
	first, second := w.hook("/", with(authority, "the first")), w.hook("/", with(authority, "the second"))
	stranger := w.hook("/", with(mutual.New(t), "a stranger"))
	nobody := w.hook("/", object{"payload_url": receiver.URL + "/", "ssl_verification": false})
	site := w.site(nil)
	seen := func(hook int64, changes int, name string) {
		t.Helper()
		for _, d := range w.ended(hook, changes) {
			got := w.do(http.MethodGet, deliveriesPath+d.ID+"/", nil).Body
			if d.State.Value != "successful" || !strings.Contains(got, `"`+name+`"`) {
				t.Errorf("the receiver answers to %q: %s", name, got)
			}
		}
	}
	seen(first, 1, "the first")
	seen(second, 1, "the second")
	w.only(nobody).want(t, "failed", "the receiver demands a client certificate: give the webhook one, with client_certificate and client_key")
	w.only(stranger).want(t, "failed", "it does not accept the client certificate")

	renewed := with(authority, "the renewed")
	w.change(second, renewed)
	bad := with(authority, "the refused")
	bad["client_certificate"] = renewed["client_certificate"]
	place := fmt.Sprintf("%s%d/", webhooksPath, first)
	keys.Absent("a refusal", w.server.Do(http.MethodPatch, place, w.admin, bad).Want(t, http.StatusBadRequest).Body)
	site.update(object{"description": "renewed"})
	seen(first, 2, "the first")
	if got := w.delivery(w.ended(second, 2)[0].ID); got.State.Value != "successful" {
		t.Errorf("with the renewed certificate: %s", got.Reason)
	}

	var shown strings.Builder
	for _, path := range []string{webhooksPath + "?limit=0", place, deliveriesPath + "?limit=0", "/api/extras/object-changes/?limit=0",
		"/api/extras/audit-events/?limit=0"} {
		shown.WriteString(w.do(http.MethodGet, path, nil).Body)
	}
	keys.Absent("the API", shown.String())
	var jobs string
	if err := w.db.QueryRow(t.Context(), "SELECT string_agg(j::text, E'\n') FROM ended_job j").Scan(&jobs); err != nil {
		t.Fatal(err)
	}
	keys.Absent("the jobs", jobs)
	dump := install.Dump(t, w.database)
	keys.Absent("the dump", dump)
	w.server.Stop()
	worker.Stop()
	keys.Absent("the log of the server", w.server.Log())
	keys.Absent("the log of the worker", worker.Log())
	for where, text := range map[string]string{"the dump": dump, "the API": shown.String()} {
		if !strings.Contains(text, "BEGIN CERTIFICATE") {
			t.Errorf("%s lacks the certificates, so the search proves nothing", where)
		}
	}
}
