package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func newModel(t *testing.T) *kong.Application {
	t.Helper()
	parser, _, err := newParser(streams{})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model
}

// TestManPageHasEverything: every command, flag and setting that people may use, and no hidden one.
func TestManPageHasEverything(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	page := manPage(model, "1.2.3")
	for _, want := range []string{`"terrier 1.2.3"`, ".SS terrier user create <name>", `.B \-\-superuser`, `.B \-\-[no\-]strict\-filters`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, flag := range settingFlags(model) {
		if !strings.Contains(page, flag.Envs[0]) {
			t.Errorf("%s is missing", flag.Envs[0])
		}
	}
	if strings.Contains(page, "docs man") {
		t.Error("hidden commands are shown")
	}
	if got := roff(".a\\b-c"); got != `\&.a\eb\-c` {
		t.Errorf("roff: %q", got)
	}
}

// TestBashCompletion runs the script as a shell does when somebody presses the tabulator key.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	bashCompletion(&script, newModel(t))
	for words, want := range map[string][]string{
		"terrier us":                         {"user"},
		"terrier user cr":                    {"create"},
		"terrier user create joe --su":       {"--superuser"},
		"terrier --log-level debug user unl": {"unlock"},
		"terrier dev":                        {}, // hidden
	} {
		last := len(strings.Split(words, " ")) - 1
		command := script.String() + "\nCOMP_WORDS=(" + words + "); COMP_CWORD=" + string(rune('0'+last)) +
			"\n_terrier\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		out, err := exec.CommandContext(t.Context(), "bash", "-c", command).Output()
		got := slices.DeleteFunc(strings.Split(string(out), "\n"), func(s string) bool { return s == "" })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", words, got, err, want)
		}
	}
}

// TestShellsReadTheirCompletion: the scripts have no syntax error, where the shells are installed.
func TestShellsReadTheirCompletion(t *testing.T) {
	t.Parallel()
	for shell, write := range map[string]func(*strings.Builder, *kong.Application){
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(err)
			}
			var script strings.Builder
			write(&script, newModel(t))
			cmd := exec.CommandContext(t.Context(), shell, "-n")
			cmd.Stdin = strings.NewReader(script.String())
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
