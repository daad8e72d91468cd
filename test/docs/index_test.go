package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tasks are the headings of the index, in the order in which readers need them.
var tasks = []string{"Install", "First steps", "Model your network", "Automate", "Webhooks", "Feed", "Operate", "Reference", "Develop"}

var (
	indexHeading = regexp.MustCompile(`(?m)^## (.+)$`)
	indexLine    = regexp.MustCompile(`(?m)^- \[([^\]]+)\]\(([^)]+)\): .+\.$`)
)

// TestIndex: docs/README.md lists every page once, under the heading of its task and with a sentence. The page has the same title, and
// leads back to that heading.
func TestIndex(t *testing.T) {
	t.Parallel()
	index := read(t, root+"/docs/README.md")
	var headings []string
	listed := map[string]bool{}
	for i, at := range indexHeading.FindAllStringSubmatchIndex(index, -1) {
		task, rest := index[at[2]:at[3]], index[at[1]:]
		if next := indexHeading.FindStringIndex(rest); next != nil {
			rest = rest[:next[0]]
		}
		headings = append(headings, task)
		lines := indexLine.FindAllStringSubmatch(rest, -1)
		if len(lines) == 0 || len(lines) != strings.Count(rest, "\n- ") {
			t.Errorf("heading %d, %s: a line is not of the form \"- [Title](page.md): sentence.\"", i+1, task)
		}
		for _, line := range lines {
			if listed[line[2]] {
				t.Errorf("%s is listed twice", line[2])
			}
			listed[line[2]] = true
			checkPage(t, task, line[1], line[2])
		}
	}
	if !slices.Equal(headings, tasks) {
		t.Errorf("the headings are %q", headings)
	}
	pages, err := filepath.Glob(root + "/docs/*.md")
	if err != nil || len(pages) < 30 {
		t.Fatal(len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); !listed[name] && name != "README.md" {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// checkPage checks the head of a page of docs/.
func checkPage(t *testing.T, task, title, name string) {
	t.Helper()
	if strings.Contains(name, "/") {
		return // not a page of its own
	}
	anchor := strings.ReplaceAll(strings.ToLower(task), " ", "-")
	want := "# " + title + "\n\n[Documentation](README.md) › [" + task + "](README.md#" + anchor + ")\n\n"
	if page := read(t, root+"/docs/"+name); !strings.Contains(page[:min(len(page), 400)], want) {
		t.Errorf("%s does not begin with\n%s", name, want)
	}
}
