package jinja

import "testing"

const smallTemplate = `{"text": {{ (username ~ ' ' ~ event ~ ' ' ~ model ~ ' ' ~ data.name)|tojson }},
{% if data.tags %}"tags": [{% for t in data.tags %}{{ t.slug|tojson }}{% if not loop.last %}, {% endif %}{% endfor %}]{% endif %}}`

func smallContext(b *testing.B) Value {
	b.Helper()
	context, err := Decode([]byte(`{"event": "created", "model": "device", "username": "admin", "data": {"id": 12, "name": "sw-core-01",
		"tags": [{"id": 1, "name": "Prod", "slug": "prod"}, {"id": 2, "name": "Edge", "slug": "edge"}]}}`))
	if err != nil {
		b.Fatal(err)
	}
	return context
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(smallTemplate); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	context := smallContext(b)
	template, err := Parse(smallTemplate)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Render(context); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRenderTojson(b *testing.B) {
	context := smallContext(b)
	template, err := Parse("{{ data|tojson }}")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := template.Render(context); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseLongest(b *testing.B) {
	source := bombs["list literal"]
	for b.Loop() {
		if _, err := Parse(source); err != nil {
			b.Fatal(err)
		}
	}
}
