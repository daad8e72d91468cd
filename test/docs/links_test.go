// Package docs_test tests the documentation as its readers use it: every link leads somewhere.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const root = "../.."

// TestLinks: every link between the documents, and from them to files, leads to a file and a heading that are there.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := textsOf(t, []place{{"docs", ".md"}})
	followed := 0
	for _, page := range pages {
		page = filepath.Join(root, page)
		for _, link := range links(read(t, page)) {
			followed++
			if problem := follow(t, page, link); problem != "" {
				t.Errorf("%s: %s: %s", strings.TrimPrefix(page, root+"/"), link, problem)
			}
		}
	}
	if len(pages) < 60 || followed < 400 {
		t.Errorf("only %d links of %d pages", followed, len(pages))
	}
}

// TestDeadLinks: links of every form are found, and those that lead nowhere are seen.
func TestDeadLinks(t *testing.T) {
	t.Parallel()
	const page = "[a](gone.md), [b](README.md#gone) and [c](README.md \"a title\"), [d](#gone)\n" +
		"<img src=\"images/gone.png\" srcset=\"images/gone.svg\"> [e](https://example.com) `[f](code.md)` [g](README.md#reference)\n" +
		"```sh\n[h](code.md)\n```\n![i](images/gone.png)\n"
	var dead []string
	for _, link := range links(page) {
		if follow(t, root+"/docs/glossary.md", link) != "" {
			dead = append(dead, link)
		}
	}
	want := []string{"gone.md", "README.md#gone", "#gone", "images/gone.png", "images/gone.svg", "images/gone.png"}
	if !slices.Equal(dead, want) {
		t.Errorf("dead are %q, want %q", dead, want)
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
	linkText = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)|\b(?:href|src|srcset)="([^"]+)"`)
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	named    = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// links are the links of a page that stay in the repository. What is quoted as code is no link.
func links(page string) (found []string) {
	page = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(fence.ReplaceAllString(page, ""), "")
	for _, m := range linkText.FindAllStringSubmatch(page, -1) {
		if link := m[1] + m[2]; !strings.Contains(link, "://") && !strings.HasPrefix(link, "mailto:") {
			found = append(found, link)
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
