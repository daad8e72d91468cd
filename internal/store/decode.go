package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"terrier/internal/record"
)

// A page is decoded straight from the bytes of the protocol: going through the driver's
// conversion to interfaces costs more than the query. pgx asks for the binary format of
// every type used here except texts and JSON, whose formats are the same in both.
var readers = map[record.Storage]func([]byte) (any, error){
	record.StoreText:     readText,
	record.StoreInt:      readInt,
	record.StoreFloat:    readFloat,
	record.StoreBool:     readBool,
	record.StoreTime:     readTime,
	record.StoreJSON:     readJSON,
	record.StoreJSONText: readJSON,
	record.StoreTexts:    readTexts,
	record.StoreUUID:     readUUID,
	record.StoreSealed:   readSealed,
}

func one(read func([]byte) (any, error)) func([][]byte) (any, error) {
	return func(cols [][]byte) (any, error) { return read(cols[0]) }
}

func width(b []byte, n int) error {
	if len(b) != n {
		return fmt.Errorf("a column has %d bytes instead of %d", len(b), n)
	}
	return nil
}

func readText(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	return string(b), nil
}

func readInt(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 8); err != nil {
		return nil, err
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

func readFloat(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 8); err != nil {
		return nil, err
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

func readBool(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 1); err != nil {
		return nil, err
	}
	return b[0] == 1, nil
}

// postgresEpoch is where PostgreSQL counts microseconds from.
var postgresEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func readTime(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 8); err != nil {
		return nil, err
	}
	return time.UnixMicro(postgresEpoch + int64(binary.BigEndian.Uint64(b))).UTC(), nil
}

func readJSON(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	return json.RawMessage(append([]byte(nil), b...)), nil
}

// readCompact reads JSON that PostgreSQL has put together with spaces.
func readCompact(b []byte) (any, error) {
	var out bytes.Buffer
	out.Grow(len(b))
	err := json.Compact(&out, b)
	return json.RawMessage(out.Bytes()), err
}

func readTexts(b []byte) (any, error) {
	list := []string{}
	err := json.Unmarshal(b, &list)
	return list, err
}

func readUUID(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 16); err != nil {
		return nil, err
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]), nil
}

func readSealed(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	return record.Sealed(b), nil
}

// readLink reads an id and the brief fields behind it.
func readLink(brief []func([]byte) (any, error)) func([][]byte) (any, error) {
	return func(cols [][]byte) (any, error) {
		if cols[0] == nil {
			return nil, nil
		}
		id, err := readInt(cols[0])
		if err != nil {
			return nil, err
		}
		l := record.Link{ID: id.(int64), Brief: make([]any, len(brief))}
		for i, read := range brief {
			if l.Brief[i], err = read(cols[i+1]); err != nil {
				return nil, err
			}
		}
		return l, nil
	}
}

// readLinks reads what linksExpr makes.
func readLinks(t *record.Type) func([][]byte) (any, error) {
	return func(cols [][]byte) (any, error) {
		links := []record.Link{}
		if cols[0] == nil {
			return links, nil
		}
		var rows [][]any
		if err := json.Unmarshal(cols[0], &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			l := record.Link{ID: int64(row[0].(float64)), Brief: row[1:]}
			for n, i := range t.BriefIndex() {
				if x, ok := l.Brief[n].(float64); ok && t.All()[i].Column().Storage == record.StoreInt {
					l.Brief[n] = int64(x)
				}
			}
			links = append(links, l)
		}
		return links, nil
	}
}
