package web

import (
	"bytes"
	"encoding/json"
	"strings"
)

// jsonPart is a piece of JSON on a page: a link, a name, a text, or what stands between them.
type jsonPart struct{ Kind, Text, Href string }

// mostJSON is how much of an answer is shown. Browsers and people take no more.
const mostJSON = 500 << 10

// jsonParts lays JSON out for reading. Texts that are addresses of our API become links,
// everything else stays text.
func (s *Site) jsonParts(body []byte) (parts []jsonPart, cut bool) {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return []jsonPart{{Text: string(body)}}, false
	}
	text := b.String()
	if cut = len(text) > mostJSON; cut {
		text = text[:strings.LastIndexByte(text[:mostJSON], '\n')+1] // no text holds the end of a line
	}
	for text != "" {
		start := strings.IndexByte(text, '"')
		if start < 0 {
			return append(parts, jsonPart{Text: text}), cut
		}
		end := start + quotedLength(text[start:])
		quoted := text[start:end]
		part := jsonPart{Kind: "text", Text: quoted}
		if strings.HasPrefix(text[end:], ":") {
			part.Kind = "key"
		} else if href := s.linkIn(quoted); href != "" {
			part = jsonPart{"link", quoted[1 : len(quoted)-1], href}
		}
		parts = append(parts, jsonPart{Text: text[:start]}, part)
		text = text[end:]
	}
	return parts, cut
}

// quotedLength is the length of the JSON text that s begins with, quotes included.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// linkIn is where a JSON text leads, "" if it is no address of our API.
func (s *Site) linkIn(quoted string) string {
	if !strings.HasPrefix(quoted[1:], s.BaseURL+"/api/") {
		return ""
	}
	var address string
	if json.Unmarshal([]byte(quoted), &address) != nil {
		return ""
	}
	return s.apiPath(address)
}

// apiPath is an address of our API without the server's name, "" for any other.
func (s *Site) apiPath(address string) string {
	path, ours := strings.CutPrefix(address, s.BaseURL)
	if !ours || !strings.HasPrefix(path, "/api/") {
		return ""
	}
	return path
}
