package store_test

import (
	"strings"
	"testing"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestOrderByCustomFieldsHasFewShapes: the name of a custom field ends up in a parameter, whatever it is: the text of a statement depends
// only on the field's kind and the direction.
func TestOrderByCustomFieldsHasFewShapes(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	def := reg.Type(store.CustomFieldType)
	shapes := map[string]bool{}
	kinds := []string{"text", "integer", "boolean", "date"}
	for _, kind := range kinds {
		for _, sign := range []string{"", "-"} {
			of := map[string]bool{}
			for _, name := range []string{"x", "y", "'", `"`,
				`"; DROP TABLE dcim_site; --`, "$1", "\\", "%s", "x' OR '1'='1", strings.Repeat("a", 5000)} {
				v := def.NewValues()
				v.Set("name", name)
				v.Set("type", kind)
				text, err := store.ListStatement(s, reg.Type("dcim.site"), store.Query{Scope: access.Machine(), Limit: 50,
					Order: []string{sign + "cf_" + name}, Custom: []*record.Custom{record.CustomDefinition(v)}})
				if err != nil {
					t.Fatal(err)
				}
				of[text], shapes[text] = true, true
			}
			if len(of) != 1 {
				t.Errorf("%s%s: %d statements", sign, kind, len(of))
			}
		}
	}
	if len(shapes) != 2*len(kinds) {
		t.Errorf("%d kinds make %d statements", len(kinds), len(shapes))
	}
}
