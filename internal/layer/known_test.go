package layer_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"terrier/internal/layer"
)

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestStackKeepsBoundedMemory: what a stack keeps is bounded by the memory that it takes, which may be many times the text.
func TestStackKeepsBoundedMemory(t *testing.T) {
	const things = 24
	for name, item := range map[string]string{
		"small objects":   `{"":1}`,
		"numbers":         `1`,
		"ordinary values": `{"address": "192.0.2.1", "port": 514, "protocol": "udp"}`,
	} {
		sources := make([]layer.Source, things)
		for i := range sources {
			data := fmt.Sprintf(`{"own %d": [%s]}`, i, strings.Repeat(item+",", 100_000/len(item))+item)
			sources[i] = layer.Source{Selectors: [][]int64{{int64(i + 1)}}, Data: json.RawMessage(data)}
		}
		stack := layer.NewStack(sources)
		before := heap()
		for i := range sources {
			if _, err := stack.Merge([][]int64{{int64(i + 1)}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if kept := heap() - before; kept > 48<<20 {
			t.Errorf("%s: %d sources of 100,000 bytes keep %d MiB", name, things, kept>>20)
		} else {
			t.Logf("%s: %d MiB", name, kept>>20)
		}
		runtime.KeepAlive(stack)
	}
}
