package rest

import "testing"

// TestDocumentVersionIsNotTheDialects: an Ansible inventory caches the document until its version differs from the
// dialect's, so it must always differ, in the first two parts too.
func TestDocumentVersionIsNotTheDialects(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{"0.1.0": "0.1.0", "v3.5.1": "v3.5.1", "unknown": "unknown", "(devel)": "(devel)",
		"3.6.0": "3.6.0",
		"":      "terrier-", "3.5": "terrier-3.5", "3.5.9": "terrier-3.5.9", "3.50.0": "terrier-3.50.0", " 3.5": "terrier-3.5"} {
		if got := documentVersion(program); got != want {
			t.Errorf("program %q: document %q, want %q", program, got, want)
		}
	}
}
