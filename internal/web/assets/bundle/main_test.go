package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
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
