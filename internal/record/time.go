package record

import (
	"cmp"
	"time"
)

// Time is a date and time, stored to the microsecond.
type Time struct {
	Name, Label, Help string
	Null              bool
	ReadOnly          bool
	StoredAs          string
}

var _ Explained = Time{}

// HowWritten implements Explained.
func (f Time) HowWritten() string { return "Such as 2026-01-31T12:00:00Z." }

// ParseTime parses a time in any of the forms that a field takes.
func ParseTime(s string) (time.Time, error) {
	v, err := Time{}.ParseText(s)
	at, _ := v.(time.Time)
	return at, err
}

func (f Time) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "datetime", Null: f.Null, ReadOnly: f.ReadOnly,
		Widget: MomentInput.unless(f.ReadOnly)}
}
func (f Time) Column() Column {
	return Column{Name: cmp.Or(f.StoredAs, f.Name), Storage: StoreTime, Null: f.Null}
}
func (f Time) Lookups() []Lookup { return orderedLookups }

func (f Time) Parse(in any) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, errTime
	}
	if s == "" && f.Null {
		return nil, nil
	}
	return f.ParseText(s)
}

var errTime = Invalid("Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].")

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"}

func (f Time) ParseText(s string) (any, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			if y := t.UTC().Year(); y < 1 || y > 9999 {
				return nil, errTime
			}
			return t.UTC().Truncate(time.Microsecond), nil
		}
	}
	return nil, errTime
}
func (f Time) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Time) Schema() Schema {
	return nullable(Schema{"type": "string", "format": "date-time"}, f.Null)
}
func (f Time) InputSchema() Schema { return nullable(Schema{"type": "string"}, f.Null) }
