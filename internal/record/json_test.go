package record

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONRefusesURLKeys: JSON with a key url is refused, however deep. It is shown as people wrote it, and clients follow such a key.
func TestJSONRefusesURLKeys(t *testing.T) {
	for _, c := range []struct{ text, place string }{
		{`{"id":1,"url":"http://elsewhere/api/dcim/sites/1/"}`, "url"},
		{`{"url":null}`, "url"},
		{`{"attr":"a","value":{"value":{"\u0075rl":"x"},"label":"x"}}`, "value.value.url"},
		{`{"and":[{"attr":"a","value":[1,{"b":[{"c":1},{"url":"x"}]}]}]}`, "and[0].value[1].b[1].url"},
		{`[{"url":"x"}]`, "[0].url"},
		{`{"attr":"url","value":["url",{"URL":1,"payload_url":"x"}]}`, ""}, // a text or another key
		{`"url"`, ""},
	} {
		var in any
		if err := json.Unmarshal([]byte(c.text), &in); err != nil {
			t.Fatal(err)
		}
		_, err := JSON{Name: "conditions"}.Parse(in)
		if refused := err != nil; refused != (c.place != "") || refused && !strings.HasPrefix(err.Error(), c.place+": ") {
			t.Errorf("%s: %v, want it refused at %q", c.text, err, c.place)
		}
	}
}
