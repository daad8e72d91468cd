package diff_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/web/diff"
)

func TestSnapshots(t *testing.T) {
	wide := strings.Repeat("é", 201)
	for _, c := range []struct {
		name, pre, post string
		want            []diff.Line
	}{
		{"nothing", "", "", nil},
		{"null", "null", "null", nil},
		{"no object", `[1]`, `"x"`, nil},
		{"broken", `{"a":1`, `{"a":1}x`, nil},
		{"the order of post, then of pre", `{"z":1,"c":1,"a":1,"y":1}`, `{"b":1,"a":1,"c":1}`, []diff.Line{
			{Name: "b", After: "1", Changed: true}, {Name: "a", Before: "1", After: "1"}, {Name: "c", Before: "1", After: "1"},
			{Name: "z", Before: "1", Changed: true}, {Name: "y", Before: "1", Changed: true}}},
		{"a record is made", "", `{"name":"Porto","tenant":null,"comments":"","tags":[],"custom_fields":{},"size":0,"ok":false,"created":"2026"}`,
			[]diff.Line{
				{Name: "name", After: "Porto", Changed: true}, {Name: "tenant"}, {Name: "comments"}, {Name: "tags"}, {Name: "custom_fields"},
				{Name: "size", After: "0", Changed: true}, {Name: "ok", After: "false", Changed: true}, {Name: "created", After: "2026"}}},
		{"a record goes", `{"name":"Porto","tenant":null}`, "null",
			[]diff.Line{{Name: "name", Before: "Porto", Changed: true}, {Name: "tenant"}}},
		{"bookkeeping", `{"created":"1","last_updated":"1"}`, `{"created":"2","last_updated":"2"}`, []diff.Line{
			{Name: "created", Before: "1", After: "2"}, {Name: "last_updated", Before: "1", After: "2"}}},
		{"numbers keep their writing", `{"a":38.50,"b":9007199254740993,"c":1e3}`, `{"a":38.5,"b":9007199254740993,"c":1e3}`, []diff.Line{
			{Name: "a", Before: "38.50", After: "38.5", Changed: true},
			{Name: "b", Before: "9007199254740993", After: "9007199254740993"}, {Name: "c", Before: "1e3", After: "1e3"}}},
		{"kinds", `{"a":null,"b":"1","c":true,"d":""}`, `{"a":"","b":1,"c":false,"d":"\"<\u00e9>"}`, []diff.Line{
			{Name: "a", Changed: true}, {Name: "b", Before: "1", After: "1", Changed: true},
			{Name: "c", Before: "true", After: "false", Changed: true},
			{Name: "d", After: `"<é>`, Changed: true}}},
		{"lists", `{"tags":["EU","a, b"]}`, `{"tags": [ "EU", 1.0, null, {"a": [1, 2]} ]}`, []diff.Line{
			{Name: "tags", Before: "EU, a, b", After: `EU, 1.0, null, {"a":[1,2]}`, Changed: true}}},
		{"objects", `{"o":{"a":1,"b":[2]}}`, `{"o":{"b": [2], "a": 1}}`, []diff.Line{
			{Name: "o", Before: "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}", After: "{\n  \"b\": [\n    2\n  ],\n  \"a\": 1\n}"}}},
		{"a key twice", `{"a":1}`, `{"a":2,"b":1,"a":3}`,
			[]diff.Line{{Name: "a", Before: "1", After: "3", Changed: true}, {Name: "b", After: "1", Changed: true}}},
		{"lines", `{"t":"one\ntwo\nthree"}`, `{"t":"one\n2\nthree\nfour"}`,
			[]diff.Line{{Name: "t", Before: "one\ntwo\nthree", After: "one\n2\nthree\nfour", Changed: true,
				Lines: []diff.Piece{{' ', "one"}, {'-', "two"}, {'+', "2"}, {' ', "three"}, {'+', "four"}}}}},
		{"a first text of lines", `{"t":null}`, `{"t":"one\n"}`,
			[]diff.Line{{Name: "t", After: "one\n", Changed: true, Lines: []diff.Piece{{'+', "one"}, {'+', ""}}}}},
		{"wide", `{"t":"a"}`, `{"t":"` + wide + `"}`, []diff.Line{{Name: "t", Before: "a", After: wide, Changed: true,
			Lines: []diff.Piece{{'-', "a"}, {'+', wide}}}}},
		{"not so wide", `{"t":"a"}`, `{"t":"` + wide[2:] + `"}`, []diff.Line{{Name: "t", Before: "a", After: wide[2:], Changed: true}}},
		{"wide, unchanged", `{"t":"` + wide + `"}`, `{"t":"` + wide + `"}`, []diff.Line{{Name: "t", Before: wide, After: wide}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := diff.Snapshots([]byte(c.pre), []byte(c.post))
			if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("shows\n%+v\nwant\n%+v", got, c.want)
			}
		})
	}
}

// long returns a snapshot with one text.
func long(t fataler, lines []string) []byte {
	text, err := json.Marshal(map[string]string{"t": strings.Join(lines, "\n")})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type fataler interface{ Fatal(args ...any) }

// TestTooLong checks that a text that is too long is replaced as a whole, except for the equal lines at its beginning and end.
func TestTooLong(t *testing.T) {
	for _, c := range []struct{ more, kept int }{{0, 3}, {1, 2}} {
		a, b := []string{"first"}, []string{"first"}
		for i := range 998 {
			a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
		}
		for range c.more {
			b = append(b, "more")
		}
		a, b = append(a, "common", "x", "last"), append(b, "y", "common", "last")
		kept := 0
		for _, p := range diff.Snapshots(long(t, a), long(t, b))[0].Lines {
			if p.Op == ' ' {
				kept++
			}
		}
		if kept != c.kept {
			t.Errorf("of %d and %d lines %d are kept, want %d", len(a), len(b), kept, c.kept)
		}
	}
}

// TestPieces checks that the kept and removed lines are the text before, that the kept and added lines are the text after, and that no
// more lines could be kept.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "\r", "é", "-x", " "})
		text := rapid.SliceOfN(line, 0, 20)
		a, b := text.Draw(t, "before"), text.Draw(t, "after")
		if rapid.Bool().Draw(t, "edited") { // a part of it is repeated or removed
			from, to := rapid.IntRange(0, len(a)).Draw(t, "from"), rapid.IntRange(0, len(a)).Draw(t, "to")
			b = slices.Concat(a[:from], a[to:])
		}
		l := diff.Snapshots(long(t, a), long(t, b))[0]
		if l.Before != strings.Join(a, "\n") || l.After != strings.Join(b, "\n") || l.Changed != (l.Before != l.After) {
			t.Fatalf("shows %+v", l)
		}
		if l.Lines == nil {
			if l.Changed && strings.Contains(l.Before+l.After, "\n") {
				t.Fatal("there are no lines")
			}
			return
		}
		var before, after []string
		kept := 0
		for _, p := range l.Lines {
			if p.Op != '+' {
				before = append(before, p.Text)
			}
			if p.Op != '-' {
				after = append(after, p.Text)
			}
			if p.Op == ' ' {
				kept++
			}
		}
		if strings.Join(before, "\n") != l.Before || strings.Join(after, "\n") != l.After {
			t.Fatalf("the pieces are %q", l.Lines)
		}
		if most := longest(split(l.Before), split(l.After)); kept != most {
			t.Fatalf("%d lines are kept, and %d could be", kept, most)
		}
	})
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// longest returns the length of the longest common subsequence of two texts, with a table of one row.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, line := range a {
		diagonal := 0
		for j, other := range b {
			above := row[j+1]
			if line == other {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
