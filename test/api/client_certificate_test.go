package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
	"terrier/test/mutual"
)

// TestClientCertificates: a client certificate and its key are saved as a pair, the key is never shown, and what is wrong
// with either is said under its field.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	authority := mutual.New(t)
	certificate, key := authority.Client(t, "terrier", time.Hour)
	next, nextKey := authority.Client(t, "terrier", 2*time.Hour)
	id := admin.create(t, webhooks, hook("w"))
	encrypted := "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n"
	for _, step := range []struct {
		name    string
		body    obj
		field   string // "" where it is saved
		message string // a part of it
	}{
		{"a certificate alone", obj{"client_certificate": certificate}, "client_key", "give its key too"},
		{"a key alone", obj{"client_key": key}, "client_certificate", "give its certificate too"},
		{"words", obj{"client_certificate": "x", "client_key": key}, "client_certificate", "-----BEGIN CERTIFICATE-----"},
		{"words as a key", obj{"client_certificate": certificate, "client_key": "x"}, "client_key", "-----BEGIN PRIVATE KEY-----"},
		{"the key in the wrong place", obj{"client_certificate": key, "client_key": certificate}, "client_certificate",
			"give the key as client_key"},
		{"another key", obj{"client_certificate": certificate, "client_key": nextKey}, "client_key", "does not belong to"},
		{"a key with a passphrase", obj{"client_certificate": certificate, "client_key": encrypted}, "client_key", "openssl pkey -in"},
		{"a pair", obj{"client_certificate": certificate, "client_key": key}, "", ""},
		{"something else", obj{"max_retries": 1}, "", ""},
		{"null keeps the key", obj{"client_key": nil}, "", ""},
		{"the certificate of another key", obj{"client_certificate": next}, "client_key", "does not belong to"},
		{"the next key alone", obj{"client_key": nextKey}, "client_key", "does not belong to"},
		{"no certificate", obj{"client_certificate": ""}, "client_certificate", "remove the key"},
		{"no key", obj{"client_key": ""}, "client_key", "remove the certificate"},
		{"the next pair", obj{"client_certificate": next, "client_key": nextKey}, "", ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			answer := admin.do(t, "PATCH", at(webhooks, id), step.body)
			for _, secret := range []string{key, nextKey} {
				if strings.Contains(string(answer.Raw), strings.Split(secret, "\n")[1]) {
					t.Errorf("the answer holds a key: %s", answer.Raw)
				}
			}
			if step.field == "" {
				answer.Want(t, http.StatusOK)
				return
			}
			errs := answer.Want(t, http.StatusBadRequest).Object(t)
			messages, _ := errs[step.field].([]any)
			if len(errs) != 1 || len(messages) != 1 || !strings.Contains(messages[0].(string), step.message) {
				t.Errorf("refused with %v, want %s: %s", errs, step.field, step.message)
			}
		})
	}
	if got := admin.get(t, at(webhooks, id)).Object(t); got["client_certificate"] != strings.TrimSpace(next) || got["client_key"] != nil {
		t.Errorf("read as %v, %v", got["client_certificate"], got["client_key"])
	}
	if hits := inTables(t, s, strings.Split(nextKey, "\n")[1]); len(hits) > 0 {
		t.Errorf("the key is in %v", hits)
	}
	admin.patch(t, webhooks, id, obj{"client_certificate": "", "client_key": ""})
	if left := one[string](t, s, "SELECT client_key_sealed FROM extras_webhook"); left != "" {
		t.Errorf("%q is left of the key", left)
	}
	if rotated := one[int64](t, s, "SELECT count(*) FROM extras_auditevent WHERE event = 'secret_rotated'"); rotated != 3 {
		t.Errorf("the audit log has %d changes of the key, want 3", rotated)
	}
}
