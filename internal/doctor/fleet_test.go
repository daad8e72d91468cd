package doctor

import (
	"testing"

	"terrier/internal/store"
)

// TestCompareKeys: every process must know the key that any other seals with. One that names none is left out.
func TestCompareKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys [][]string
		want Status
	}{
		{"one key", [][]string{{"a"}, {"a"}}, OK},
		{"an old key, which all know", [][]string{{"a", "b"}, {"a"}, {"a"}}, OK},
		{"a rotation", [][]string{{"b", "a"}, {"a", "b"}}, Warn},
		{"a key that one lacks", [][]string{{"b", "a"}, {"a"}}, Fail},
		{"one that names none", [][]string{{}, {"a"}, nil, {"a"}}, OK},
	} {
		var processes []store.Process
		for _, keys := range c.keys {
			processes = append(processes, store.Process{KeyIDs: keys})
		}
		if f, err := compareKeys(processes); err != nil || f.Status != c.want {
			t.Errorf("%s: %+v %v", c.name, f, err)
		}
	}
}
