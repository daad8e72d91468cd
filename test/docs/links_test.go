// Package docs_test tests the documentation as its readers use it: every link leads somewhere.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

// TestLinks: every link between the documents, and from them to files, leads to a file and a heading that are there.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob(root + "/docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(append(pages, decisions...), root+"/README.md", root+"/CONTRIBUTING.md", root+"/CHANGELOG.md")
	if len(pages) < 30 {
		t.Fatalf("only %d pages", len(pages))
	}
	for _, page := range pages {
		for _, link := range links(read(t, page)) {
			if problem := follow(t, page, link); problem != "" {
				t.Errorf("%s: %s: %s", strings.TrimPrefix(page, root+"/"), link, problem)
			}
		}
	}
}

// follow returns what is wrong with a link of a page.
func follow(t *testing.T, page, link string) string {
	t.Helper()
	path, heading, _ := strings.Cut(link, "#")
	target := page
	if path != "" {
		target = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(target); err != nil {
		return "no such file"
	}
	if heading != "" && !anchors(read(t, target))[heading] {
		return "no such heading"
	}
	return ""
}

var (
	linkText = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	named    = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// links are the links of a page that stay in the repository. What is quoted as code is no link.
func links(page string) (found []string) {
	page = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(fence.ReplaceAllString(page, ""), "")
	for _, m := range linkText.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[1], "://") && !strings.HasPrefix(m[1], "mailto:") {
			found = append(found, m[1])
		}
	}
	return found
}

// anchors are the headings of a page as links name them: in lower case, with dashes, without punctuation.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range headings.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		found[m[1]] = true
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
