package store_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"terrier/internal/store"
)

// TestDecodersAreKept: a decoder that is used again reads each row as if it were the first, also after one that is broken or very long.
func TestDecodersAreKept(t *testing.T) {
	const exact = "9007199254740993" // not a float64
	for _, row := range []string{`[1, "a", null]`, `[2, "b"`, `[3, "c", true]`, `[4, ]`, `[` + exact + `]`,
		`["` + strings.Repeat("x", 1<<20) + `"]`, `[5]`, `6`, `7`} {
		var want any
		first := json.NewDecoder(strings.NewReader(row))
		first.UseNumber()
		wrong := first.Decode(&want)
		got, err := store.DecodeNumbers([]byte(row))
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%.20s: %.50v, %v, want %.50v, %v", row, got, err, want, wrong)
		}
	}
}
