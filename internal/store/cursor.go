package store

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// A cursor is the direction (n for next, p for previous) and the sort values of its row, and then the count of the
// list, if it is known.
func encodeCursor(v record.Values, order []term, backward bool) string {
	values := make([]any, len(order))
	for i, x := range order {
		if x.field < 0 {
			values[i] = v.ID()
			continue
		}
		if x.of != nil {
			values[i] = x.of(v)
			continue
		}
		values[i] = v.At(x.field)
		if l, ok := values[i].(record.Link); ok {
			if values[i] = any(l.ID); x.named != nil {
				values[i] = x.named.NameOf(l)
			}
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err) // sort values are plain
	}
	direction := "n"
	if backward {
		direction = "p"
	}
	return direction + base64.RawURLEncoding.EncodeToString(raw)
}

var errCursor = fault.Field("cursor", "This is not a cursor of this list; start again from the first page.")

func decodeCursor(s string, order []term) (values []any, backward bool, err error) {
	if s == "" || (s[0] != 'n' && s[0] != 'p') {
		return nil, false, errCursor
	}
	raw, err := base64.RawURLEncoding.DecodeString(s[1:])
	if err != nil {
		return nil, false, errCursor
	}
	var texts []json.RawMessage
	if json.Unmarshal(raw, &texts) != nil || len(texts) != len(order) {
		return nil, false, errCursor
	}
	for i, x := range order {
		v, err := cursorValue(texts[i], x)
		if err != nil {
			return nil, false, errCursor
		}
		values = append(values, v)
	}
	return values, s[0] == 'p', nil
}

func cursorValue(raw json.RawMessage, x term) (any, error) {
	if string(raw) == "null" {
		switch {
		case x.asNull != nil:
			return x.asNull, nil
		case !x.null:
			return nil, errCursor
		}
		return nil, nil
	}
	if x.custom != nil {
		return customCursorValue(raw, x)
	}
	var err error
	switch x.storage {
	case record.StoreInt:
		var n int64
		err = json.Unmarshal(raw, &n)
		return n, err
	case record.StoreFloat:
		var n float64
		err = json.Unmarshal(raw, &n)
		return n, err
	case record.StoreBool:
		var b bool
		err = json.Unmarshal(raw, &b)
		return b, err
	case record.StoreTime:
		var t time.Time
		err = json.Unmarshal(raw, &t)
		return t, err
	case record.StoreNumbers:
		var n []int64
		err = json.Unmarshal(raw, &n)
		return n, err
	}
	var s string
	if err = json.Unmarshal(raw, &s); err == nil && strings.ContainsRune(s, 0) {
		err = errCursor
	}
	return s, err
}
