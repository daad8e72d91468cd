package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"terrier/internal/webhook"
)

const signatureHeader = "X-Hook-Signature"

// received is a request as it arrived, with remarks.
type received struct {
	*http.Request
	at     time.Time
	body   []byte // at most maxShownBody
	length int64  // of the whole body
	broken error  // why the body ended early

	signature string // valid, invalid, missing, or empty if none was expected
	verdict   string // the same for people
}

func (g *received) read() {
	g.body, g.broken = io.ReadAll(io.LimitReader(g.Body, maxShownBody))
	g.length = int64(len(g.body))
	if g.broken == nil {
		var rest int64
		rest, g.broken = io.Copy(io.Discard, g.Body)
		g.length += rest
	}
}

func (g *received) cut() bool { return g.length > int64(len(g.body)) }

func (g *received) judge(secret string) {
	signature := g.Header.Get(signatureHeader)
	switch {
	case secret == "":
	case signature == "":
		g.signature, g.verdict = "missing", "✗ "+signatureHeader+" is missing: the webhook has no secret, or the header was lost on the way"
	case g.cut(), g.broken != nil:
		g.verdict = "✗ " + signatureHeader + " was not checked: that takes the whole body"
	case webhook.Verify(secret, g.body, signature):
		g.signature, g.verdict = "valid", "✓ "+signatureHeader+" is valid"
	case webhook.Verify(secret, g.body, g.Header.Get(signatureHeader+"-Previous")):
		g.signature = "invalid"
		g.verdict = "✗ " + signatureHeader + " has a wrong digest, but " + signatureHeader + "-Previous is valid: the webhook has a newer secret"
	case len(signature) != len(webhook.Signature("", nil)) || strings.Trim(signature, "0123456789abcdef") != "":
		g.signature = "invalid"
		g.verdict = "✗ " + signatureHeader + " is not a digest: it must be 128 lower-case hexadecimal digits"
	default:
		g.signature = "invalid"
		g.verdict = "✗ " + signatureHeader + " has a wrong digest: it was made with another secret, or the body was changed on the way"
	}
}

// print numbers the request and writes it in one piece.
func (r *webhookReceiver) print(g *received) (number int) {
	r.printing.Lock()
	defer r.printing.Unlock()
	r.count++
	text := r.text
	if r.command.JSON {
		text = jsonLine
	}
	if _, err := r.out.Write(text(r.count, g)); err != nil {
		select {
		case r.failed <- fmt.Errorf("print request %d: %w", r.count, err):
		default:
		}
	}
	return r.count
}

func (r *webhookReceiver) printed() int {
	r.printing.Lock()
	defer r.printing.Unlock()
	return r.count
}

// text returns the request for people. On a terminal a JSON body is indented and nothing that could control the
// terminal gets through; elsewhere the bytes are exactly those that came.
func (r *webhookReceiver) text(number int, g *received) []byte {
	var out bytes.Buffer
	body, indented := g.body, false
	if r.out.terminal {
		body, indented = forTerminal(g.body)
	}
	fmt.Fprintln(&out, r.out.paint(faint, fmt.Sprintf("#%d  %s  from %s, %s", number, g.at.Format("2006-01-02 15:04:05.000"),
		g.RemoteAddr, bodyNote(g, indented))))
	fmt.Fprintln(&out, r.out.paint(bold, r.line(g.Method+" "+g.RequestURI+" "+g.Proto)))
	for name, value := range headers(g.Request) {
		fmt.Fprintf(&out, "%s %s\n", r.out.paint(cyan, name+":"), r.line(value))
	}
	out.WriteByte('\n')
	out.Write(body)
	if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) {
		out.WriteByte('\n')
	}
	if g.verdict != "" {
		colour := red
		if g.signature == "valid" {
			colour = green
		}
		fmt.Fprintln(&out, r.out.paint(colour, g.verdict))
	}
	if len(body) > 0 || g.verdict != "" {
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func bodyNote(g *received, indented bool) string {
	note := fmt.Sprintf("body of %d bytes", g.length)
	switch {
	case g.length == 0 && g.broken == nil:
		return "no body"
	case g.broken != nil:
		note = fmt.Sprintf("body broke off after %d bytes (%v)", g.length, g.broken)
	case indented:
		note += ", indented here"
	}
	if g.cut() {
		note += fmt.Sprintf(", of which the first %d are shown", len(g.body))
	}
	return note
}

// headers yields the headers by name, because Go's server has no order; it keeps Host and Transfer-Encoding
// elsewhere.
func headers(request *http.Request) func(func(name, value string) bool) {
	all := request.Header.Clone()
	all["Host"] = []string{request.Host}
	if len(request.TransferEncoding) > 0 {
		all["Transfer-Encoding"] = request.TransferEncoding
	}
	return func(yield func(name, value string) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, value := range all[name] {
				if !yield(name, value) {
					return
				}
			}
		}
	}
}

