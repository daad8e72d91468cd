package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSettingsFromFiles: a file is as good as the value, with or without a newline at its end, and may be validated twice.
func TestSettingsFromFiles(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("o", minSecretKey)
	for name, end := range map[string]string{"no newline": "", "newline": "\n", "of another system": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, want := valid(), valid()
			c.DatabaseURL, c.DatabaseURLFile = "", secretFile(t, want.DatabaseURL+end)
			c.SecretKey, c.SecretKeyFile = "", secretFile(t, want.SecretKey+end)
			c.SecretKeyOldFile = secretFile(t, other+"\n"+longKey+end)
			for range 2 {
				if err := c.Validate(); err != nil {
					t.Fatal(err)
				}
			}
			if c.DatabaseURL != want.DatabaseURL || c.SecretKey != want.SecretKey || !slices.Equal(c.SecretKeyOld, []string{other, longKey}) {
				t.Errorf("read %q, %q and %q", c.DatabaseURL, c.SecretKey, c.SecretKeyOld)
			}
		})
	}
}

// TestSettingsFilesAreRefused: the message has the setting and the remedy, never the content.
func TestSettingsFilesAreRefused(t *testing.T) {
	t.Parallel()
	const canary = "postgres://u:canary@h/d"
	for _, test := range []struct {
		name string
		file string
		want []string
	}{
		{"missing", filepath.Join(t.TempDir(), "missing"), []string{"missing: no such file", "write the value"}},
		{"empty", secretFile(t, "\n"), []string{"is empty", "write the value"}},
		{"a directory", t.TempDir(), []string{"is a directory"}},
		{"endless", "/dev/zero", []string{"/dev/zero has more than 65536 bytes"}},
		{"both", secretFile(t, strings.Repeat("canary", 10)), []string{"are both set", "remove one"}},
	} {
		for setting, set := range map[string]func(*Config){
			"TERRIER_DATABASE_URL":   func(c *Config) { c.DatabaseURLFile, c.DatabaseURL = test.file, "" },
			"TERRIER_SECRET_KEY":     func(c *Config) { c.SecretKeyFile, c.SecretKey = test.file, "" },
			"TERRIER_SECRET_KEY_OLD": func(c *Config) { c.SecretKeyOldFile = test.file },
		} {
			c := valid()
			set(&c)
			if test.name == "both" {
				c.DatabaseURL, c.SecretKey, c.SecretKeyOld = canary, strings.Repeat("canary", 10), []string{canary}
			}
			err := c.Validate()
			if err == nil {
				t.Errorf("%s: %s is accepted", test.name, setting)
				continue
			}
			for _, want := range append(test.want, setting+"_FILE") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %q is not in %q", test.name, want, err)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: the message shows the secret: %v", test.name, err)
			}
		}
	}
}

// TestDatabaseNeedsNoKeyFile: what only prepares the database does not read the key.
func TestDatabaseNeedsNoKeyFile(t *testing.T) {
	t.Parallel()
	c := valid()
	c.SecretKey, c.SecretKeyFile = "", "/missing"
	if err := c.ValidateDatabase(); err != nil {
		t.Error(err)
	}
}

func secretFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
