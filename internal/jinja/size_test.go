package jinja

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestLargeRecords checks that the limits leave room for records larger than anybody has.
func TestLargeRecords(t *testing.T) {
	fields := map[string]any{}
	for i := range 1000 {
		fields[fmt.Sprintf("field_%d", i)] = map[string]any{"id": i, "name": fmt.Sprintf("Größe 'of' \"%d\"", i), "slug": "abc-def", "url": nil,
			"description": "some more text, so that the record has a size that matters", "tags": []int{1, 2, 3}, "price": 1.25, "active": true}
	}
	document, err := json.Marshal(map[string]any{"data": fields})
	if err != nil {
		t.Fatal(err)
	}
	context := mustDecode(t, string(document))
	for _, source := range []string{
		"{{ data|tojson }}", "{{ data|tojson(2) }}", "{{ data }}",
		"{% for k, v in data.items() %}{{ k }}: {{ v.name|upper }} {{ v.tags|join(', ') }}{% if v.active %}, active{% endif %}\n{% endfor %}",
		"{{ data.values()|sort(attribute='name')|map(attribute='slug')|unique|list|tojson }}",
	} {
		template, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		output, err := template.render(context, patience)
		if err != nil {
			t.Errorf("%s of %d KiB: %v", source, len(document)>>10, err)
		}
		t.Logf("%s: %d KiB from %d KiB", source, len(output)>>10, len(document)>>10)
	}
}
