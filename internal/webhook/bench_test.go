package webhook_test

import (
	"testing"

	"terrier/internal/webhook"
)

var sink int

func BenchmarkMatch(b *testing.B) {
	for name, text := range map[string]string{
		"fires":   `{"attr":"status","value":"active"}`,
		"silent":  `{"attr":"status","value":"planned"}`,
		"changed": `{"attr":"status","op":"changed"}`,
		"tags":    `{"attr":"tags.slug","op":"contains","value":"prod"}`,
		"regex":   `{"attr":"name","op":"regex","value":"L[a-z]+n"}`,
		"nested": `{"and":[{"attr":"status","value":"active"},
			{"or":[{"attr":"region.slug","value":"es"},{"attr":"tags.slug","op":"contains","value":"eu"}]},
			{"attr":"asn_count","op":"gt","value":5}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			c, e := parse(b, text), site()
			b.ReportAllocs()
			for b.Loop() {
				if c.Match(e).Fires {
					sink++
				}
			}
		})
	}
	// The cost of one change for its writer if there are many webhooks.
	b.Run("500 webhooks", func(b *testing.B) {
		all := make([]*webhook.Conditions, 500)
		for i := range all {
			all[i] = parse(b, `{"and":[{"attr":"status","value":"planned"},{"attr":"region.slug","value":"pt"}]}`)
		}
		b.ReportAllocs()
		for b.Loop() {
			e := site()
			for _, c := range all {
				if c.Match(e).Fires {
					sink++
				}
			}
		}
	})
}

func BenchmarkBody(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink += len(site().Body())
	}
}

func BenchmarkRender(b *testing.B) {
	for name, h := range map[string]webhook.Hook{
		"default body": {},
		"template": {BodyTemplate: `{"text": "{{ data.name }} is {{ data.status.value }}"}`,
			AdditionalHeaders: "Authorization: Bearer x\nX-Name: {{ data.name }}"},
	} {
		b.Run(name, func(b *testing.B) {
			h.URL, h.Secret = "https://example.org/", "s"
			c, faults := webhook.Compile(h)
			if faults != nil {
				b.Fatal(faults)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Render(site(), sending)
				if err != nil {
					b.Fatal(err)
				}
				sink += len(r.Body)
			}
		})
	}
}
