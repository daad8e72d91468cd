package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
	"terrier/test/mutual"
)

// TestClientCertificatePages: a pair is given in the form, kept by a blank key, and removed by its box. The page says until
// when the certificate is valid. No page has the key, not even the form that was refused with it.
func TestClientCertificatePages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	authority := mutual.New(t)
	certificate, key := authority.Client(t, "terrier", 48*time.Hour)
	expired, expiredKey := authority.Client(t, "terrier", -time.Minute)
	browsers := func(pem string) string { return strings.ReplaceAll(pem, "\n", "\r\n") }
	hidden := func(a apitest.Answer) apitest.Answer {
		t.Helper()
		for _, secret := range []string{key, expiredKey} {
			if strings.Contains(text(a), strings.Split(secret, "\n")[1]) {
				t.Errorf("a page has the key: %s", a.Raw)
			}
		}
		return a
	}
	refused := hidden(b.post(t, hooks+"add/", hookForm("client_certificate", browsers(expired), "client_key", browsers(key))))
	if refused.Want(t, http.StatusBadRequest); !strings.Contains(text(refused), "the key does not belong to the client certificate") {
		t.Errorf("another key: %s", refused.Raw)
	}
	made := hidden(b.post(t, hooks+"add/", hookForm("client_certificate", browsers(certificate), "client_key", browsers(key))))
	made.Want(t, http.StatusSeeOther)
	id := number(t, s, "SELECT id FROM extras_webhook WHERE client_key_sealed <> ''")
	path := fmt.Sprintf("%s%d/", hooks, id)
	kept := func() int64 {
		return number(t, s, "SELECT count(*) FROM extras_webhook WHERE client_certificate <> '' AND client_key_sealed <> ''")
	}
	until := time.Now().Add(48 * time.Hour).UTC().Format("2006-01-02")
	if page := text(hidden(b.get(t, path).Want(t, http.StatusOK))); !strings.Contains(page, "The client certificate is valid until") ||
		!strings.Contains(page, until) || !strings.Contains(page, "BEGIN CERTIFICATE") {
		t.Errorf("the page does not say that it is valid until %s: %s", until, page)
	}
	edit := text(hidden(b.get(t, path+"edit/").Want(t, http.StatusOK)))
	if !strings.Contains(edit, `<textarea class="form-control code-input" name="client_key"`) {
		t.Errorf("the form has no lines for the key: %s", edit)
	}
	hidden(b.post(t, path+"edit/", hookForm("client_certificate", browsers(certificate), "max_retries", "1"))).Want(t, http.StatusSeeOther)
	if kept() != 1 {
		t.Error("a blank key did not keep it")
	}
	older := hookForm("client_certificate", browsers(expired), "client_key", browsers(expiredKey))
	hidden(b.post(t, path+"preview/", older, live("webhook-preview")...)).Want(t, http.StatusOK)
	hidden(b.post(t, path+"preview/", older)).Want(t, http.StatusOK)
	b.post(t, path+"edit/", older).Want(t, http.StatusSeeOther)
	if page := text(hidden(b.get(t, path).Want(t, http.StatusOK))); !strings.Contains(page, "Client certificate expired") {
		t.Errorf("the page does not say that it has expired: %s", page)
	}
	for _, export := range []string{"csv", "json", "yaml"} {
		hidden(b.get(t, hooks+"export/?format="+export))
	}
	b.post(t, path+"edit/", hookForm("client_key__clear", "true")).Want(t, http.StatusSeeOther)
	if kept() != 0 || number(t, s, "SELECT count(*) FROM extras_webhook WHERE client_key_sealed <> ''") != 0 {
		t.Error("the pair was not removed")
	}
}
