package app

import (
	"encoding/base64"
	"strings"

	"terrier/internal/account"
	"terrier/internal/delivery"
	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// webhookRule checks a webhook when it is saved: what delivery demands of it, and that its
// receivers will be able to verify what they are sent.
func webhookRule(client *egress.Client, keys *account.Keyring) func(record.Values) fault.Fields {
	sendable := delivery.Rule(client)
	return func(v record.Values) fault.Fields {
		errs := sendable(v)
		if !v.Bool("standard_headers") {
			return errs
		}
		switch secret, known := webhookSecret(v, keys); {
		case !known: // what can't be opened can't be judged either
		case secret == "":
			errs.Add("secret", "The Standard Webhooks headers are signed, so they need a secret: %s", standardForm)
		case !standardSecret(secret):
			errs.Add("secret", "The libraries of Standard Webhooks can't read this secret: it must be %s", standardForm)
		}
		return errs
	}
}

const standardForm = "whsec_ and the base64 of 24 to 64 bytes, such as `openssl rand -base64 32` prints; or switch standard_headers off."

// webhookSecret is the secret that the webhook will have: what was just given is still plain,
// what it had before is sealed.
func webhookSecret(v record.Values, keys *account.Keyring) (secret string, known bool) {
	switch x := v.Get("secret").(type) {
	case record.Plain:
		return string(x), true
	case record.Sealed:
		if x == "" {
			return "", true
		}
		plain, err := keys.Open(v.Type().Field("secret").(record.Secret).Place(v.Type(), v.ID()), string(x))
		return string(plain), err == nil
	}
	return "", true
}

// standardSecret tells whether a secret has the form that standardwebhooks.com describes. Go
// would skip line breaks in it, others do not.
func standardSecret(secret string) bool {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	return ok && err == nil && len(key) >= 24 && len(key) <= 64 && !strings.ContainsAny(text, "\r\n")
}
