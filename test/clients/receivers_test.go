// Package clients_test sends real deliveries to the sample receivers of examples/receivers. test/clients/run starts the
// server, which also works, and sets the environment.
package clients_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"terrier/examples/receivers"
)

const patience = 30 * time.Second

// server is a running Terrier, seen through its API.
type server struct{ base, token string }

func connect(t *testing.T) server {
	t.Helper()
	s := server{base: os.Getenv("TERRIER_CLIENT_URL") + "/api/"}
	if s.base == "/api/" {
		t.Skip("TERRIER_CLIENT_URL is not set: test/clients/run starts a server and sets it")
	}
	var token struct{ Key string }
	s.do(t, http.MethodPost, "users/tokens/provision/", object{"username": "admin", "password": os.Getenv("TERRIER_CLIENT_PASSWORD")}, &token)
	s.token = token.Key
	return s
}

type object map[string]any

func (s server) do(t *testing.T, method, path string, body object, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		request.Header.Set("Authorization", "Token "+s.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s (%v)", method, path, response.StatusCode, answer, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatal(err)
	}
}

type record struct{ ID int64 }

type delivery struct {
	ID           string
	State        struct{ Value string }
	StatusCode   int `json:"status_code"`
	AttemptCount int `json:"attempt_count"`
	Attempts     []struct {
		Request struct {
			Headers http.Header
			Body    string
		}
	}
}

// ended waits until the delivery of one change of a site has been tried so often and is no longer queued.
func (s server) ended(t *testing.T, webhook, site record, sequence, attempts int) delivery {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	path := fmt.Sprintf("extras/deliveries/?webhook_id=%d&object_id=%d&sequence=%d", webhook.ID, site.ID, sequence)
	for {
		var page struct{ Results []delivery }
		s.do(t, http.MethodGet, path, nil, &page)
		if len(page.Results) != 1 {
			t.Fatalf("%s: %d deliveries, want 1", path, len(page.Results))
		}
		d := page.Results[0]
		if d.AttemptCount == attempts && d.State.Value != "queued" {
			s.do(t, http.MethodGet, "extras/deliveries/"+d.ID+"/", nil, &d)
			return d
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("delivery %s is %s after %d attempts", d.ID, d.State.Value, d.AttemptCount)
		}
	}
}

func (d delivery) want(t *testing.T, state string, statuses ...int) {
	t.Helper()
	for _, status := range statuses {
		if d.State.Value == state && d.StatusCode == status {
			return
		}
	}
	t.Fatalf("delivery %s is %s with status %d, want %s with one of %v", d.ID, d.State.Value, d.StatusCode, state, statuses)
}

func newSecret(of string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(of, 32)[:32]))
}

func TestReceivers(t *testing.T) {
	t.Parallel()
	s := connect(t)
	for _, name := range receivers.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testReceiver(t, s, name)
		})
	}
}

func testReceiver(t *testing.T, s server, name string) {
	right, wrong := newSecret("right"), newSecret("wrong")
	sample := receivers.Start(t, name, right)
	var webhook, site record
	s.do(t, http.MethodPost, "extras/webhooks/", object{"name": "receiver " + name, "payload_url": sample.URL, "secret": right,
		"content_types": []string{"dcim.site"}, "type_create": true, "type_update": true, "standard_headers": true,
		// The others' sites are none of its business.
		"conditions": object{"attr": "slug", "value": "receiver-" + name}}, &webhook)
	change := func(what string) {
		t.Helper()
		s.do(t, http.MethodPatch, fmt.Sprintf("dcim/sites/%d/", site.ID), object{"description": what}, &site)
	}
	secrets := func(current, previous string) {
		t.Helper()
		s.do(t, http.MethodPatch, fmt.Sprintf("extras/webhooks/%d/", webhook.ID),
			object{"secret": current, "previous_secret": previous}, &webhook)
	}
	accepted := func(sequence, attempts int) delivery {
		t.Helper()
		d := s.ended(t, webhook, site, sequence, attempts)
		d.want(t, "successful", http.StatusOK, http.StatusNoContent)
		sample.Wait(t, fmt.Sprintf("accepted %s seq %d", d.ID, sequence))
		return d
	}

	s.do(t, http.MethodPost, "dcim/sites/", object{"name": "Zürich \"" + name + "\"\n", "slug": "receiver-" + name}, &site)
	accepted(1, 1)
	change("Größe & <b>")
	accepted(2, 1)

	secrets(wrong, "")
	change("refused at first")
	failed := s.ended(t, webhook, site, 3, 1)
	failed.want(t, "failed", http.StatusUnauthorized)
	sample.Wait(t, sample.Refusal)

	secrets(right, "")
	var again delivery
	s.do(t, http.MethodPost, "extras/deliveries/"+failed.ID+"/retry/", nil, &again)
	if again.ID != failed.ID || again.State.Value != "queued" {
		t.Errorf("the retry of %s answers %s, %s", failed.ID, again.ID, again.State.Value)
	}
	resent(t, accepted(3, 2))

	// The sample has not heard of the new secret yet.
	secrets(newSecret("new"), right)
	change("rotation")
	accepted(4, 1)
}

// resent looks at the two requests of a delivery: they differ by the secret and the time only.
func resent(t *testing.T, d delivery) {
	t.Helper()
	if len(d.Attempts) != 2 {
		t.Fatalf("delivery %s has %d attempts, want 2", d.ID, len(d.Attempts))
	}
	first, second := d.Attempts[0].Request, d.Attempts[1].Request
	if first.Body == "" || first.Body != second.Body {
		t.Errorf("the body was\n%s\nand is\n%s", first.Body, second.Body)
	}
	if first.Headers.Get("X-Hook-Signature") == second.Headers.Get("X-Hook-Signature") {
		t.Error("the signature is the same with another secret")
	}
	for _, name := range []string{"X-Hook-Delivery", "Webhook-Id"} {
		if first.Headers.Get(name) != d.ID || second.Headers.Get(name) != d.ID {
			t.Errorf("%s was %q and is %q, want %q", name, first.Headers.Get(name), second.Headers.Get(name), d.ID)
		}
	}
}
