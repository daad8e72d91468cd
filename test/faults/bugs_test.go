package main

import (
	"slices"
	"testing"
)

// TestBugsApply checks that the bugs fit the code. A bug whose snippet is no longer there would prove nothing.
func TestBugsApply(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range append([]bug{{name: "terrier", edits: append(slices.Clone(trialTypes), wrongClock)}}, bugs...) {
		if seen[b.name] {
			t.Errorf("two bugs are called %s", b.name)
		}
		seen[b.name] = true
		if _, err := b.apply("../.."); err != nil {
			t.Error(err)
		}
		for _, name := range b.faults {
			if !slices.ContainsFunc(faultKinds, func(k faultKind) bool { return k.name == name }) {
				t.Errorf("bug %s asks for %q, which is no fault", b.name, name)
			}
		}
	}
}
