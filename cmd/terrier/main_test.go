package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// parse fills the settings as run does. Tests that set the environment cannot be parallel.
func parse(t *testing.T, args ...string) (settings, error) {
	t.Helper()
	parser, line, err := newParser(streams{strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return line.Settings, err
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSettingsPrecedence(t *testing.T) {
	path := writeFile(t, `{"listen": "file:1", "base_url": "http://file", "log_level": "debug", "strict_filters": false,
		"changelog_retention": 365,
		"exempt_view_permissions": ["dcim.site", "dcim.region"]}`)
	t.Setenv("TERRIER_CONFIG", path)
	t.Setenv("TERRIER_LISTEN", "env:1")
	t.Setenv("TERRIER_LOG_LEVEL", "warn")
	t.Setenv("TERRIER_SECRET_KEY_OLD", "one,two")

	got, err := parse(t, "serve", "--log-level", "error")
	if err != nil {
		t.Fatal(err)
	}
	for what, values := range map[string][2]string{
		"flag before environment":    {got.LogLevel, "error"},
		"environment before file":    {got.Listen, "env:1"},
		"file before default":        {got.BaseURL, "http://file"},
		"default":                    {got.LogFormat, "text"},
		"list in the file":           {strings.Join(got.ExemptViewPermissions, " "), "dcim.site dcim.region"},
		"list in the environment":    {strings.Join(got.SecretKeyOld, " "), "one two"},
		"number in the file":         {fmt.Sprint(got.ChangelogRetention), "365"},
		"number at rest":             {fmt.Sprint(got.DeliveryRetention), "30"},
		"switched off in the file":   {yesNo(got.StrictFilters), "no"},
		"switch that is off at rest": {yesNo(got.LoginRequired), "no"},
	} {
		if values[0] != values[1] {
			t.Errorf("%s: %q, want %q", what, values[0], values[1])
		}
	}

	t.Setenv("TERRIER_STRICT_FILTERS", "true")
	if got, err := parse(t, "serve"); err != nil || !got.StrictFilters {
		t.Errorf("the environment does not switch on what the file switches off: %v", err)
	}
	if got, err := parse(t, "serve", "--no-strict-filters"); err != nil || got.StrictFilters {
		t.Errorf("--no-strict-filters has no effect: %v", err)
	}
}

func TestSettingsFileIsRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", `{"login_requierd": true}`, "login_requierd"},
		{"a command's flag", `{"superuser": true}`, "superuser"},
		{"bad value", `{"log_level": "loud"}`, "log-level"},
		{"not an object", `[]`, "settings file"},
		{"something after the object", `{} {}`, "one JSON object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(t, "serve", "--config", writeFile(t, test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
	if _, err := parse(t, "serve", "--config", filepath.Join(t.TempDir(), "missing.json")); err == nil {
		t.Error("a file that is not there is accepted")
	}
}

func TestRunNeedsSettings(t *testing.T) {
	for _, name := range []string{"TERRIER_DATABASE_URL", "TERRIER_SECRET_KEY"} {
		t.Setenv(name, "")
	}
	for _, args := range []string{"serve", "migrate", "user list", "token revoke 1"} {
		err := run(t.Context(), strings.Fields(args), streams{strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer)})
		if err == nil || !strings.Contains(err.Error(), "TERRIER_DATABASE_URL is not set") {
			t.Errorf("terrier %s: %v", args, err)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"version"}, streams{strings.NewReader(""), &out, new(bytes.Buffer)}); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(out.String(), "terrier ") {
		t.Errorf("version prints %q", &out)
	}
}

func TestReadPassword(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in, want string
		fails    bool
	}{
		{in: "secret", want: "secret"},
		{in: "secret\n", want: "secret"},
		{in: "secret\r\n", want: "secret"},
		{in: " with spaces \n\n", want: " with spaces \n"},
		{in: "", fails: true},
		{in: "\n", fails: true},
		{in: strings.Repeat("x", maxSecret+1), fails: true},
	} {
		got, err := readSecret(strings.NewReader(test.in), "password")
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%.20q: %q, %v", test.in, got, err)
		}
	}
}

func TestPasswordNeedsATerminalOrStdin(t *testing.T) {
	t.Parallel()
	s := &session{streams: streams{in: strings.NewReader("secret")}}
	if _, err := s.password(t.Context(), false); err == nil || !strings.Contains(err.Error(), "--password-stdin") {
		t.Errorf("error %v does not say what to do", err)
	}
}

func TestLifetime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"12h": 12 * time.Hour, "90d": 90 * day, "1h30m": 90 * time.Minute,
		"": 0, "0": 0, "0d": 0, "-1h": 0, "d": 0, "99999999d": 0, "soon": 0,
	} {
		var got lifetime
		err := got.UnmarshalText([]byte(text))
		if time.Duration(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %s, %v", text, time.Duration(got), err)
		}
	}
}

func TestPrintTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &session{streams: streams{out: &out}}
	when := time.Date(2025, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	if err := s.printTable([][]string{{"ID", "EXPIRES", "X"}, {"1", timeOrNever(&when), "a"}, {"10", timeOrNever(nil), "b"}}); err != nil {
		t.Fatal(err)
	}
	want := "ID  EXPIRES               X\n1   2025-01-02T02:04:05Z  a\n10  never                 b\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
	out.Reset()
	if err := s.printTable([][]string{{"1", "\x1b]0;owned\x07", "a\nb\tc \x9b31m \u009b31m \u202e"}, {"2", "é 日", `\x1b`}}); err != nil {
		t.Fatal(err)
	}
	want = "1  \\x1b]0;owned\\x07  a\\x0ab\\x09c \\x9b31m \\u{9b}31m \\u{202e}\n2  é 日               \\x1b\n"
	if out.String() != want {
		t.Errorf("printed\n%qwant\n%q", &out, want)
	}
}

func TestConfigurationPageIsFresh(t *testing.T) {
	t.Parallel()
	parser, _, err := newParser(streams{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != configurationPage(parser.Model) {
		t.Error("docs/configuration.md is stale: make docs")
	}
	names := make([]string, 0)
	for _, flag := range settingFlags(parser.Model) {
		names = append(names, flag.Envs...)
	}
	if !slices.Contains(names, "TERRIER_DATABASE_URL") || slices.Contains(names, "TERRIER_CONFIG") {
		t.Errorf("the settings are %v", names)
	}
}

// TestEndWithin: some time after the first signal the process ends, whatever it is doing.
func TestEndWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		endWithin(ctx, longestStop, func() { close(ended) })
		<-time.After(time.Hour)
		select {
		case <-ended:
			t.Error("ended though nobody asked for it")
		default:
		}
		asked := time.Now()
		cancel()
		<-ended
		if took := time.Since(asked); took != longestStop {
			t.Errorf("ended after %v", took)
		}
	})
}
