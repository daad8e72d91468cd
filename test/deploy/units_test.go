package deploy_test

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var units = []string{"terrier.service", "terrier-worker@.service", "terrier-migrate.service"}

// mostExposure is the highest score of `systemd-analyze security` that a unit may have.
const mostExposure = 1.5

// TestUnits: systemd understands every line of the units, and rates them as well confined.
func TestUnits(t *testing.T) {
	t.Parallel()
	need(t, "systemd-analyze")
	dir := t.TempDir()
	for _, unit := range units {
		// The program is not installed here; everything else is read as it is.
		path := write(t, dir, unit, strings.ReplaceAll(shipped(t, "systemd", unit), "/usr/bin/terrier", "/bin/true"))
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", path).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "" {
			t.Errorf("%s: %v\n%s", unit, err, out)
		}
		out, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=yes", path).CombinedOutput()
		found := regexp.MustCompile(`Overall exposure level for \S+: (\d+\.\d+)`).FindStringSubmatch(string(out))
		if err != nil || found == nil {
			t.Errorf("%s: %v\n%s", unit, err, out)
			continue
		}
		if level, err := strconv.ParseFloat(found[1], 64); err != nil || level > mostExposure {
			t.Errorf("%s: exposure %s is above %v:\n%s", unit, found[1], mostExposure, out)
		}
	}
}

// TestUnitsStartNothingElse: no unit migrates by starting another, and secrets come as credentials only.
func TestUnitsStartNothingElse(t *testing.T) {
	t.Parallel()
	for _, unit := range units {
		text := shipped(t, "systemd", unit)
		if found := regexp.MustCompile(`(?m)^(Requires|BindsTo|Wants|ExecStartPre)=.*terrier`).FindString(text); found != "" {
			t.Errorf("%s starts something else: %s", unit, found)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "Environment=") && !strings.Contains(line, "_FILE=%d/") {
				t.Errorf("%s sets %s, which belongs into the settings file", unit, line)
			}
		}
		if wants := unit != "terrier-migrate.service"; strings.Contains(text, "LoadCredential=secret-key:") != wants {
			t.Errorf("%s has the secret key: %v", unit, !wants)
		}
	}
}

// TestUnitsMayWriteTheAuditLog: the units let server and workers write the file that the documentation names.
func TestUnitsMayWriteTheAuditLog(t *testing.T) {
	t.Parallel()
	page := shipped(t, "..", "docs", "audit.md")
	folder := regexp.MustCompile("`file:/var/log/([a-z]+)/[a-z.]+`").FindStringSubmatch(page)
	if folder == nil {
		t.Fatal("docs/audit.md names no file")
	}
	for _, unit := range units[:2] {
		if !strings.Contains(shipped(t, "systemd", unit), "\nLogsDirectory="+folder[1]+"\nLogsDirectoryMode=0750\n") {
			t.Errorf("%s can't write in /var/log/%s", unit, folder[1])
		}
	}
}
