package docs_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainer are phrases that people have to read twice, with what to write instead. No file for people has one.
var plainer = map[string]string{
	`who (is|was|were) told`:  "notified webhooks",
	`can(not|'t) be told`:     "can't be found out",
	`(what|the oldest) waits`: "queued deliveries, oldest queued",
	`to be sent anyway`:       "already queued",
	`stands? (for|behind|by)`: "means, is after",
	`(goes?|going) before it`: "overrides it",
	`in force`:                "applies",
	`mend(s|ed|ing)?`:         "fix",
	`please`:                  "nothing",
	`whoever`:                 "anyone who, users who",
	`is no (event|filter|setting|backup|mistake)`: "is not an event",
	`but for`:                     "except for",
	`some [0-9]+`:                 "about",
	`by themselves`:               "automatically",
	`one's`:                       "your, their",
	`oneself`:                     "yourself, themselves",
	`former`:                      "old, previous",
	`kinds? of records?`:          "record type",
	`for ever`:                    "forever",
	`(anybody|anyone) on the way`: "in between",
	`what becomes of`:             "what happens to",
	`goes the way`:                "is sent like",
	`took away`:                   "removed",
}

// nowhere are phrases that no text has, comments included.
var nowhere = map[string]string{
	`(is|are|was|were) told`:         "is notified of, sees, differs by",
	`told of`:                        "notified of",
	`by itself`:                      "automatically, on its own",
	`stands (in|above|beside|there)`: "is in, is above",
	`shall`:                          "must",
	`ever more`:                      "more and more",
	`seldom`:                         "rarely, less often",
	`otherwise than`:                 "other than",
	`in vain`:                        "without effect",
	`anew`:                           "again",
	`astray`:                         "to the wrong place",
	`wherefrom`:                      "from where",
	`lest`:                           "so that … not",
	`upon`:                           "on",
	`thereof`:                        "of it",
	`thereby`:                        "by this",
	`therein`:                        "in it",
	`thereupon`:                      "then",
	`wherein`:                        "in which",
	`whereby`:                        "by which",
	`whereupon`:                      "then",
	`hereby`:                         "now",
	`whilst`:                         "while",
	`utili[sz]e[sd]?`:                "use",
	`in order to`:                    "to",
}

// A place is a folder, and how the names of its files end.
type place struct{ folder, ending string }

// written are the places of texts for people: pages, the command line, the declarations of records, alerts and documents.
var written = []place{
	{"docs", ".md"}, {"deploy", ".md"}, {"deploy", ".yml"}, {"packaging", ".md"}, {"internal/web", ".html"}, {"examples", ".md"},
	{"cmd", ".go"}, {"internal/inventory", ".go"}, {"internal/doctor", ".go"}, {"internal/webhookadmin", ".go"},
	{"internal/web/hookpages", ".go"}, {"internal/web/accountpages", ".go"},
}

// everything are the places of all texts that are ours.
var everything = []place{
	{"docs", ".md"}, {"deploy", ""}, {"packaging", ".md"}, {"examples", ""}, {"internal", ".go"}, {"internal", ".html"}, {"cmd", ".go"},
	{"internal/web/assets/own", ".js"}, {"test", ".go"}, {"test", ".mjs"}, {"test", ".py"}, {"test", "run"}, {"scripts", ""},
}

// TestPlainWords: no text has a phrase of the lists.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	searchPhrases(t, plainer, slices.DeleteFunc(textsOf(t, written), func(file string) bool { return strings.HasSuffix(file, "_test.go") }))
	searchPhrases(t, nowhere, textsOf(t, everything))
}

// searchPhrases reports where the phrases are.
func searchPhrases(t *testing.T, phrases map[string]string, files []string) {
	t.Helper()
	if len(files) < 200 {
		t.Fatalf("only %d files", len(files))
	}
	texts := make(map[string]string, len(files))
	for _, file := range files {
		texts[file] = strings.ToLower(read(t, filepath.Join(root, file)))
	}
	for phrase, plain := range phrases {
		search, certain := searchFor(phrase), certainPart(phrase)
		for file, text := range texts {
			if !strings.Contains(text, certain) {
				continue // regular expressions are slow
			}
			for _, at := range search.FindAllStringIndex(text, -1) {
				t.Errorf("%s:%d: %q: rather %s", file, 1+strings.Count(text[:at[0]], "\n"), strings.TrimSpace(text[at[0]:at[1]]), plain)
			}
		}
	}
}

// searchFor returns an expression for a phrase. It may go on in the next line, also of a comment.
func searchFor(phrase string) *regexp.Regexp {
	return regexp.MustCompile(`\b(` + strings.ReplaceAll(phrase, " ", `(?: |[ \t]*\n[ \t]*(?://|#|\*|>)?[ \t]*)`) + `)(\W|$)`)
}

var uncertain = regexp.MustCompile(` |\([^)]*\)\??|\[[^\]]*\][+?]?|.\?|\\.`)

// certainPart returns the longest part of a phrase that every text with it has.
func certainPart(phrase string) string {
	return slices.MaxFunc(uncertain.Split(phrase, -1), func(a, b string) int { return len(a) - len(b) })
}

// TestEveryPhraseIsFound: each phrase of the lists is found in a text that has it, in one line and over the end of a line.
func TestEveryPhraseIsFound(t *testing.T) {
	t.Parallel()
	for _, list := range []map[string]string{plainer, nowhere} {
		for phrase := range list {
			text := regexp.MustCompile(`\(([^|)]*)[^)]*\)\??`).ReplaceAllString(phrase, "$1") // the first of the alternatives
			text = strings.NewReplacer("s?", "s", "[0-9]+", "7", "[sz]", "z", "[sd]?", "d").Replace(text)
			for _, end := range []string{" ", "\n", "\n// ", "\n\t# "} {
				text := "it " + strings.ReplaceAll(text, " ", end) + "."
				if !searchFor(phrase).MatchString(text) || !strings.Contains(text, certainPart(phrase)) {
					t.Errorf("%q is not found in %q", phrase, text)
				}
			}
		}
	}
}

// textsOf returns the files of the places, and those at the top. This file has the phrases themselves.
func textsOf(t *testing.T, places []place) []string {
	t.Helper()
	files := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, p := range places {
		err := filepath.WalkDir(filepath.Join(root, p.folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				if err == nil && (entry.Name() == "node_modules" || entry.Name() == "testdata") {
					return fs.SkipDir
				}
				return err
			}
			if strings.HasSuffix(path, p.ending) && !strings.HasSuffix(path, "words_test.go") {
				files = append(files, strings.TrimPrefix(path, root+"/"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
