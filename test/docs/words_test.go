package docs_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainer are phrases that people have to read twice, with what to write instead.
var plainer = map[string]string{
	`(is|are|was|were|be) told (of|about|so|when|that)`: "is notified of, sees",
	`who (is|was|were) told`:                            "notified webhooks",
	`can(not|'t) be told`:                               "can't be found out",
	`by itself`:                                         "automatically",
	`(what|the oldest) waits`:                           "queued deliveries, oldest queued",
	`stands? (in|above)`:                                "is in, is above",
	`(goes?|going) before it`:                           "overrides it",
	`in force`:                                          "applies",
	`shall`:                                             "must",
	`ever more`:                                         "more and more",
	`seldom`:                                            "rarely, less often",
	`otherwise than`:                                    "other than",
	`in vain`:                                           "without effect",
	`mend(s|ed|ing)?`:                                   "fix",
	`lest`:                                              "so that … not",
	`upon`:                                              "on",
	`(there|where|here)(of|upon|by|in)`:                 "of it, then, by this, in it",
	`whilst`:                                            "while",
	`one's`:                                             "your, their",
	`utili[sz]e[sd]?`:                                   "use",
	`in order to`:                                       "to",
	`please`:                                            "nothing",
	`it is (created|updated|deleted|saved)\.<`: "Created site Lisbon 1.",
}

// written are the places of texts for people: pages, the command line, the declarations of records, alerts and documents.
var written = []struct{ folder, ending string }{
	{"docs", ".md"}, {"deploy", ".md"}, {"deploy", ".yml"}, {"packaging", ".md"}, {"internal/web", ".html"}, {"cmd", ".go"},
	{"internal/inventory", ".go"}, {"internal/doctor", ".go"}, {"examples", ".md"},
}

// TestPlainWords: no text for people has a phrase of the list.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	files := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, w := range written {
		err := filepath.WalkDir(filepath.Join(root, w.folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, w.ending) && !strings.HasSuffix(path, "_test.go") {
				files = append(files, strings.TrimPrefix(path, root+"/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 200 {
		t.Fatalf("only %d files", len(files))
	}
	for phrase, instead := range plainer {
		found := regexp.MustCompile(`(?i)\b` + phrase + `(\W|$)`)
		for _, file := range files {
			for n, line := range strings.Split(read(t, filepath.Join(root, file)), "\n") {
				if hit := found.FindString(line); hit != "" {
					t.Errorf("%s:%d: %q: rather %q", file, n+1, strings.TrimSpace(hit), instead)
				}
			}
		}
	}
}
