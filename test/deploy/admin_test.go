package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runAdmin runs terrier-admin with a settings file, and returns the environment that terrier would get.
func runAdmin(t *testing.T, settings string) (got map[string]string, complaint string) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "terrier.env", settings)
	program := "setpriv --reuid=terrier --regid=terrier --init-groups /usr/bin/terrier"
	text := shipped(t, "systemd", "terrier-admin")
	if !strings.Contains(text, program) {
		t.Fatalf("terrier-admin does not run %s", program)
	}
	text = strings.ReplaceAll(strings.Replace(text, program, "/usr/bin/env -0", 1), "/etc/terrier/", dir+"/")
	cmd := exec.CommandContext(t.Context(), "sh", write(t, dir, "terrier-admin", text))
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	got = map[string]string{}
	for _, pair := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		got[name] = strings.ReplaceAll(value, dir, "/etc/terrier")
	}
	if found, err := filepath.Glob(dir + "/ran*"); err != nil || len(found) > 0 {
		t.Errorf("the settings file made %v: %v", found, err)
	}
	return got, strings.ReplaceAll(stderr.String(), dir, "/etc/terrier")
}

// TestAdminReadsSettingsLiterally: root runs nothing that is in the settings file, and values arrive as they do in the services.
func TestAdminReadsSettingsLiterally(t *testing.T) {
	t.Parallel()
	got, complaint := runAdmin(t, `# TERRIER_COMMENT=1
; TERRIER_OTHER_COMMENT=1

TERRIER_AMPERSAND=postgres://h/d?a=1&b=2
TERRIER_SPACES=one two  three
TERRIER_COMMAND=$(touch ran-1)`+"`touch ran-2`"+`; touch ran-3
TERRIER_VARIABLE=$PATH
TERRIER_DOUBLE="two words"
TERRIER_SINGLE='two words'
TERRIER_INNER=say "yes"
  TERRIER_INDENTED=1
TERRIER_EMPTY=
touch ran-4
X$(touch ran-5)=1
TERRIER_LAST=no newline`)
	for name, want := range map[string]string{
		"TERRIER_AMPERSAND": "postgres://h/d?a=1&b=2",
		"TERRIER_SPACES":    "one two  three",
		"TERRIER_COMMAND":   "$(touch ran-1)`touch ran-2`; touch ran-3",
		"TERRIER_VARIABLE":  "$PATH",
		"TERRIER_DOUBLE":    "two words",
		"TERRIER_SINGLE":    "two words",
		"TERRIER_INNER":     `say "yes"`,
		"TERRIER_INDENTED":  "1",
		"TERRIER_EMPTY":     "",
		"TERRIER_LAST":      "no newline",
	} {
		if value, set := got[name]; value != want || !set {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	for name := range got {
		if strings.Contains(name, "COMMENT") || strings.HasPrefix(name, "X") {
			t.Errorf("%s is set", name)
		}
	}
	want := "terrier-admin: /etc/terrier/terrier.env, line 13 is not NAME=value, and is ignored\n"
	if want += strings.Replace(want, "13", "14", 1); complaint != want {
		t.Errorf("it says %q, want %q", complaint, want)
	}
}

// TestAdminHasTheSecretsOfTheUnits: terrier-admin names the files that the units load. The program refuses a secret in the
// settings beside them, here and there.
func TestAdminHasTheSecretsOfTheUnits(t *testing.T) {
	t.Parallel()
	got, _ := runAdmin(t, "TERRIER_DATABASE_URL=postgres://elsewhere/\n")
	unit := shipped(t, "systemd", "terrier.service")
	for name, file := range map[string]string{"TERRIER_DATABASE_URL_FILE": "database-url", "TERRIER_SECRET_KEY_FILE": "secret-key"} {
		if want := "/etc/terrier/" + file; got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
		if !strings.Contains(unit, "LoadCredential="+file+":/etc/terrier/"+file+"\nEnvironment="+name+"=%d/"+file+"\n") {
			t.Errorf("terrier.service does not read /etc/terrier/%s as %s", file, name)
		}
	}
	if got["TERRIER_DATABASE_URL"] == "" {
		t.Error("the address in the settings is not passed on, so the program can't refuse it")
	}
}
