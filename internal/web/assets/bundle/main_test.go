package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// packages returns a folder with files like those of the packages.
func packages(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "dist", ".gitkeep"), "")
	for _, p := range parts {
		at := filepath.Join(folder, "node_modules", p.pkg)
		write(t, filepath.Join(at, "package.json"), `{"name": "`+p.pkg+`", "version": "1.2.3", "license": "MIT"}`)
		for _, from := range p.files {
			write(t, filepath.Join(at, from), "body of "+from+"\n/*# sourceMappingURL=x.map */\n//# sourceMappingURL=x.map")
		}
		for _, from := range p.icons {
			write(t, filepath.Join(at, "icons", from+".svg"), `<svg xmlns="x" class="bi" viewBox="0 0 16 16">`+"\n  <path d=\"M1 1\"/>\n</svg>")
		}
		for _, name := range p.licences {
			write(t, filepath.Join(at, name), "text of "+p.pkg+"'s "+name)
		}
	}
	return folder
}

func TestBundle(t *testing.T) {
	folder := packages(t)
	stale := filepath.Join(folder, "dist", "dropped.js.gz")
	write(t, stale, "of an earlier version")
	if err := bundle(folder); err != nil {
		t.Fatal(err)
	}
	licences := unpack(t, filepath.Join(folder, "dist", "LICENSES.txt.gz"))
	for _, p := range parts {
		for name, from := range p.files {
			if got, want := unpack(t, filepath.Join(folder, "dist", name+".gz")), "body of "+from+"\n"; got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		for _, want := range append([]string{p.pkg + " 1.2.3 (MIT)"}, p.licences...) {
			if !strings.Contains(licences, want) {
				t.Errorf("LICENSES.txt does not hold %q", want)
			}
		}
	}
	drawn := unpack(t, filepath.Join(folder, "dist", sprites+".gz"))
	if want := `<symbol id="edit" viewBox="0 0 16 16"><path d="M1 1"/></symbol>`; !strings.Contains(drawn, want) {
		t.Errorf("the icons have no %s: %s", want, drawn)
	}
	if n := strings.Count(drawn, "<symbol"); n != len(icons) {
		t.Errorf("%d icons, want %d", n, len(icons))
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("a file that is no longer taken is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "dist", ".gitkeep")); err != nil {
		t.Error(err)
	}
}

func TestBundleAgainLeavesTheFilesAlone(t *testing.T) {
	folder := packages(t)
	if err := bundle(folder); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "dist", "htmx.js.gz")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := bundle(folder); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("the same content was written again")
	}
}

func TestBundleWithoutPackages(t *testing.T) {
	err := bundle(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "npm ci") {
		t.Errorf("error %v, want one that says to run npm ci", err)
	}
}

// TestBundleWithoutLicence: a package without its licence is refused.
func TestBundleWithoutLicence(t *testing.T) {
	for _, p := range parts {
		folder := packages(t)
		if err := os.Remove(filepath.Join(folder, "node_modules", p.pkg, "LICENSE")); err != nil {
			t.Fatal(err)
		}
		if err := bundle(folder); err == nil {
			t.Errorf("%s was taken without its licence", p.pkg)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "dist", "*.gz")); len(left) > 0 {
			t.Errorf("half a bundle was left: %v", left)
		}
	}
}

// TestIconsAreUsed: templates name only icons that are there, and each is used.
func TestIconsAreUsed(t *testing.T) {
	unused := maps.Clone(icons)
	for _, pattern := range []string{"../../templates/*.html", "../../*/templates/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(err, files)
		}
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range regexp.MustCompile(`{{icon "([^"]+)"}}`).FindAllSubmatch(content, -1) {
				if icons[string(found[1])] == "" {
					t.Errorf("%s: there is no icon %s", path, found[1])
				}
				delete(unused, string(found[1]))
			}
		}
	}
	for name := range unused {
		if !strings.HasPrefix(name, "section-") { // named by the section
			t.Errorf("the icon %s is not used", name)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, path string) string {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
