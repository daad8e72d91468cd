package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web/chart"
)

// Cell is a value as people see it. Kind says how the template draws it.
type Cell struct {
	Kind  string
	Text  string
	Href  string
	Color string // six hexadecimal digits, of a tag
	Share string // of a bar, from 0 to 100
	Icon  string // of a badge, by name
	At    time.Time
	Items []Cell
	Spark *chart.Spark

	to *record.Type // the type of the record that the link leads to
	id int64        // and its id
}

// The kinds of cell.
const (
	EmptyCell = "none"
	TextCell  = "text"
	LinkCell  = "link"
	BadgeCell = "badge"
	YesCell   = "yes"
	NoCell    = "no"
	TimeCell  = "time"
	ListCell  = "list"
	TagsCell  = "tags"
	CodeCell  = "code"
	LongCell  = "long"
	ColorCell = "color"
	BarCell   = "bar"

	PictureCell = "picture"
	SparkCell   = "spark"
	SlowCell    = "slow"   // what it would show took too long to load
	HiddenCell  = "hidden" // the number of records that the caller may not see
)

// Cell returns the value of a field for the caller. It is a link only if the caller may see the record behind it. A count of records that
// the caller may not see is hidden: the API answers 0, as its clients expect a number, and a person would believe it.
func (v *Visit) Cell(f record.Field, value any) Cell {
	if c, ok := f.(record.Counting); ok && !slices.ContainsFunc(c.Counts(), func(t *record.Type) bool { return v.May(t, access.View) }) {
		return Cell{Kind: HiddenCell}
	}
	return v.seen(CellOf(f, value))
}

func (v *Visit) seen(c Cell) Cell {
	if name := v.fullNames[record.Pointer{Type: c.to, ID: c.id}]; name != "" {
		c.Text = name
	}
	if c.to != nil && !v.May(c.to, access.View) {
		c.Kind, c.Href = TextCell, ""
	}
	for i := range c.Items {
		c.Items[i] = v.seen(c.Items[i])
	}
	return c
}

// CellOf returns the value of a field for people.
func CellOf(f record.Field, value any) Cell {
	switch x := value.(type) {
	case nil:
		return Cell{Kind: EmptyCell}
	case bool:
		if x {
			return Cell{Kind: YesCell}
		}
		return Cell{Kind: NoCell}
	case time.Time:
		return Cell{Kind: TimeCell, At: x}
	case int64:
		return numberCell(f, strconv.FormatInt(x, 10))
	case []int64:
		return textOf(strings.Join(numberTexts(x), ", "), false)
	case float64:
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if f != nil && f.Info().Percent {
			return barOf(text)
		}
		return Cell{Kind: TextCell, Text: text}
	case record.Link:
		ref, _ := record.ReferenceOf(f)
		return linkTo(ref.Of(x), x)
	case []record.Link:
		return linksTo(f, x)
	case []string:
		return textsCell(f, x)
	case record.Pointer:
		return Cell{Kind: LinkCell, Text: x.Display, Href: RecordPath(x.Type, x.ID), to: x.Type, id: x.ID}
	case json.RawMessage:
		return Cell{Kind: CodeCell, Text: Indented(x)}
	case record.Plain:
		return textOf(string(x), true)
	case record.Sealed:
		return Cell{Kind: EmptyCell}
	case string:
		return stringCell(f, x)
	}
	return Cell{Kind: TextCell, Text: fmt.Sprint(value)}
}

func stringCell(f record.Field, s string) Cell {
	in := f.Info()
	switch {
	case s == "":
		return Cell{Kind: EmptyCell}
	case in.Widget == record.ColorInput:
		return Cell{Kind: ColorCell, Text: s, Color: s}
	case in.Percent:
		return barOf(s)
	case in.Widget == record.FileInput:
		return pictureOf(s)
	}
	if badge, ok := badgeOf(in, s); ok {
		return badge
	}
	return textOf(record.MarkUnknown(f, s), in.Widget == record.TextArea)
}

// barOf returns a share in per cent for people.
func barOf(percent string) Cell { return Cell{Kind: BarCell, Text: percent + " %", Share: percent} }

// numberCell returns a number for people. f is nil for a number that belongs to no field, such as a status.
func numberCell(f record.Field, s string) Cell {
	if f == nil {
		return textOf(s, false)
	}
	if badge, ok := badgeOf(f.Info(), s); ok {
		return badge
	}
	return textOf(record.MarkUnknown(f, s), false)
}

// badgeOf returns the badge of a value that was chosen from several. ok is false for any other value.
func badgeOf(in record.Info, s string) (Cell, bool) {
	for _, o := range in.Choices {
		if o.Value == s {
			return Cell{Kind: BadgeCell, Text: o.Label, Color: s}, true
		}
	}
	return Cell{}, false
}

func textOf(s string, long bool) Cell {
	if s == "" {
		return Cell{Kind: EmptyCell}
	}
	if long {
		return Cell{Kind: LongCell, Text: s}
	}
	return Cell{Kind: TextCell, Text: s}
}

func linkTo(t *record.Type, l record.Link) Cell {
	if l.ID == 0 {
		return Cell{Kind: EmptyCell}
	}
	return Cell{Kind: LinkCell, Text: t.DisplayLink(l), Href: RecordPath(t, l.ID), to: t, id: l.ID}
}

func linksTo(f record.Field, links []record.Link) Cell {
	if len(links) == 0 {
		return Cell{Kind: EmptyCell}
	}
	c := Cell{Kind: ListCell, Items: make([]Cell, len(links))}
	ref, _ := record.ReferenceOf(f)
	color := -1
	if ref.Tags {
		c.Kind = TagsCell
		for n, i := range ref.Target.BriefIndex() {
			if ref.Target.Infos()[i].Widget == record.ColorInput {
				color = n
			}
		}
	}
	for i, l := range links {
		c.Items[i] = linkTo(record.ListedBy(f), l)
		if color >= 0 {
			c.Items[i].Color, _ = l.Brief[color].(string)
		}
	}
	return c
}

func textsCell(f record.Field, texts []string) Cell {
	if len(texts) == 0 {
		return Cell{Kind: EmptyCell}
	}
	marked := make([]string, len(texts))
	for i, text := range texts {
		if marked[i] = titleNamed(f, text); marked[i] == "" {
			marked[i] = record.MarkUnknown(f, text)
		}
	}
	return Cell{Kind: TextCell, Text: strings.Join(marked, ", ")}
}

// titleNamed returns what people call the record type with a key, if the field can name it.
func titleNamed(f record.Field, key string) string {
	named, ok := f.(record.TypeNaming)
	if !ok {
		return ""
	}
	types := named.Types()
	i := slices.IndexFunc(types, func(t *record.Type) bool { return t.Key() == key })
	if i < 0 {
		return ""
	}
	return Capital(types[i].Title())
}

func Indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
