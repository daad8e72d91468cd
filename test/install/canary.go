package install

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// Canaries are secrets that must turn up nowhere. Each has a name that says how it was used.
type Canaries struct {
	T    *testing.T
	List []Canary
}

// Canary is one of them.
type Canary struct{ Use, Secret string }

// Password returns a new secret that is to be used in the named way; Key likewise.
func (c *Canaries) Password(use string) string { return c.Watch(use, "canary-"+RandomHex(12)) }

// Key is a secret that looks like the key of a token.
func (c *Canaries) Key(use string) string { return c.Watch(use, RandomHex(20)) }

// Watch adds a secret that somebody else made.
func (c *Canaries) Watch(use, secret string) string {
	if len(secret) < 12 {
		c.T.Fatalf("the secret of %q is too short to look for: %q", use, secret)
	}
	c.List = append(c.List, Canary{use, strings.ToLower(secret)})
	return secret
}

// Absent fails the test when a secret is in the text: in clear, in hexadecimal, in base64, or as a hash that
// anybody can compute.
func (c *Canaries) Absent(where, text string) {
	c.T.Helper()
	text = strings.ToLower(text)
	for _, k := range c.List {
		plain := sha256.Sum256([]byte(k.Secret))
		forms := map[string]string{
			"in clear":           k.Secret,
			"in hexadecimal":     hex.EncodeToString([]byte(k.Secret)),
			"in base64":          strings.ToLower(base64.StdEncoding.EncodeToString([]byte(k.Secret))[:len(k.Secret)]),
			"as a plain SHA-256": hex.EncodeToString(plain[:]),
		}
		for form, secret := range forms {
			if at := strings.Index(text, secret); at >= 0 {
				c.T.Errorf("%s holds, %s, the secret of %q: …%.160s…", where, form, k.Use, text[max(0, at-80):])
			}
		}
	}
}
