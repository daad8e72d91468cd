package delivery

import (
	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/webhook"
)

// Rule checks a webhook when it is saved: everything that could be known to fail later is
// refused now, with its place.
func Rule(client *egress.Client) func(record.Values) fault.Fields {
	return func(v record.Values) fault.Fields {
		hook := HookOf(v)
		// What was given is still plain; headers that stay as they are were checked before.
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
		return errs
	}
}
