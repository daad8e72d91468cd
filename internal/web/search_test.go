package web

import (
	"strings"
	"testing"
)

// TestMarked: every place where the text is found is marked, in capitals or not, and nothing is lost.
func TestMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, sought, want string }{
		{"Lisbon 1", "lisbon", "[Lisbon] 1"},
		{"Seaport of Porto", "PORT", "Sea[port] of [Port]o"},
		{"aaaa", "aa", "[aa][aa]"},
		{"ÄÖ ä", "ä", "[Ä]Ö [ä]"},
		{"Straße", "strasse", "Straße"},
		{"a%b", "%", "a[%]b"},
		{"a", "longer", "a"},
		{"", "a", ""},
	} {
		var b strings.Builder
		for _, p := range marked(c.text, c.sought) {
			if p.Marked {
				p.Text = "[" + p.Text + "]"
			}
			b.WriteString(p.Text)
		}
		if b.String() != c.want {
			t.Errorf("%q in %q: %s, want %s", c.sought, c.text, b.String(), c.want)
		}
	}
}
