package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun goes through a whole run on a small table. It judges no speed; it holds that
// both sides still answer and write the same, which every comparison rests on.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"superuser", "member"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "figures.json")
			var out bytes.Buffer
			err := run(t.Context(), []string{"--rows", "4000", "--rounds", "1", "--round", "20ms", "--user", user, "--json", file}, &out)
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			for _, want := range []string{"list of 50 sites", "get one site", "create one site", "offset 2000 of 4000", "bulk request", "round trips"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the table does not show %q:\n%s", want, &out)
				}
			}
		})
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
}

func TestRowMeetsItsTarget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		row   row
		slack float64
		want  bool
	}{
		{"no target", row{Value: 0.1}, 1, true},
		{"above", row{Value: 0.6, Target: 0.6}, 1, true},
		{"below", row{Value: 0.59, Target: 0.6}, 1, false},
		{"below within the slack", row{Value: 0.5, Target: 0.6}, 0.8, true},
		{"limit kept", row{Value: 2, Target: 2, AtMost: true}, 1, true},
		{"limit broken", row{Value: 2.1, Target: 2, AtMost: true}, 1, false},
		{"limit broken within the slack", row{Value: 2.1, Target: 2, AtMost: true}, 0.8, true},
	} {
		if got := test.row.meets(test.slack); got != test.want {
			t.Errorf("%s: meets is %v", test.name, got)
		}
	}
}

func TestWireCounts(t *testing.T) {
	t.Parallel()
	message := func(kind string, body string) string {
		return kind + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))) + body
	}
	sent := message("", "startup") + message("Q", "begin") + message("P", "select") + message("B", "") + message("E", "") +
		message("B", "") + message("E", "") + message("S", "") + message("X", "")
	var passed bytes.Buffer
	w := &wire{}
	if err := w.forward(&passed, strings.NewReader(sent)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if passed.String() != sent {
		t.Error("the messages did not pass unchanged")
	}
	if w.statements.Load() != 3 || w.trips.Load() != 2 {
		t.Errorf("counted %d statements in %d round trips, want 3 in 2", w.statements.Load(), w.trips.Load())
	}
}
