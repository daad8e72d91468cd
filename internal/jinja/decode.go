package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDigits is how many digits Python prints of an integer.
const maxDigits = 4300

// Decode returns the value of one JSON document. It keeps the order of keys and distinguishes integers from floats. Of two equal keys the
// last one counts, as in Python. Escapes of half a surrogate pair become U+FFFD.
func Decode(document []byte) (Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	v, err := decode(decoder, maxValueDepth)
	if err != nil {
		return Value{}, fmt.Errorf("decode a JSON document for a template: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("decode a JSON document for a template: text follows the document")
	}
	return Value{v}, nil
}

func decode(decoder *json.Decoder, depth int) (value, error) {
	token, err := decoder.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		return decodeNumber(token.String())
	case json.Delim:
		if depth == 0 {
			return nil, fmt.Errorf("nested deeper than %d", maxValueDepth)
		}
		if token == '[' {
			return decodeList(decoder, depth-1)
		}
		return decodeObject(decoder, depth-1)
	default: // nil, bool, string
		return token, nil
	}
}

func decodeList(decoder *json.Decoder, depth int) (value, error) {
	l := &list{}
	for decoder.More() {
		item, err := decode(decoder, depth)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, item)
	}
	_, err := decoder.Token()
	return l, err
}

func decodeObject(decoder *json.Decoder, depth int) (value, error) {
	d := newDict(smallDict)
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		v, err := decode(decoder, depth)
		if err != nil {
			return nil, err
		}
		d.put(key, v)
	}
	_, err := decoder.Token()
	return d, err
}

// decodeNumber parses a number as Python's json does: one without a point and an exponent is an int of any size.
func decodeNumber(digits string) (value, error) {
	if strings.ContainsAny(digits, ".eE") {
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, err
		}
		return f, nil // infinite if it is out of range, as in Python
	}
	if i, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return i, nil
	}
	if len(digits) > maxDigits {
		return nil, fmt.Errorf("an integer has more than %d digits", maxDigits)
	}
	return bigInt(digits), nil
}
