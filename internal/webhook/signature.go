package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Signature returns the X-Hook-Signature: the hex HMAC-SHA-512 of the exact body.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify reports whether a signature belongs to the body, in a time that does not reveal how much of it is right.
func Verify(secret string, body []byte, signature string) bool {
	return hmac.Equal([]byte(Signature(secret, body)), []byte(signature))
}

// StandardHeaders makes the headers of standardwebhooks.com: an id, a time in seconds, and
// one signature for each secret, so that a receiver may know either during a rotation.
// Without a secret there is no signature.
func StandardHeaders(id string, at time.Time, body []byte, secrets ...string) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	var signatures []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, standardKey(secret))
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if signatures != nil {
		h.Set("webhook-signature", strings.Join(signatures, " "))
	}
	return h
}

// StandardSecret reports whether the libraries of Standard Webhooks can read a secret: "whsec_" and the base64 of 24
// to 64 bytes. Go would skip line breaks in it, others do not.
func StandardSecret(secret string) bool {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	return ok && err == nil && len(key) >= 24 && len(key) <= 64 && !strings.ContainsAny(text, "\r\n")
}

// standardKey returns what follows "whsec_", decoded, or else the secret's own bytes. The npm package
// standardwebhooks decodes every secret as base64, so one that is meant for it must be written whsec_….
func standardKey(secret string) []byte {
	if text, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil && len(key) > 0 {
			return key
		}
	}
	return []byte(secret)
}
