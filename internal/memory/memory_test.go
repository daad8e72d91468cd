package memory

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

// TestParse: sizes are written as in GOMEMLIMIT; what is too small to work with is refused.
func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GiB": 2 << 30, "1TiB": 1 << 40, "536870912": 512 << 20,
		"536870912B": 512 << 20, "65536KiB": 64 << 20,
		"": 0, "512": 0, "512MB": 0, "512M": 0, "half": 0, "-1GiB": 0, "9000000000TiB": 0, "63MiB": 0, "1.5GiB": 0} {
		if n, err := Parse(text); n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
	}
}

func files(texts map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range texts {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// TestLimitOfGroup: the limit is that of the group of the process or of one above it, whichever is less, in both versions of
// control groups, on a machine and in a container.
func TestLimitOfGroup(t *testing.T) {
	for name, row := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"version 2, a service": {map[string]string{"proc/self/cgroup": "0::/system.slice/terrier.service\n",
			"sys/fs/cgroup/system.slice/terrier.service/memory.max": "536870912\n",
			"sys/fs/cgroup/system.slice/memory.max":                 "max\n"}, 512 << 20},
		"version 2, a lower limit above": {map[string]string{"proc/self/cgroup": "0::/system.slice/terrier.service\n",
			"sys/fs/cgroup/system.slice/terrier.service/memory.max": "536870912\n",
			"sys/fs/cgroup/system.slice/memory.max":                 "268435456\n"}, 256 << 20},
		"version 2, a container": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"version 2, the path of the host": {map[string]string{"proc/self/cgroup": "0::/kubepods/pod7/abc\n",
			"sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"version 2, no limit": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		"version 1": {map[string]string{"proc/self/cgroup": "11:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/docker/abc\n",
			"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":            "9223372036854771712\n"}, 512 << 20},
		"version 1, a container": {map[string]string{"proc/self/cgroup": "4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"version 1, no limit": {map[string]string{"proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"another system": {nil, 0},
		"nonsense":       {map[string]string{"proc/self/cgroup": "4\n:::\n0::/../../x\n"}, 0},
	} {
		if got := ofGroup(files(row.files)); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

// TestLimit: the runtime aims for four fifths of the setting, or else of the group's limit; GOMEMLIMIT overrides both.
func TestLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	group := files(map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000000000\n"})
	for name, row := range map[string]struct {
		size, set int64 // set: what GOMEMLIMIT says
		aim       int64
		why       string
	}{
		"the group":   {0, math.MaxInt64, 800_000_000, "cgroup"},
		"the setting": {500_000_000, math.MaxInt64, 400_000_000, "TERRIER_MEMORY_LIMIT"},
		"GOMEMLIMIT":  {500_000_000, 300_000_000, 300_000_000, "GOMEMLIMIT"},
	} {
		debug.SetMemoryLimit(row.set)
		aim, why := Limit(row.size, group)
		if aim != row.aim || why != row.why || debug.SetMemoryLimit(-1) != row.aim {
			t.Errorf("%s: %d because of %s, the runtime has %d", name, aim, why, debug.SetMemoryLimit(-1))
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if aim, _ := Limit(0, files(nil)); aim != 0 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Errorf("without a limit: %d", aim)
	}
}
