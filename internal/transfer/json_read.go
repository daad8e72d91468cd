package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// spend counts the values of a file.
func (in *reading) spend(n int) error {
	if in.values += n; in.values > in.most.values {
		return fault.New(fault.TooLarge, "The file holds too many values. Import it in parts.")
	}
	return nil
}

func (in *reading) readJSON(text []byte) error {
	text = bytes.TrimRight(text, " \t\r\n")
	start := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	many := text[start] == '['
	if !many && text[start] != '{' {
		return fault.Field(fault.General, "line %d: this is not JSON: a list of objects is expected, beginning with [",
			1+bytes.Count(text[:start], newline))
	}
	depth := maxDepth
	if many {
		depth++
	}
	deepest, values := measure(text)
	if deepest > depth {
		return fault.Field(fault.General, "A record is more than %d levels deep.", maxDepth)
	}
	if err := in.spend(values); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	r := &jsonReader{text: text, dec: dec, line: 1}
	if !many {
		if err := in.readItem(r); err != nil {
			return err
		}
		return r.end()
	}
	if _, err := dec.Token(); err != nil {
		return r.fail(err)
	}
	for dec.More() {
		if err := in.readItem(r); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return r.fail(err)
	}
	return r.end()
}

func (in *reading) readItem(r *jsonReader) error {
	line := r.nextLine()
	var item any
	if err := r.dec.Decode(&item); err != nil {
		return r.fail(err)
	}
	object, ok := item.(map[string]any)
	if !ok {
		return notAnObject(line)
	}
	return in.object(line, object)
}

func notAnObject(line int) error {
	return fault.Field(fault.General, "line %d: a record is expected here: an object of fields and values", line)
}

// jsonReader knows its current line.
type jsonReader struct {
	text    []byte
	dec     *json.Decoder
	line    int
	counted int // bytes whose lines are counted
}

func (r *jsonReader) lineAt(offset int) int {
	offset = min(max(offset, r.counted), len(r.text))
	r.line += bytes.Count(r.text[r.counted:offset], newline)
	r.counted = offset
	return r.line
}

// nextLine returns the line in which the next item begins.
func (r *jsonReader) nextLine() int {
	at := int(r.dec.InputOffset())
	return r.lineAt(at + len(r.text[at:]) - len(bytes.TrimLeft(r.text[at:], ", \t\r\n")))
}

// end refuses text after the last item.
func (r *jsonReader) end() error {
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return fault.Field(fault.General, "line %d: there is more behind the end of the list", r.nextLine())
	}
	return nil
}

func (r *jsonReader) fail(err error) error {
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok && !strings.Contains(wrong.Error(), "unexpected end") {
		return fault.Field(fault.General, "line %d: this is not JSON: %s", r.lineAt(int(wrong.Offset)), wrong.Error())
	}
	return fault.Field(fault.General, "line %d: the JSON text ends too early", r.lineAt(len(r.text)))
}

// measure returns how deep a JSON text is nested and how many values it has, before anything is built from it.
func measure(text []byte) (deepest, values int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			values++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		case c == ',':
			values++
		}
	}
	return deepest, values
}

// decodeJSON reads the JSON of one cell.
func decodeJSON(text string) (value any, err error) {
	if deepest, _ := measure([]byte(text)); deepest > maxDepth-1 {
		return nil, record.Invalid("This is more than %d levels deep.", maxDepth-1)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, record.Invalid("This is not JSON: %v.", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, record.Invalid("This is not JSON: there is more than one value.")
	}
	return value, nil
}
