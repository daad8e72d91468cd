package account

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	secretA = strings.Repeat("canary-a-", 6)
	secretB = strings.Repeat("canary-b-", 6)
)

func TestNewKeyring(t *testing.T) {
	for _, tc := range []struct {
		name    string
		current string
		old     []string
		keys    int // 0: refused
	}{
		{"one", secretA, nil, 1},
		{"exactly 50 characters", strings.Repeat("é", 50), nil, 1},
		{"49 characters", strings.Repeat("é", 49), nil, 0},
		{"empty", "", nil, 0},
		{"with an old one", secretA, []string{secretB}, 2},
		{"old one too short", secretA, []string{"short"}, 0},
		{"old one empty", secretA, []string{""}, 0},
		{"old one given twice", secretA, []string{secretB, secretB}, 2},
		{"old one is the current", secretA, []string{secretA}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ring, err := NewKeyring(tc.current, tc.old)
			if (err != nil) != (tc.keys == 0) {
				t.Fatalf("error %v, want %d keys", err, tc.keys)
			}
			if err == nil && len(ring.keys) != tc.keys {
				t.Errorf("%d keys, want %d", len(ring.keys), tc.keys)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestKeyringTokenDigests(t *testing.T) {
	before, _ := NewKeyring(secretA, nil)
	after, _ := NewKeyring(secretB, []string{secretA})
	key := NewKey()

	digests := after.TokenDigests(key)
	if len(digests) != 4 || !bytes.Equal(digests[0], after.TokenDigest(key)) || !bytes.Equal(digests[1], before.TokenDigest(key)) {
		t.Error("want the current digest first, then the old one")
	}
	for i, ring := range []*Keyring{after, before} {
		if kept := hex.EncodeToString(digests[i]); kept != ring.ID()+hex.EncodeToString(digests[2+i]) || len(kept) != 8+64 {
			t.Errorf("digest %d is %s, want an id before %x", i, kept, digests[2+i])
		}
	}
	if bytes.Equal(digests[2], digests[3]) {
		t.Error("the pepper does not matter")
	}
	if !bytes.Equal(after.TokenDigest(strings.ToUpper(key)), digests[0]) {
		t.Error("the case of a key matters")
	}
}

func TestKeyringSealsAndOpens(t *testing.T) {
	ring, _ := NewKeyring(secretA, []string{secretB})
	form := regexp.MustCompile(`^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$`)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		aad := rapid.StringN(1, -1, -1).Draw(t, "aad")
		other := rapid.String().Filter(func(s string) bool { return s != aad }).Draw(t, "other")

		sealed, err := ring.Seal(aad, plain)
		if err != nil || !form.MatchString(sealed) || ring.Stale(sealed) {
			t.Fatalf("sealed %q, error %v", sealed, err)
		}
		if again, _ := ring.Seal(aad, plain); again == sealed {
			t.Fatal("sealed twice to the same text")
		}
		opened, err := ring.Open(aad, sealed)
		if err != nil || !bytes.Equal(opened, plain) {
			t.Fatalf("opened %q, error %v", opened, err)
		}
		if _, err := ring.Open(other, sealed); err == nil {
			t.Fatal("opened in another row")
		}
		i := rapid.IntRange(0, len(sealed)-1).Draw(t, "position")
		damaged := sealed[:i] + string(rune(sealed[i]^1)) + sealed[i+1:]
		if _, err := ring.Open(aad, damaged); err == nil {
			t.Fatalf("opened %q, made from %q", damaged, sealed)
		}
	})
}

func TestKeyringRotation(t *testing.T) {
	before, _ := NewKeyring(secretA, nil)
	after, _ := NewKeyring(secretB, []string{secretA})
	sealed, _ := before.Seal("extras.webhook/7/secret", []byte("s"))

	if got, err := after.Open("extras.webhook/7/secret", sealed); err != nil || string(got) != "s" {
		t.Errorf("after the rotation: %q, %v", got, err)
	}
	if !after.Stale(sealed) {
		t.Error("a value of the old key is not stale")
	}
	forgot, _ := NewKeyring(secretB, nil)
	if _, err := forgot.Open("extras.webhook/7/secret", sealed); err == nil || !strings.Contains(err.Error(), "old secret keys") {
		t.Errorf("without the old key: %v", err)
	}
}

func TestKeyringRefusesWhatItDidNotSeal(t *testing.T) {
	ring := testRing(t)
	id := ring.keys[0].id
	for _, sealed := range []string{"", ".", "..", "v1", "v1.", "v1." + id, "v1." + id + ".", "v1." + id + ".AAAA",
		"v2." + id + ".AAAA", "v1..AAAA", "v1." + id + ".!", "plain text"} {
		if got, err := ring.Open("row/1/x", sealed); err == nil || !strings.Contains(err.Error(), "row/1/x") {
			t.Errorf("opened %q as %q, error %v", sealed, got, err)
		}
	}
	if !ring.Stale("plain text") {
		t.Error("what is not sealed is not stale")
	}
	if _, err := ring.Seal("", nil); err == nil {
		t.Error("sealed without a row")
	}
}

func TestKeyringIsNeverShown(t *testing.T) {
	ring, _ := NewKeyring(secretA, []string{secretB})
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+verb, ring, *ring)
	}
	slog.New(slog.NewTextHandler(&b, nil)).Info("", "ring", ring, "value", *ring)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "ring", ring, "value", *ring)
	//nolint:staticcheck // That nothing of it is encoded is what the test shows.
	if err := json.NewEncoder(&b).Encode(ring); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{"canary", ring.keys[0].id, fmt.Sprint(ring.keys[0].pepper), fmt.Sprintf("%x", ring.keys[0].pepper)} {
		if strings.Contains(b.String(), shown) {
			t.Errorf("%q is shown in %s", shown, b.String())
		}
	}
}
