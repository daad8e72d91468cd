package docs_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var setting = regexp.MustCompile(`\bTERRIER_[A-Z0-9_]*[A-Z0-9]\b`)

// ours are read by tests, scripts and the compose file of the repository, not by the program.
var ours = []string{"TERRIER_TEST_DATABASE_URL", "TERRIER_E2E_ROWS", "TERRIER_POSTGRES_BIN", "TERRIER_CONFIG", "TERRIER_VERSION"}

// operators are the pages for those who run Terrier.
var operators = []string{"audit", "backup", "cli", "first-steps", "install", "monitoring", "operations", "packages", "proxies",
	"scaling", "sizing", "troubleshooting", "upgrade"}

// TestSettings: every setting that pages for operators and the examples of deploy/ name is one of the program.
func TestSettings(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range setting.FindAllString(read(t, root+"/docs/configuration.md"), -1) {
		known[name] = true
	}
	files := []string{root + "/README.md"}
	for _, page := range operators {
		files = append(files, root+"/docs/"+page+".md")
	}
	err := filepath.WalkDir(root+"/deploy", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, name := range setting.FindAllString(read(t, file), -1) {
			if !known[name] && !slices.Contains(ours, name) {
				t.Errorf("%s names %s, which is no setting", strings.TrimPrefix(file, root+"/"), name)
			}
		}
	}
}
