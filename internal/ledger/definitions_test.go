package ledger_test

import (
	"testing"

	"terrier/internal/ledger"
)

// TestDefinitionsFollowTheirLastChange: a definition of a custom field that was rolled back, or written by SQL, is not mistaken for
// another one with the same version number.
func TestDefinitionsFollowTheirLastChange(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.create(t, "extras.customfield", ledger.Input{"name": "rack", "content_types": []any{"dcim.site"}})
	required := func() bool {
		found, err := b.CustomFields(t.Context(), b.reg.Type("dcim.site"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		return found[0].Required
	}
	if required() {
		t.Error("it is required from the start")
	}
	b.exec(t, "UPDATE extras_customfield SET required = TRUE, last_updated = last_updated + interval '1 second'")
	if !required() {
		t.Error("the definition from before the change is still used")
	}
}
