package web

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// TestLayOut: the result is the same as that of encoding/json.
func TestLayOut(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `[]`, `0`, `"a"`, `null`, `[[]]`, `[{},{}]`, `{"a":{}}`, `{"a":[1,-2.5e3,true,null],"b":{"c":"d"}}`,
		`{"a:{b":"[1,2]","c\"d,":"\\"}`, "{ \"a\" :\t[ ] ,\r\n\"b\": [ 1 , { } ] }", `["é",""]`,
	} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(body), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := layOut(body, mostJSON); got != want.String() {
			t.Errorf("%s becomes\n%s\nwant\n%s", body, got, &want)
		}
	}
}

// TestJSONPartsCostLittle: the part that is not shown is not formatted.
func TestJSONPartsCostLittle(t *testing.T) {
	deep := []byte(strings.Repeat("[", 60) + strings.Repeat("0,", 195_000) + "0" + strings.Repeat("]", 60))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	parts, cut := (&Site{}).jsonParts(deep)
	runtime.ReadMemStats(&after)
	length := 0
	for _, p := range parts {
		length += len(p.Text)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 || !cut || length > mostJSON || length < mostJSON/2 {
		t.Errorf("%d bytes took %d, and %d are shown", len(deep), took, length)
	}
	long := []byte(`["` + strings.Repeat("é", mostJSON) + `",1]`)
	if parts, cut := (&Site{}).jsonParts(long); !cut || len(parts) != 1 || parts[0].Text != "[\n" {
		t.Errorf("what does not fit is shown as %.100v", parts)
	}
}
