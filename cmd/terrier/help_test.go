package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// helped runs a command that prints help, and returns what it printed. Its process would end then.
func helped(t *testing.T, args ...string) (says string, err error) {
	t.Helper()
	var out bytes.Buffer
	parser, _, err := newParser(streams{strings.NewReader(""), &out, &out})
	if err != nil {
		t.Fatal(err)
	}
	type ended struct{}
	parser.Exit = func(int) { panic(ended{}) }
	defer func() {
		if end := recover(); end != nil {
			if _, ok := end.(ended); !ok {
				panic(end)
			}
			says = out.String()
		}
	}()
	var selected *kong.Context
	if selected, err = parser.Parse(args); err == nil {
		err = selected.Run(&session{})
	}
	return out.String(), err
}

// TestHelp: help is about the command; settings are shown only if they are asked for.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args            string
		shows, conceals string
	}{
		{"--help", "webhook create", "TERRIER_DATABASE_URL"},
		{"help", "webhook create", "TERRIER_DATABASE_URL"},
		{"help webhook test", "--record=TYPE/ID", "TERRIER_CONFIG"},
		{"webhook test --help", "--help-settings", "TERRIER_DATABASE_URL"},
		{"--help-settings", "TERRIER_DATABASE_URL", "--record"},
		{"--version", "terrier ", "Usage"},
		{"serve --version", "terrier ", "Usage"},
		{"webhook test --help-settings", "TERRIER_CONFIG", "webhook create"},
		{"webhook test x --help-settings", "TERRIER_DATABASE_URL", "webhook create"},
	} {
		says, err := helped(t, strings.Fields(c.args)...)
		if err != nil || !strings.Contains(says, c.shows) || strings.Contains(says, c.conceals) {
			t.Errorf("terrier %s shows\n%s(%v), want %s and not %s", c.args, says, err, c.shows, c.conceals)
		}
	}
	if _, err := helped(t, "help", "nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("help of a command that is not there: %v", err)
	}
}
