package web

import (
	"encoding/json"
	"strings"
)

// jsonPart is a piece of JSON on a page: a link, a name, a text, or what is between them.
type jsonPart struct{ Kind, Text, Href string }

// mostJSON is how many bytes of an answer are shown. Browsers and people can't handle more.
const mostJSON = 500 << 10

// jsonParts returns JSON formatted for reading. Texts that are addresses of our API become links, everything else stays text.
func (s *Site) jsonParts(body []byte) (parts []jsonPart, cut bool) {
	if !json.Valid(body) {
		return []jsonPart{{Text: string(body)}}, false
	}
	text := layOut(string(body[:min(len(body), mostJSON)]), mostJSON)
	if cut = len(body) > mostJSON || len(text) > mostJSON; cut {
		text = text[:strings.LastIndexByte(text[:min(len(text), mostJSON)], '\n')+1] // a JSON text contains no line end
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

// layOut returns JSON with a line for every value. It stops when it has more than most bytes: deeply nested lists could fill the
// memory with spaces.
func layOut(body string, most int) string {
	var b strings.Builder
	depth, opened := 0, false // opened: the list or object that was opened last is still empty
	for body != "" && b.Len() <= most {
		n := 1
		if body[0] == '"' {
			n = quotedLength(body)
		}
		piece := body[:n]
		body = body[n:]
		if strings.ContainsAny(piece[:1], " \t\r\n") {
			continue
		}
		closes := piece == "}" || piece == "]"
		if closes {
			depth--
		}
		if opened != closes { // a first value begins, or a list or object that is not empty ends
			startLine(&b, depth)
		}
		b.WriteString(piece)
		switch opened = piece == "{" || piece == "["; {
		case opened:
			depth++
		case piece == ",":
			startLine(&b, depth)
		case piece == ":":
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func startLine(b *strings.Builder, depth int) {
	b.WriteByte('\n')
	for range depth {
		b.WriteString("  ")
	}
}

// quotedLength returns the length of the JSON text that s begins with, quotes included.
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

// linkIn returns the address in a JSON text, "" if it is no address of our API.
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

// apiPath returns an address of our API without the server's name, "" for any other address.
func (s *Site) apiPath(address string) string {
	path, ours := strings.CutPrefix(address, s.BaseURL)
	if !ours || !strings.HasPrefix(path, "/api/") {
		return ""
	}
	return path
}
