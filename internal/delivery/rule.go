package delivery

import (
	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/webhook"
)

// Rule checks a webhook when it is saved: everything that is certain to fail later is refused now, with its place.
func Rule(client *egress.Client, keys Opener) func(before, after record.Values) fault.Fields {
	return func(_, v record.Values) fault.Fields {
		hook := HookOf(v)
		// What was given is still in plain text; headers that stay as they are were checked before.
		if plain, ok := v.Get("additional_headers").(record.Plain); ok {
			hook.AdditionalHeaders = string(plain)
		}
		_, errs := webhook.Compile(hook)
		if errs == nil {
			errs = fault.Fields{}
		}
		if err := egress.CheckURL(hook.URL); err != nil && len(errs["payload_url"]) == 0 {
			errs.Add("payload_url", "%s", err.Error())
		}
		if _, err := webhook.ParseConditions(v.Raw("conditions")); err != nil {
			errs.Add("conditions", "%s", err.Error())
		}
		if path := v.Text("ca_file_path"); path != "" {
			if err := client.CheckCA(path); err != nil {
				errs.Add("ca_file_path", "%s", err.Error())
			}
		}
		checkIdentity(v, keys, errs)
		if v.Bool("standard_headers") {
			checkSecret(v, keys, errs)
		}
		return errs
	}
}

const standardForm = "whsec_ and the base64 of 24 to 64 bytes, such as `openssl rand -base64 32` prints; or switch standard_headers off."

// checkSecret checks that receivers can verify the Standard Webhooks headers with the secret. A secret that can't be
// opened can't be checked either.
func checkSecret(v record.Values, keys Opener, errs fault.Fields) {
	secret, err := given(v, "secret", keys)
	switch {
	case err != nil:
	case secret == "":
		errs.Add("secret", "The Standard Webhooks headers are signed, so they need a secret: %s", standardForm)
	case !webhook.StandardSecret(secret):
		errs.Add("secret", "The libraries of Standard Webhooks can't read this secret: it must be %s", standardForm)
	}
}

// given returns a secret of a webhook that is being saved: what was given, in plain text, or what is stored.
func given(v record.Values, field string, keys Opener) (string, error) {
	if plain, is := v.Get(field).(record.Plain); is {
		return string(plain), nil
	}
	return open(v, field, keys)
}
