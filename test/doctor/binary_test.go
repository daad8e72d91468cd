package doctor_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/dbtest"
	"terrier/internal/doctor"
	"terrier/test/install"
)

// TestExitCodes: 0 without a failure, 1 if a check failed, 2 if the checks could not run. No output contains a secret.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	canaries := &install.Canaries{T: t}
	database, err := url.Parse(dbtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	database.User = url.UserPassword(database.User.Username(), canaries.Password("the database"))
	good := []string{"DATABASE_URL=" + database.String(), "SECRET_KEY=" + canaries.Watch("the secret key", install.RandomHex(32)),
		"BASE_URL=http://localhost"}
	broken := strings.Replace(database.String(), "127.0.0.1:", "127.0.0.1:x", 1)
	away := strings.Replace(database.String(), database.Port(), strings.TrimPrefix(freeAddress(t), "127.0.0.1:"), 1)
	empty := strings.Replace(database.String(), database.Path, "/postgres", 1)
	for _, c := range []struct {
		name, settings, args string
		code                 int
		says                 string
	}{
		{"warnings alone", "", "--skip database", 0, "fleet\n"}, // the server of tests is not durable
		{"json", "", "--json --only settings", 0, `"status": "ok"`},
		{"offline", "BASE_URL=https://nowhere.invalid", "--offline --only settings", 0, "its host was not looked up"},
		{"only", "", "--only settings,keys", 0, "9 ok\n"},
		{"strict", "SECRT_KEY=x", "--only settings --strict", 1, "did you mean TERRIER_SECRET_KEY?"},
		{"not strict", "SECRT_KEY=x", "--only settings", 0, "5 ok, 1 warning\n"},
		{"a value that is refused", "LOG_LEVEL=loud", "--only settings,schema", 1, "TERRIER_LOG_LEVEL: "},
		{"two values that are refused", "LOG_LEVEL=loud CHANGELOG_RETENTION=many", "--only settings", 1, "TERRIER_CHANGELOG_RETENTION: "},
		{"a setting that is wrong", "EGRESS_ALLOW=moon", "--offline --skip database", 1, "see settings-parse"},
		{"a settings file that is missing", "CONFIG=/does/not/exist", "--only settings", 1, "TERRIER_CONFIG: "},
		{"one in the line", "", "--only settings --config /does/not/exist", 1, "TERRIER_CONFIG: "},
		{"no address", "DATABASE_URL=", "", 1, "TERRIER_DATABASE_URL is not set"},
		{"a broken address", "DATABASE_URL=" + broken, "", 1, "TERRIER_DATABASE_URL is not understood"},
		{"no database", "DATABASE_URL=" + away, "", 1, "connection refused"},
		{"a wrong mode", "DATABASE_URL=" + database.String() + "&default_query_exec_mode=exec", "", 1, "default_query_exec_mode"},
		{"a short key", "SECRET_KEY=canary", "--only keys,settings", 1, "see settings-key"},
		{"no database, which no chosen check names", "DATABASE_URL=" + away, "--only queues", 2, "no connection to the database"},
		{"the same, strict", "DATABASE_URL=" + away, "--only queues --strict", 2, "queues-oldest could not run"},
		{"no address, which no chosen check names", "DATABASE_URL=", "--only fleet --json", 2, `"blocked": true`},
		{"no schema, which no chosen check names", "DATABASE_URL=" + empty, "--only fleet", 2, "the database has no schema"},
		{"no key, which no chosen check names", "SECRET_KEY=short", "--only keys", 2, "see settings-key"},
		{"left out on purpose", "SECRET_KEY=short", "--only proxy --offline", 0, "1 ok, 2 skipped\n"},
		{"an unknown group", "", "--only setings", 2, `did you mean "settings"? The groups`},
		{"an unknown flag", "", "--bogus", 2, "--bogus"},
		{"a flag that is refused", "", "--log-level=loud", 2, "--log-level"},
		{"no address of a server", "", "--via localhost", 2, "--via needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := install.New(t, "", good...)
			in.Set(strings.Fields(c.settings)...)
			out, code := in.Terrier("", append([]string{"doctor"}, strings.Fields(c.args)...)...)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d and %q: %s", code, c.code, c.says, out)
			}
			canaries.Absent("the output", out)
		})
	}
}

// TestJSON: the report can be read by a program, and has all checks.
func TestJSON(t *testing.T) {
	t.Parallel()
	out, _ := install.New(t, dbtest.New(t)).Terrier("", "doctor", "--json", "--offline")
	var report doctor.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(report.Results) != len(doctor.Checks()) || report.Program == "" || report.At.IsZero() {
		t.Errorf("%s", out)
	}
	for _, r := range report.Results {
		if wrong := r.Status == doctor.Warn || r.Status == doctor.Fail; wrong != (r.Remedy != "") || r.Seen == "" {
			t.Errorf("%+v", r)
		}
	}
}
