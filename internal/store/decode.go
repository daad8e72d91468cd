package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"terrier/internal/record"
)

// A page is decoded directly from the bytes of the protocol: the driver's conversion to interfaces costs more than
// the query. pgx asks for the binary format of every type used here except texts and JSON, whose formats are the same
// in both.
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
	record.StoreNumbers:  readNumbers,
	record.StoreDate:     readDate,
	record.StoreMAC:      readMAC,
	record.StoreNetwork:  readNet,
	record.StoreAddress:  readNet,
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

// readCompact reads JSON into which PostgreSQL has put spaces.
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

// readNumbers reads an array of one dimension: five numbers of 4 bytes, and for each item its length and its 8 bytes. An empty
// one has no dimension, and the first three numbers.
func readNumbers(b []byte) (any, error) {
	if len(b) <= 12 {
		return []int64{}, nil
	}
	const head, item = 20, 12
	if (len(b)-head)%item != 0 {
		return nil, fmt.Errorf("an array has %d bytes", len(b))
	}
	numbers := make([]int64, 0, (len(b)-head)/item)
	for at := head; at < len(b); at += item {
		numbers = append(numbers, int64(binary.BigEndian.Uint64(b[at+4:])))
	}
	return numbers, nil
}

// postgresDay is where PostgreSQL counts days from.
var postgresDay = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func readDate(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 4); err != nil {
		return nil, err
	}
	return postgresDay.AddDate(0, 0, int(int32(binary.BigEndian.Uint32(b)))).Format(time.DateOnly), nil
}

func readMAC(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if err := width(b, 6); err != nil {
		return nil, err
	}
	return record.FormatOctets(b), nil
}

// readNet reads a network or an address: its family, the length, whether it is a cidr, the number of bytes, and those.
func readNet(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	if len(b) < 4 {
		return nil, fmt.Errorf("a network has %d bytes", len(b))
	}
	s, ok := record.FormatNet(b[4:], int(b[1]))
	if !ok {
		return nil, fmt.Errorf("a network has %d bytes", len(b))
	}
	return s, nil
}

// decodeNet reads what PostgreSQL writes without the length of a single address.
func decodeNet(v any) (any, error) { return record.NormalNet(v.(string)), nil }

func readSealed(b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	return record.Sealed(b), nil
}

// readLink reads an id and the fields behind it.
func readLink(t *record.Type, brief []part) func([][]byte) (any, error) {
	return func(cols [][]byte) (any, error) {
		if cols[0] == nil {
			return nil, nil
		}
		id, err := readInt(cols[0])
		if err != nil {
			return nil, err
		}
		l, at := record.Link{ID: id.(int64), Brief: make([]any, len(brief))}, 1
		for i, x := range brief {
			if x.read == nil {
				continue
			}
			if l.Brief[i], err = x.read(cols[at : at+len(x.exprs)]); err != nil {
				return nil, err
			}
			at += len(x.exprs)
		}
		computeBrief(t, l, brief)
		return l, nil
	}
}

// computeBrief computes the brief fields that are not read.
func computeBrief(t *record.Type, l record.Link, brief []part) {
	for i, x := range brief {
		if x.compute == nil {
			continue
		}
		v := t.NewValues()
		v.SetID(l.ID)
		for n, y := range brief {
			v.SetAt(y.field, l.Brief[n])
		}
		l.Brief[i] = x.compute(v)
	}
}

// decodeLink reads the same from JSON.
func decodeLink(t *record.Type, brief []part) func([]any) (any, error) {
	return func(values []any) (any, error) {
		if values[0] == nil {
			return nil, nil
		}
		id, err := decodeInt(values[0])
		if err != nil {
			return nil, err
		}
		l, at := record.Link{ID: id.(int64), Brief: make([]any, len(brief))}, 1
		for i, x := range brief {
			if x.decode == nil {
				continue
			}
			if l.Brief[i], err = x.decode(values[at : at+len(x.exprs)]); err != nil {
				return nil, err
			}
			at += len(x.exprs)
		}
		computeBrief(t, l, brief)
		return l, nil
	}
}

