package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// apply returns the edited files of a bug, by their names. Each snippet must be in its file exactly once, or the bug is out of date.
func (b bug) apply(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range b.edits {
		if _, known := files[e.file]; !known {
			text, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, fmt.Errorf("bug %s no longer applies: %w", b.name, err)
			}
			files[e.file] = string(text)
		}
		if n := strings.Count(files[e.file], e.from); n != 1 {
			return nil, fmt.Errorf("bug %s no longer applies to %s, where %q stands %d times: bring test/faults/bugs.go up to date", b.name,
				e.file, e.from, n)
		}
		files[e.file] = strings.Replace(files[e.file], e.from, e.to, 1)
	}
	return files, nil
}

// trialTypes add record types with parents and children to the program. It has none of its own yet.
var trialTypes = []edit{
	{"internal/inventory/inventory.go", "import (\n", "import (\n\t\"terrier/test/trial\"\n"},
	{"internal/inventory/inventory.go", "func Types() []record.Type {\n",
		"func Types() []record.Type { return append(ours(), trial.Types()...) }\n\nfunc ours() []record.Type {\n"},
}

// clocksApart is how far the clock of the second server is ahead of all others.
const clocksApart = 3 * time.Second

// aheadEnv is a setting of the program under test alone: how far its clock is ahead.
const aheadEnv = "FAULTS_CLOCK_AHEAD"

// wrongClock lets the clock of the program be ahead of the machine's.
var wrongClock = edit{"internal/app/app.go", "now: time.Now,", "now: func() time.Time {\n\t\tahead, _ := time.ParseDuration(os.Getenv(\"" +
	aheadEnv + "\"))\n\t\treturn time.Now().Add(ahead)\n\t},"}

// build compiles the program, with a bug in it where there is one, into dir and returns the binary.
func (b bug) build(ctx context.Context, dir string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	b.edits = slices.Concat(trialTypes, []edit{wrongClock}, b.edits)
	files, err := b.apply(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		edited := filepath.Join(dir, b.name+"-"+filepath.Base(name))
		if err := os.WriteFile(edited, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = edited
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlayFile, binary := filepath.Join(dir, b.name+".json"), filepath.Join(dir, b.name)
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-overlay", overlayFile, "-o", binary, "./cmd/terrier")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("bug %s does not compile: %w\n%s", b.name, err, out)
	}
	return binary, nil
}
