package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestDocumentExplains: every operation says what it does, and every parameter what it means. Operations at one address say different
// things.
func TestDocumentExplains(t *testing.T) {
	t.Parallel()
	var document struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(ask(describing(t, 0).schema, http.MethodGet).Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	type parameter struct{ Name, Description string }
	explains := func(where string, parameters []parameter) {
		for _, p := range parameters {
			if strings.Contains(p.Name, "__") {
				continue // the introduction explains all lookups
			}
			if !strings.Contains(p.Description, " ") || !strings.HasSuffix(p.Description, ".") {
				t.Errorf("%s: parameter %s: %q", where, p.Name, p.Description)
			}
		}
	}
	operations := 0
	for path, item := range document.Paths {
		said := map[string]string{}
		for method, raw := range item {
			where := method + " " + path
			if method == "parameters" {
				var shared []parameter
				if err := json.Unmarshal(raw, &shared); err != nil {
					t.Fatal(err)
				}
				explains(where, shared)
				continue
			}
			var op struct {
				Summary    string
				Parameters []parameter
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			operations++
			if other := said[op.Summary]; !strings.Contains(op.Summary, " ") || strings.Contains(op.Summary, "/{") || other != "" {
				t.Errorf("%s: summary %q, as of %s", where, op.Summary, other)
			}
			said[op.Summary] = method
			explains(where, op.Parameters)
		}
	}
	if operations < 500 {
		t.Errorf("only %d operations", operations)
	}
	for _, tag := range document.Tags {
		if len(tag.Description) < 4 || strings.Contains(tag.Description, ", ,") {
			t.Errorf("tag %s: %q", tag.Name, tag.Description)
		}
	}
}

// TestLookupsAreExplained: the introduction explains every lookup that a filter has.
func TestLookupsAreExplained(t *testing.T) {
	t.Parallel()
	for _, typ := range describing(t, 0).Registry.Types() {
		for _, name := range typ.FilterNames() {
			if _, lookup, found := strings.Cut(name, "__"); found && !strings.Contains(about, "`__"+lookup+"` ") {
				t.Errorf("%s: %s is not explained", typ.Key(), name)
			}
		}
	}
}
