package account

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/fault"
)

const goodKey = "9f3b1c07d2e84a65b0c7f1e29d3a5846bd70e1c4"

func TestNewKey(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		key := NewKey()
		if msg := CheckKey(key); msg != "" || key != Normalise(key) || seen[key] {
			t.Fatalf("key %s: %s", key, msg)
		}
		seen[key] = true
	}
}

func TestCheckKey(t *testing.T) {
	const form, weak = "A key must be exactly 40 hexadecimal characters.",
		"This key is too easy to guess. Leave it empty to have one generated."
	for _, tc := range []struct{ name, key, want string }{
		{"good", goodKey, ""},
		{"upper case", strings.ToUpper(goodKey), ""},
		{"empty", "", form},
		{"39", goodKey[1:], form},
		{"41", goodKey + "0", form},
		{"not hexadecimal", "g" + goodKey[1:], form},
		{"space in front", " " + goodKey[1:], form},
		{"40 bytes of other letters", strings.Repeat("é", 20), form},
		{"all zero", strings.Repeat("0", 40), weak},
		{"all F", strings.Repeat("F", 40), weak},
		{"two values", strings.Repeat("a", 39) + "b", weak},
		{"seven distinct", "0123456" + "6543210" + "0246135" + "5316420" + "612345" + "034512", weak},
		{"period 2", strings.Repeat("01", 20), weak},
		{"period 8", strings.Repeat("deadbeef", 5), weak},
		{"period 10", strings.Repeat("0123456789", 4), weak},
		{"period 9, cut", strings.Repeat("9f3b1c07d", 5)[:40], weak},
		{"period 16", strings.Repeat("9f3b1c07d2e84a65", 3)[:40], weak},
		{"twice the same", goodKey[:20] + goodKey[:20], weak},
		{"counting up", "0123456789abcdef0123456789abcdef01234567", weak},
		{"counting up in mixed case", "0123456789ABCDEF0123456789abcdef01234567", weak},
		{"counting down", "fedcba9876543210fedcba9876543210fedcba98", weak},
		{"counting, disturbed", "0123456789abcdef5123456789abcdef01234067", weak},
		{"30 zeros and 10 digits", strings.Repeat("0", 30) + "1234567890", weak},
		{"10 digits and 30 zeros", "9182736450" + strings.Repeat("0", 30), weak},
		{"every other digit is zero", "090103050207040608" + "0a0b0c0d0e0f0109030502", weak},
		{"a run of ten", "9f3b1c07d2e84a6" + strings.Repeat("5", 10) + "b0c7f1e29d3a584", weak},
		{"a run of nine passes", "9f3b1c07d2e84a65" + strings.Repeat("5", 8) + "b0c7f1e29d3a5846", ""},
		{"mostly one digit, in pieces", "777a77b777c77d0777e77f1777a77277b37747c7", weak},
		{"a block three times, and others", "deadbeefdeadbeefdeadbeef9f3b1c07d2e84a65", weak},
		{"a block of ten, disturbed", "9f3b1c07d29f3b1c07d29e3b1c07d29f3b1c07d0", weak},
		{"a sequence of half the key", "0123456789abcdef01239f3b1c07d2e84a65b0c7", weak},
		{"counting by three", "0369cf258be147ad0369cf258be147ad0369cf25", weak},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := CheckKey(tc.key); got != tc.want {
				t.Errorf("CheckKey(%q) = %q, want %q", tc.key, got, tc.want)
			}
		})
	}
}

// A million pseudo-random keys, the same in every run, are all accepted.
func TestRandomKeysPass(t *testing.T) {
	for n := range uint64(1_000_000) {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
		if key := hex.EncodeToString(sum[:20]); CheckKey(key) != "" {
			t.Fatalf("%s: %s", key, CheckKey(key))
		}
	}
}

func TestRepeatedKeysFail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789abcdefABCDEF")), 1, 10, -1).Draw(t, "word")
		if key := strings.Repeat(word, 40)[:40]; CheckKey(key) == "" {
			t.Fatalf("%s passes", key)
		}
	})
}

func TestHint(t *testing.T) {
	for key, want := range map[string]string{goodKey: "70e1c4", strings.ToUpper(goodKey): "70e1c4", "": "", "12345": ""} {
		if got := Hint(key); got != want {
			t.Errorf("Hint(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestParseAuthorization(t *testing.T) {
	const none, spaces = "Invalid token header. No credentials provided.", "Invalid token header. Token string should not contain spaces."
	for _, tc := range []struct {
		header  string
		key     string
		present bool
		detail  string
	}{
		{"", "", false, ""},
		{"   ", "", false, ""},
		{"Basic YTpi", "", false, ""},
		{"Bearer " + goodKey, "", false, ""},
		{"Tokens " + goodKey, "", false, ""},
		{"Token" + goodKey, "", false, ""},
		{goodKey, "", false, ""},
		{"Token " + goodKey, goodKey, true, ""},
		{"token " + goodKey, goodKey, true, ""},
		{"TOKEN   " + goodKey + " ", goodKey, true, ""},
		{"Token x", "x", true, ""},
		{"Token", "", true, none},
		{"tOkEn  ", "", true, none},
		{"Token a b", "", true, spaces},
		{"Token a b c", "", true, spaces},
	} {
		t.Run(tc.header, func(t *testing.T) {
			key, present, err := ParseAuthorization(tc.header)
			wantFault(t, err, fault.Denied, tc.detail)
			if key != tc.key || present != tc.present {
				t.Errorf("got %q, %v; want %q, %v", key, present, tc.key, tc.present)
			}
		})
	}
}
