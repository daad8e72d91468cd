package main

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"terrier/internal/app"
	"terrier/internal/doctor"
)

// TestSettingNames: doctor knows exactly the settings that the command line takes from the environment.
func TestSettingNames(t *testing.T) {
	t.Parallel()
	parser, _, err := newParser(streams{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{app.ConfigVariable}
	for _, flag := range settingFlags(parser.Model) {
		names = append(names, flag.Envs...)
	}
	known := app.SettingNames()
	slices.Sort(names)
	slices.Sort(known)
	if !slices.Equal(names, known) {
		t.Errorf("doctor knows %v, the command line %v", known, names)
	}
}

// TestPrintReport: columns are aligned, the remedy is below what is wrong, and nothing controls the terminal.
func TestPrintReport(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	report := doctor.Report{Results: []doctor.Result{
		{Group: "settings", Name: "parse", Status: doctor.OK, Seen: "fine"},
		{Group: "queues", Name: "oldest", Status: doctor.Fail, Seen: "\x1b[2J waits", Remedy: "terrier worker", Page: "docs/x.md#y"},
		{Group: "queues", Name: "lost", Status: doctor.Skip, Seen: "no"},
	}}
	if err := printReport(newScreen(&out), report); err != nil {
		t.Fatal(err)
	}
	want := `settings
  ok    parse   fine

queues
  fail  oldest  \x1b[2J waits
                → terrier worker
                  docs/x.md#y
  skip  lost    no

1 ok, 1 failed, 1 skipped
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", &out, want)
	}
}

// TestEnd: an error ends the process with 1, unless it brings a code of its own.
func TestEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, 0, ""}, {errors.New("broken"), 1, "terrier: broken\n"}, {&exit{code: 1}, 1, ""}, {&exit{2, errors.New("no")}, 2, "terrier: no\n"},
	} {
		var out bytes.Buffer
		if code := end(&out, c.err); code != c.code || out.String() != c.says {
			t.Errorf("%v: exit code %d and %q", c.err, code, &out)
		}
	}
}
