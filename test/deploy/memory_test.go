package deploy_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestMemoryIsLimited: every unit, container and pod of a server or worker has a memory limit, which the process reads.
func TestMemoryIsLimited(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"terrier.service", "terrier-worker@.service"} {
		text := shipped(t, "systemd", unit)
		if !regexp.MustCompile(`(?m)^MemoryMax=\d+[MG]$`).MatchString(text) {
			t.Errorf("%s has no MemoryMax", unit)
		}
	}
	for file, limit := range map[string]*regexp.Regexp{
		"compose/compose.yaml": regexp.MustCompile(`(?m)^    command: \[(serve|worker)\]\n(    .*\n)*?    mem_limit: \d+[mg]`),
		"kubernetes/terrier.yaml": regexp.MustCompile(
			`(?m)^          args: \[(serve|worker)\]\n(          .*\n)*?          resources: .*limits: \{memory: \d+Mi\}`),
	} {
		directory, name, _ := strings.Cut(file, "/")
		var limited []string
		for _, found := range limit.FindAllStringSubmatch(shipped(t, directory, name), -1) {
			limited = append(limited, found[1])
		}
		if strings.Join(limited, " ") != "serve worker" {
			t.Errorf("%s limits the memory of %q", file, limited)
		}
	}
}

// TestImagesArePinned: the examples name exact versions of images, so that the same file always starts the same programs.
func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	image := regexp.MustCompile(`(?m)^\s+(?:- )?image: (\S+)`)
	exact := regexp.MustCompile(`:(\d+\.\d+\S*|VERSION|\$\{TERRIER_VERSION:\S*)$`)
	for _, file := range []string{"compose/compose.yaml", "kubernetes/terrier.yaml"} {
		directory, name, _ := strings.Cut(file, "/")
		found := image.FindAllStringSubmatch(shipped(t, directory, name), -1)
		if len(found) == 0 {
			t.Errorf("%s names no image", file)
		}
		for _, line := range found {
			if !exact.MatchString(line[1]) {
				t.Errorf("%s: %s can be another image tomorrow", file, line[1])
			}
		}
	}
}
