package receivers

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A secret of more than 128 bytes is hashed before it is a key; the short one is not.
var (
	shortSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a key of 24 bytes, \xff or so"))
	longSecret  = "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("long"), 30))
)

// event is a request as Terrier sends it. The tests sign it themselves, by the contract and not by Terrier's code.
type event struct {
	delivery, sequence, body string
	at                       time.Time
	secrets                  []string // the current one, and the previous one during a rotation
}

func body(model string, id int) string {
	// The blanks, the escapes and the newline are there to be lost by a receiver that does not verify the raw bytes.
	return fmt.Sprintf("{\"event\": \"updated\",\"model\":%q, \"data\":{\"id\":%d,\"name\":\"Z\\u00fcrich \\/ Zürich\"} }\n", model, id)
}

func newEvent(secret string, sequence int, body string) event {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	id := fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	return event{delivery: id, sequence: strconv.Itoa(sequence), body: body, at: time.Now(), secrets: []string{secret}}
}

func (e event) headers() http.Header {
	stamp := strconv.FormatInt(e.at.Unix(), 10)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-Hook-Delivery", e.delivery)
	h.Set("X-Hook-Sequence", e.sequence)
	h.Set("X-Hook-Timestamp", stamp)
	h.Set("Webhook-Id", e.delivery)
	h.Set("Webhook-Timestamp", stamp)
	var standard []string
	for i, secret := range e.secrets {
		mac := hmac.New(sha512.New, []byte(secret))
		mac.Write([]byte(e.body))
		h.Set([]string{"X-Hook-Signature", "X-Hook-Signature-Previous"}[i], hex.EncodeToString(mac.Sum(nil)))

		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac = hmac.New(sha256.New, key)
		mac.Write([]byte(e.delivery + "." + stamp + "." + e.body))
		standard = append(standard, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if standard != nil {
		h.Set("Webhook-Signature", strings.Join(standard, " "))
	}
	return h
}

func (e event) signedWith(secrets ...string) event { e.secrets = secrets; return e }

func post(t *testing.T, url string, headers http.Header, body string) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = headers
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// checked is a sample that is held to what it should say.
type checked struct{ *Sample }

func (s checked) accepts(t *testing.T, e event) {
	t.Helper()
	s.takes(t, e, "accepted "+e.delivery+" seq "+e.sequence)
}

func (s checked) takes(t *testing.T, e event, line string) {
	t.Helper()
	if status := post(t, s.URL, e.headers(), e.body); status != http.StatusNoContent && status != http.StatusOK {
		t.Errorf("answered %d", status)
	}
	s.Wait(t, line)
}

func (s checked) refuses(t *testing.T, headers http.Header, body, line string) {
	t.Helper()
	if status := post(t, s.URL, headers, body); status != http.StatusUnauthorized {
		t.Errorf("answered %d", status)
	}
	s.Wait(t, line)
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for length, secret := range map[string]string{"short secret": shortSecret, "long secret": longSecret} {
			t.Run(name+"/"+length, func(t *testing.T) {
				t.Parallel()
				s := checked{Start(t, name, secret)}
				testSignatures(t, s, secret)
				testNews(t, s, secret)
			})
		}
	}
}

func testSignatures(t *testing.T, s checked, secret string) {
	const other = "whsec_b3RoZXI="
	e := newEvent(secret, 1, body("site", 1))
	s.refuses(t, e.signedWith(other).headers(), e.body, s.Refusal)
	s.refuses(t, e.signedWith().headers(), e.body, s.Refusal)
	s.refuses(t, e.signedWith(other, other).headers(), e.body, s.Refusal)
	s.refuses(t, e.headers(), strings.TrimSuffix(e.body, "\n"), s.Refusal)
	s.refuses(t, e.headers(), strings.Replace(e.body, "updated", "deleted", 1), s.Refusal)
	odd := e.headers()
	odd.Set("X-Hook-Signature", "\xff\xfe")
	odd.Set("Webhook-Signature", "v1,\xff")
	s.refuses(t, odd, e.body, s.Refusal)
	// Nothing of what was refused is remembered.
	s.accepts(t, e)

	// During a rotation the sample's secret may be the new one or the old one.
	s.accepts(t, newEvent(secret, 2, body("site", 1)).signedWith(secret, other))
	s.accepts(t, newEvent(secret, 3, body("site", 1)).signedWith(other, secret))

	for what, bad := range map[string]event{
		"a sequence that is no number": {delivery: e.delivery, sequence: "x", body: e.body},
		"a body that is no JSON":       {delivery: newEvent("", 0, "").delivery, sequence: "9", body: "{"},
		"a body without an object":     {delivery: newEvent("", 0, "").delivery, sequence: "9", body: "{}"},
	} {
		bad.at = time.Now()
		if status := post(t, s.URL, bad.signedWith(secret).headers(), bad.body); status < 400 {
			t.Errorf("%s is answered with %d", what, status)
		}
	}
}

func testNews(t *testing.T, s checked, secret string) {
	first, third := newEvent(secret, 1, body("rack", 7)), newEvent(secret, 3, body("rack", 7))
	s.accepts(t, first)
	s.takes(t, first, "ignored "+first.delivery+" duplicate")
	s.accepts(t, third)
	second := newEvent(secret, 2, body("rack", 7))
	s.takes(t, second, "ignored "+second.delivery+" stale: seq 2, known 3")
	s.takes(t, third, "ignored "+third.delivery+" duplicate")
	s.accepts(t, newEvent(secret, 10, body("rack", 7))) // as a number it is more than 3
	// Another object has a sequence of its own.
	s.accepts(t, newEvent(secret, 1, body("rack", 12_345_678_901)))
	s.accepts(t, newEvent(secret, 1, body("device", 7)))
}

// Debian's webhook cannot look at the time.
func TestSamplesRefuseOldTimestamps(t *testing.T) {
	t.Setenv("MAX_AGE", "300")
	for _, name := range Names() {
		if name == "webhook" {
			continue
		}
		s := checked{Start(t, name, shortSecret)}
		e := newEvent(shortSecret, 1, body("site", 1))
		for _, at := range []time.Time{e.at.Add(-310 * time.Second), e.at.Add(310 * time.Second)} {
			old := e
			old.at = at
			s.refuses(t, old.headers(), e.body, "refused ")
		}
		s.accepts(t, e)
	}
}
