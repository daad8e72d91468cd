package account

import (
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
)

// TestDigests: the stored form of a token's key is among its digests, however the key is written and whichever secret it was stored under.
func TestDigests(t *testing.T) {
	t.Parallel()
	oldKey, newKey := strings.Repeat("the old key ", 5), strings.Repeat("the new key ", 5)
	ring := func(current string, old ...string) *Sealer {
		keys, err := NewKeyring(current, old)
		if err != nil {
			t.Fatal(err)
		}
		return &Sealer{Keys: keys}
	}
	key := ring(newKey).NewKey()
	for name, by := range map[string]*Sealer{"the current secret": ring(newKey), "an old secret": ring(oldKey)} {
		stored, _, err := by.Seal(t.Context(), record.Secrecy{Seal: record.TokenKey}, "", key)
		if err != nil {
			t.Fatal(err)
		}
		upper := record.Plain(strings.ToUpper(string(key)))
		if all := ring(newKey, oldKey).Digests(upper); !slices.Contains(all, stored) {
			t.Errorf("%s: not among the digests", name)
		}
	}
	stored, _, err := ring(oldKey).Seal(t.Context(), record.Secrecy{Seal: record.TokenKey}, "", key)
	if err != nil || slices.Contains(ring(newKey).Digests(key), stored) {
		t.Error("a secret that is not known any more counts")
	}
}