// jsonLine returns the request for programs.
func jsonLine(number int, g *received) []byte {
	line := struct {
		Number       int               `json:"number"`
		Time         time.Time         `json:"time"`
		Method       string            `json:"method"`
		Path         string            `json:"path"`
		Proto        string            `json:"proto"`
		Headers      map[string]string `json:"headers"`
		Body         string            `json:"body"`
		BodyEncoding string            `json:"body_encoding"`
		BodyLength   int64             `json:"body_length"`
		BodyComplete bool              `json:"body_complete"`
		Signature    *string           `json:"signature"`
	}{
		Number: number, Time: g.at.UTC(), Method: g.Method, Path: g.RequestURI, Proto: g.Proto, Headers: make(map[string]string),
		Body: string(g.body), BodyEncoding: "utf-8", BodyLength: g.length, BodyComplete: !g.cut() && g.broken == nil,
	}
	for name, value := range headers(g.Request) {
		if before, repeated := line.Headers[name]; repeated {
			value = before + ", " + value
		}
		line.Headers[name] = value
	}
	if !utf8.Valid(g.body) {
		line.Body, line.BodyEncoding = base64.StdEncoding.EncodeToString(g.body), "base64"
	}
	if g.signature != "" {
		line.Signature = &g.signature
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(line) // strings and numbers always have a JSON form
	return escapeJSON(out.Bytes())
}

// escapeJSON escapes what encoding/json leaves as it is and a terminal may interpret, such as U+009B. All of it is in
// strings.
func escapeJSON(line []byte) []byte {
	return []byte(escape(string(line), "\n", func(char rune, _ string) string {
		if high, low := utf16.EncodeRune(char); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, char)
	}))
}

func forTerminal(body []byte) (text []byte, indented bool) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") == nil {
		body, indented = pretty.Bytes(), true
	}
	return []byte(escape(string(body), "\n\t", visible)), indented
}

// line makes any text fit for one line of the output.
func (r *webhookReceiver) line(text string) string {
	if !r.out.terminal {
		return text
	}
	return escape(text, "", visible)
}

func visible(char rune, raw string) string {
	if len(raw) == 1 {
		return fmt.Sprintf(`\x%02x`, raw[0])
	}
	return fmt.Sprintf(`\u{%x}`, char)
}

// escape replaces characters that are not printable, including bytes that are not UTF-8, except those to keep.
func escape(text, keep string, replace func(char rune, raw string) string) string {
	var out strings.Builder
	for len(text) > 0 {
		char, size := utf8.DecodeRuneInString(text)
		raw := text[:size]
		text = text[size:]
		invalid := char == utf8.RuneError && size == 1
		if invalid || !unicode.IsPrint(char) && !strings.Contains(keep, raw) {
			raw = replace(char, raw)
		}
		out.WriteString(raw)
	}
	return out.String()
}
