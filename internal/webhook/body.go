package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"
)

// BadBody says why a body is not what its content type promises: the type is JSON, and the body is not. It returns "" for a body that is
// good or empty, and for other types. It repeats nothing of the body.
func BadBody(contentType string, body []byte) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") || len(bytes.TrimSpace(body)) == 0 {
		return ""
	}
	err = json.Unmarshal(body, new(json.RawMessage))
	if err == nil {
		return ""
	}
	where := ""
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := body[:max(0, min(int(e.Offset)-1, len(body)))]
		line := bytes.Count(before, []byte("\n"))
		where = fmt.Sprintf(": see line %d, character %d", line+1, len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))+1)
	}
	return fmt.Sprintf("The body is not valid JSON, although the content type is %s%s. In a template, the filter tojson adds the quotes: "+
		"{{ data.name | tojson }}.", media, where)
}
