package record

import (
	"strings"
	"time"
)

// Date is a day, kept as a text such as 2026-01-31. It may be null, unless it is required.
type Date struct {
	Name, Label, Help string
	Required          bool
}

var _ Explained = Date{}

// HowWritten implements Explained.
func (f Date) HowWritten() string { return "Such as 2026-01-31." }

func (f Date) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "date", Required: f.Required, Null: !f.Required,
		Widget: DateInput}
}
func (f Date) Column() Column    { return Column{Name: f.Name, Storage: StoreDate, Null: !f.Required} }
func (f Date) Lookups() []Lookup { return orderedLookups }

func (f Date) Parse(in any) (any, error) { return parseOrNull(in, !f.Required, f.ParseText) }

var errDate = Invalid("Date has wrong format. Use one of these formats instead: YYYY-MM-DD.")

func (f Date) ParseText(s string) (any, error) {
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(s))
	if err != nil || day.Year() < 1 {
		return nil, errDate
	}
	return day.Format(time.DateOnly), nil
}

func (f Date) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Date) Schema() Schema {
	return nullable(Schema{"type": "string", "format": "date"}, !f.Required)
}
func (f Date) InputSchema() Schema { return nullable(Schema{"type": "string"}, !f.Required) }

// parseOrNull parses a text. A blank text is null, if that is allowed.
func parseOrNull(in any, null bool, parse func(string) (any, error)) (any, error) {
	s, err := textOf(in)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(s) != "":
		return parse(s)
	case null:
		return nil, nil
	}
	return nil, errBlank
}