// readJSONAs reads a column that is JSON, and decodes what is in it.
func readJSONAs(decode func(any) (any, error)) func([]byte) (any, error) {
	return func(b []byte) (any, error) {
		if b == nil {
			return nil, nil
		}
		value, err := decodeNumbers[any](b)
		if err != nil {
			return nil, err
		}
		return decode(value)
	}
}

// decodeAnyLink reads the position of a type among targets, and a link to a record of it.
func decodeAnyLink(links []part, targets []*record.Type) func(any) (any, error) {
	return func(value any) (any, error) {
		values := value.([]any)
		n, err := decodeInt(values[0])
		if err != nil {
			return nil, err
		}
		target := n.(int64)
		link, err := links[target].decode(values[1:])
		if err != nil {
			return nil, err
		}
		l := link.(record.Link)
		l.Of = targets[target]
		return l, nil
	}
}

// decodeBack reads a link to a record that refers to another.
func decodeBack(link part, b record.BackLink) func(any) (any, error) {
	through := slices.Index(b.Of.BriefIndex(), b.Through)
	return func(value any) (any, error) {
		found, err := link.decode(value.([]any))
		if err != nil {
			return nil, err
		}
		l := found.(record.Link)
		l.Of = b.Of
		if through < 0 {
			return l, nil
		}
		behind, ok := l.Brief[through].(record.Link)
		if !ok {
			return nil, nil
		}
		behind.Of, behind.Via = record.TargetOf(b.Of.All()[b.Through]), &l
		return behind, nil
	}
}

// mostKept is how many bytes a row may have after which its decoder is kept.
const mostKept = 64 << 10

// numberDecoder is kept for the next row: making one takes as long as reading a row with it.
type numberDecoder struct {
	in  bytes.Reader
	dec *json.Decoder
}

var numberDecoders = sync.Pool{New: func() any {
	d := &numberDecoder{}
	d.dec = json.NewDecoder(&d.in)
	d.dec.UseNumber()
	return d
}}

// decodeNumbers reads JSON with numbers as they are written.
func decodeNumbers[T any](b []byte) (value T, err error) {
	d := numberDecoders.Get().(*numberDecoder)
	d.in.Reset(b)
	err = d.dec.Decode(&value)
	if d.in.Reset(nil); err == nil && len(b) <= mostKept { // else it holds a part of the row, or much memory
		numberDecoders.Put(d)
	}
	return value, err
}

// readLinks reads a list of links as JSON.
func readLinks(link part) func([]byte) (any, error) {
	return func(b []byte) (any, error) {
		links := []record.Link{}
		if b == nil {
			return links, nil
		}
		rows, err := decodeNumbers[[][]any](b)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			l, err := link.decode(row)
			if err != nil {
				return nil, err
			}
			links = append(links, l.(record.Link))
		}
		return links, nil
	}
}

// decoders read values from JSON whose form differs there.
var decoders = map[record.Storage]func(any) (any, error){
	record.StoreInt:   decodeInt,
	record.StoreFloat: func(v any) (any, error) { return v.(json.Number).Float64() },
	record.StoreTime: func(v any) (any, error) {
		at, err := time.Parse(time.RFC3339Nano, v.(string))
		return at.UTC(), err
	},
	record.StoreTexts: func(v any) (any, error) { return list[string](v.([]any)), nil },
	record.StoreNumbers: func(v any) (any, error) {
		numbers := make([]int64, len(v.([]any)))
		for i, item := range v.([]any) {
			n, err := item.(json.Number).Int64()
			if err != nil {
				return nil, err
			}
			numbers[i] = n
		}
		return numbers, nil
	},
	record.StoreMAC:     func(v any) (any, error) { return strings.ToUpper(v.(string)), nil },
	record.StoreNetwork: decodeNet,
	record.StoreAddress: decodeNet,
}

func decodeInt(v any) (any, error) { return v.(json.Number).Int64() }
