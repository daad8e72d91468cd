package record

import (
	"encoding/binary"
	hexdigits "encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Ids are numbers everywhere inside the program. Most types count. A type with TimedID makes them from the time of the row, so that the
// id alone leads to the partition. It shows them as UUIDs of version 7: receivers of webhooks know a delivery by such an id.

// The parts of a timed id: milliseconds since 1970, and a counter that wraps around.
const (
	counterBits = 21 // two million ids in a millisecond; the other 42 bits last until 2109
	counterMask = 1<<counterBits - 1
)

// TimedIDs returns what SQL needs to make timed ids: (milliseconds << shift) | (counter & mask).
func TimedIDs(at time.Time) (milliseconds int64, shift, mask int) {
	return at.UnixMilli(), counterBits, counterMask
}

// IDTime returns the millisecond in which a timed id was made.
func IDTime(id int64) time.Time { return time.UnixMilli(id >> counterBits).UTC() }

// IDsAt returns the first and the last possible timed id of a millisecond. There are none before 1970 and after 2109.
func IDsAt(at time.Time) (first, last int64, ok bool) {
	milliseconds := at.UnixMilli()
	if milliseconds < 0 || milliseconds >= 1<<(63-counterBits) {
		return 0, 0, false
	}
	first = milliseconds << counterBits
	return first, first | counterMask, true
}

// FormatID returns an id as it is written in addresses.
func (t *Type) FormatID(id int64) string { return string(t.appendID(nil, id)) }

func (t *Type) appendID(dst []byte, id int64) []byte {
	if !t.TimedID {
		return strconv.AppendInt(dst, id, 10)
	}
	b := timedUUID(id)
	for i, part := range [][]byte{b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hexdigits.AppendEncode(dst, part)
	}
	return dst
}

// appendJSONID writes an id as a JSON value.
func (t *Type) appendJSONID(dst []byte, id int64) []byte {
	if !t.TimedID {
		return t.appendID(dst, id)
	}
	return append(t.appendID(append(dst, '"'), id), '"')
}

// timedUUID returns the UUID of version 7 that contains the id.
func timedUUID(id int64) (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], uint64(id>>counterBits)<<16)
	binary.BigEndian.PutUint64(b[8:], uint64(id&counterMask))
	b[6] = 0x70
	b[8] = 0x80
	return b
}

// ParseID parses what FormatID writes.
func (t *Type) ParseID(s string) (int64, error) {
	if !t.TimedID {
		id, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return 0, errNoInteger
		}
		return id, nil
	}
	plain, err := UUID{}.ParseText(s)
	if err != nil {
		return 0, err
	}
	milliseconds, _ := strconv.ParseUint(s[:8]+s[9:13], 16, 64) // hexadecimal digits, as the pattern says
	counter, _ := strconv.ParseUint(s[24:], 16, 64)
	id := int64(milliseconds<<counterBits | counter&counterMask)
	if id < 0 || t.FormatID(id) != plain {
		return 0, Invalid("There is no %s with this id.", t.Title())
	}
	return id, nil
}

// IDSchema returns the schema of an id.
func (t *Type) IDSchema() Schema {
	if t.TimedID {
		return UUID{}.Schema()
	}
	return Int{}.Schema()
}

// idField returns the id as a field, for filters and constraints.
func (t *Type) idField() Field {
	if t.TimedID {
		return timedID{t: t}
	}
	return Int{Name: "id"}
}

// timedID is a number that is written as a UUID.
type timedID struct {
	Int
	t *Type
}

func (f timedID) ParseText(s string) (any, error) { return f.t.ParseID(s) }
func (f timedID) Parse(in any) (any, error) {
	s, err := textOf(in)
	if err != nil {
		return nil, err
	}
	return f.t.ParseID(s)
}
