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
	`a miss`:                      "a condition error",
	`(goes|go|going) before`:      "overrides, comes before",
	`holds? (for|in|until)`:       "applies",
	`who loses (it|one|a|the)`:    "if you lose it",
	`tick (what|which|the|all)`:   "select",
	`the latter`:                  "name it again",
	`whom`:                        "who, that",
	`of whose`:                    "of which, their",
	`if it stays so`:              "if it fails again",
	`signs? of life`:              "alive, heartbeat",
	`fell silent`:                 "no longer reported",
	`is called as`:                "has the name of",
	`is no [a-z]+`:                "is not a, there is no",
	`of the last [0-9]+ (attempts|requests|deliveries)`:             "for the last …",
	`[a-z]+ %[sq] (is|was) (created|updated|changed|saved|deleted)`: "Created …",
}

// synonyms are other words for what the glossary has a word for. Texts use the word of the glossary.
var synonyms = map[string]string{
	`re-?sen(d|ds|t|ding)`:                  "send again, attempt",
	`redeliver(y|ies|ed)`:                   "send again",
	`subscri(ber|bers|ption|ptions)`:        "webhook, receiver",
	`dead letters?`:                         "failed delivery",
	`endpoints?`:                            "receiver, address",
	`callbacks?`:                            "webhook",
	`entit(y|ies)`:                          "record",
	`audit (trail|trails)`:                  "audit log",
	`(change|edit|event) (history|journal)`: "change log",
	`api keys?`:                             "token",
	`back-?offs?`:                           "growing intervals",
	`backlogs?`:                             "queue, queued deliveries",
	`suspend(s|ed)?`:                        "pause",
	`un(healthy|delivered)`:                 "failing, queued or failed",
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

// allowed are parts of sentences that look like a phrase of the lists and are plain.
var allowed = regexp.MustCompile(`there is no\b|is no (longer|more)\b`)

// A place is a folder, and how the names of its files end.
type place struct{ folder, ending string }

// written are the places of documents and pages.
var written = []place{
	{"docs", ".md"}, {"deploy", ".md"}, {"deploy", ".yml"}, {"packaging", ".md"}, {"internal/web", ".html"}, {"examples", ".md"},
}

// declared are the places of code that declares records and the command line: its comments are as plain as its texts.
var declared = []place{
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
	documents, declarations, code := textsOf(t, written), withoutTests(textsOf(t, declared)), withoutTests(textsOf(t, spoken))
	searchPhrases(t, plainer, slices.Concat(documents, declarations), whole)
	searchPhrases(t, plainer, code, literalsOf)
	searchPhrases(t, synonyms, documents, whole)
	searchPhrases(t, synonyms, slices.Concat(declarations, code), literalsOf)
	searchPhrases(t, nowhere, textsOf(t, everything), whole)
}

// withoutTests leaves out the tests of Go.
func withoutTests(files []string) []string {
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// whole returns all of a file.
func whole(t *testing.T, file string) []literal {
	t.Helper()
	return []literal{{1, read(t, filepath.Join(root, file))}}
}

// searchPhrases reports where the phrases are in the texts of the files.
func searchPhrases(t *testing.T, phrases map[string]string, files []string, textsIn func(*testing.T, string) []literal) {
	t.Helper()
	if len(files) < 100 {
		t.Fatalf("only %d files", len(files))
	}
	texts := make(map[string][]literal, len(files))
	for _, file := range files {
		for _, text := range textsIn(t, file) {
			lower := allowed.ReplaceAllStringFunc(strings.ToLower(text.text), func(s string) string { return strings.Repeat("-", len(s)) })
			texts[file] = append(texts[file], literal{text.line, lower})
		}
	}
	for phrase, plain := range phrases {
		search, certain := searchFor(phrase), certainPart(phrase)
		for file, all := range texts {
			for _, text := range all {
				if !strings.Contains(text.text, certain) {
					continue // regular expressions are slow
				}
				for _, at := range search.FindAllStringIndex(text.text, -1) {
					line, found := text.line+strings.Count(text.text[:at[0]], "\n"), strings.TrimSpace(text.text[at[0]:at[1]])
					t.Errorf("%s:%d: %q: rather %s", file, line, found, plain)
				}
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
	for _, list := range []map[string]string{plainer, nowhere, synonyms} {
		for phrase := range list {
			text := regexp.MustCompile(`\(([^|)]*)[^)]*\)\??`).ReplaceAllString(phrase, "$1") // the first of the alternatives
			text = strings.NewReplacer("s?", "s", "-?", "-", "[0-9]+", "7", "[sz]", "z", "[sq]", "q", "[sd]?", "d", "[a-z]+", "word").Replace(text)
			for _, end := range []string{" ", "\n", "\n// ", "\n\t# "} {
				text := "it " + strings.ReplaceAll(text, " ", end) + "."
				if !searchFor(phrase).MatchString(text) || !strings.Contains(text, certainPart(phrase)) {
					t.Errorf("%q is not found in %q", phrase, text)
				}
			}
		}
	}
	if text := "there is no site, and it is no longer one"; len(allowed.FindAllString(text, -1)) != 2 {
		t.Errorf("not allowed: %q", text)
	}
}

// textsOf returns the files of the places; with docs, those at the top too. This file has the phrases themselves.
func textsOf(t *testing.T, places []place) []string {
	t.Helper()
	var files []string
	if slices.ContainsFunc(places, func(p place) bool { return p.folder == "docs" }) {
		files = []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	}
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
