package receivers

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The guide quotes the samples. A quotation must stay one.
func TestGuideQuotesTheSamples(t *testing.T) {
	t.Parallel()
	guide := read(t, "../../docs/receivers.md")
	samples := map[string]string{
		"go":     read(t, "go/main.go"),
		"python": read(t, "python/receiver.py"),
		"js":     read(t, "node/receiver.mjs") + read(t, "standardwebhooks/receiver.mjs"),
		"bash":   read(t, "bash/handle"),
	}
	quoted := make(map[string]bool)
	for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		sample, ok := samples[block[1]]
		if !ok {
			continue
		}
		quoted[block[1]] = true
		for line := range strings.Lines(block[2]) {
			if line = strings.TrimSpace(line); !strings.Contains(sample, line) {
				t.Errorf("no sample in %s has the line %q", block[1], line)
			}
		}
	}
	if len(quoted) != len(samples) {
		t.Errorf("only these are quoted: %v", quoted)
	}
}

func TestGuideShowsTheBody(t *testing.T) {
	t.Parallel()
	_, example, _ := strings.Cut(read(t, "../../docs/receivers.md"), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	var body map[string]any
	if err := json.Unmarshal([]byte(example), &body); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"event", "timestamp", "model", "username", "request_id", "data", "snapshots"} {
		if _, ok := body[key]; !ok {
			t.Errorf("the body has no %s", key)
		}
		delete(body, key)
	}
	if len(body) > 0 {
		t.Errorf("the body has more than seven keys: %v", body)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
