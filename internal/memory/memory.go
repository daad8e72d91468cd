// Package memory owns how much memory the process uses: from a setting, or from the limit of its control group.
//
// Go's runtime does not read the limit of a container. Without being told, it collects garbage when the heap has doubled, and
// the kernel ends the process before that.
package memory

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// share is the part of the limit, in percent, that Go's runtime aims for. The rest is for what it does not count, and for
// what is allocated while it collects.
const share = 80

// units are what a size may end in, as in GOMEMLIMIT.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}, {"", 1}}

// least is the least limit that makes sense: with less, the process would do nothing but collect garbage.
const least = 64 << 20

// Parse reads a size such as 512MiB.
func Parse(text string) (int64, error) {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/unit.bytes {
			break
		}
		if n *= unit.bytes; n < least {
			return 0, fmt.Errorf("it must be at least %dMiB", least>>20)
		}
		return n, nil
	}
	return 0, fmt.Errorf("it needs a number and a unit, such as 512MiB")
}

// Limit tells Go's runtime to stay below the given size, or without one below the limit of the control group. It returns what the
// runtime aims for, and why; 0 if there is no limit. GOMEMLIMIT overrides both.
func Limit(size int64, root fs.FS) (aim int64, why string) {
	if aim = debug.SetMemoryLimit(-1); aim != math.MaxInt64 {
		return aim, "GOMEMLIMIT"
	}
	why = "TERRIER_MEMORY_LIMIT"
	if size == 0 {
		size, why = ofGroup(root), "cgroup"
	}
	if size == 0 {
		return 0, "no limit"
	}
	aim = size / 100 * share
	debug.SetMemoryLimit(aim)
	return aim, why
}

// The directories of memory limits, and the file in each: of control groups version 2 and version 1.
const (
	directory2, file2 = "sys/fs/cgroup", "memory.max"
	directory1, file1 = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
)

// ofGroup returns the least limit of the control group of the process and those above it; 0 for none.
func ofGroup(root fs.FS) (limit int64) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		directory, file := directory2, file2
		if parts[0] != "0" || parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			directory, file = directory1, file1
		}
		// In a container the path may be that of the host: then only the top is there.
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			if n := read(root, path.Join(directory, group, file)); n > 0 && (limit == 0 || n < limit) {
				limit = n
			}
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// unlimited is beyond any memory: version 1 says it so.
const unlimited = 1 << 60

func read(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" for none
	if err != nil || n > unlimited {
		return 0
	}
	return n
}
