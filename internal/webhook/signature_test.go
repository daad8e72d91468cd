package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/internal/webhook"
)

// The digests were made with openssl dgst -sha512 -hmac.
var signatures = []struct{ name, secret, body, want string }{
	{"a body", "s3cret", `{"event":"created"}`,
		"341446d6b92d8cb2c8d1f0aceb2abd15771e71d80f285344c2c19cf7e217eb756e9304e9fda73083f4290834cf9655bf21f11fd66ec48fe71d85cb446d305569"},
	{"no body", "s3cret", "",
		"5c88cb5e23abbfb541bb1faa1d8dffc45c3895e55710d991eebf1a7017fb7b9e9abd543dd4c43585de6f73cb674322a1f04d4eccecadcc85bcd0a90f29845c00"},
	{"letters beyond ASCII", "ключ", "grüße\n",
		"c83e911780e02382a6de7ea2061378f7bba45cf29a9129b018fa33cb6febb650e35f05f57a69ff5aa941a3429f2ada98c3bb473e5ccf105d25509584f93300ab"},
	{"a key longer than a block", strings.Repeat("k", 200), strings.Repeat("a", 200_000),
		"a67c54be9c7684ceb3caf22ff61a6a95f8cc7cbfa33b39de4717b1aa65c71ba4cc31d0a60a8edb097f7b1359e9082645a90aeec28e24174a6d89f00ac23ae74e"},
}

func TestSignature(t *testing.T) {
	for _, c := range signatures {
		t.Run(c.name, func(t *testing.T) {
			if got := webhook.Signature(c.secret, []byte(c.body)); got != c.want {
				t.Errorf("signed %s, want %s", got, c.want)
			}
			if !webhook.Verify(c.secret, []byte(c.body), c.want) {
				t.Error("the right signature is refused")
			}
			for name, wrong := range map[string]bool{
				"another secret":    webhook.Verify(c.secret+"x", []byte(c.body), c.want),
				"another body":      webhook.Verify(c.secret, []byte(c.body+" "), c.want),
				"a part":            webhook.Verify(c.secret, []byte(c.body), c.want[:64]),
				"no signature":      webhook.Verify(c.secret, []byte(c.body), ""),
				"one other letter":  webhook.Verify(c.secret, []byte(c.body), c.want[:127]+"g"),
				"a signature twice": webhook.Verify(c.secret, []byte(c.body), c.want+c.want),
			} {
				if wrong {
					t.Errorf("%s is accepted", name)
				}
			}
		})
	}
}

func TestStandardHeaders(t *testing.T) {
	const spec = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	const specSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for _, c := range []struct {
		name, id string
		at       int64
		body     string
		secrets  []string
		want     string
	}{
		{"the published vector", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, `{"test": 2432232314}`, []string{specSecret}, spec},
		// The next three with openssl dgst -sha256 -hmac.
		{"a plain secret", "d-1", 1700000000, "body", []string{"plain"}, "v1,IdZsp6bNEZFeCkTpHMF2IZdzv5/0P99GlMfGrETXs/M="},
		{"a prefix before what is no base64", "d-1", 1700000000, "body", []string{"whsec_???"},
			"v1,9x8fWWC6gIuZG5UO+5je5EB7lajxccqMzcX0PDX0nTk="},
		{"a prefix before nothing", "d-1", 1700000000, "body", []string{"whsec_"}, "v1,xzW7Z9U5tBGBVLgRsVTQYxOCG6SGbj7xLCTXwqRH+vo="},
		{"two secrets", "d-1", 1700000000, "body", []string{"plain", "whsec_???"},
			"v1,IdZsp6bNEZFeCkTpHMF2IZdzv5/0P99GlMfGrETXs/M= v1,9x8fWWC6gIuZG5UO+5je5EB7lajxccqMzcX0PDX0nTk="},
		{"no secret", "d-1", 1700000000, "body", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := webhook.StandardHeaders(c.id, time.Unix(c.at, 999), []byte(c.body), c.secrets...)
			if got := h.Get("webhook-signature"); got != c.want {
				t.Errorf("signed %q, want %q", got, c.want)
			}
			if _, there := h[http.CanonicalHeaderKey("webhook-signature")]; there != (c.want != "") {
				t.Error("an empty signature is sent")
			}
			if h.Get("webhook-id") != c.id || len(h.Get("webhook-timestamp")) != 10 {
				t.Errorf("id and time are %v", h)
			}
		})
	}
}
