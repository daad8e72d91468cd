package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
)

// cell is a value as people see it. Kind says how the template draws it.
type cell struct {
	Kind  string
	Text  string
	Href  string
	Color string // six hexadecimal digits, of a tag
	Items []cell

	to *record.Type // what the link leads to
}

// The kinds of cell.
const (
	noCell    = "none"
	textCell  = "text"
	linkCell  = "link"
	badgeCell = "badge"
	yesCell   = "yes"
	noneCell  = "no"
	timeCell  = "time"
	listCell  = "list"
	tagsCell  = "tags"
	codeCell  = "code"
	longCell  = "long"
	colorCell = "color"
)

// cell shows the value of a field to the caller: a link only where they may see what is behind it.
func (v *visit) cell(f record.Field, value any) cell { return v.seen(cellOf(f, value)) }

func (v *visit) seen(c cell) cell {
	if c.to != nil && !v.may(c.to, access.View) {
		c.Kind, c.Href = textCell, ""
	}
	for i := range c.Items {
		c.Items[i] = v.seen(c.Items[i])
	}
	return c
}

// cellOf shows the value of a field.
func cellOf(f record.Field, value any) cell {
	switch x := value.(type) {
	case nil:
		return cell{Kind: noCell}
	case bool:
		if x {
			return cell{Kind: yesCell}
		}
		return cell{Kind: noneCell}
	case time.Time:
		return cell{Kind: timeCell, Text: showTime(x)}
	case int64:
		return cell{Kind: textCell, Text: strconv.FormatInt(x, 10)}
	case float64:
		return cell{Kind: textCell, Text: strconv.FormatFloat(x, 'f', -1, 64)}
	case record.Link:
		return linkTo(record.TargetOf(f), x)
	case []record.Link:
		return linksTo(f, x)
	case []string:
		return textsCell(f, x)
	case record.Pointer:
		return cell{Kind: linkCell, Text: x.Display, Href: recordPath(x.Type, x.ID), to: x.Type}
	case json.RawMessage:
		return cell{Kind: codeCell, Text: indented(x)}
	case record.Plain:
		return textOf(string(x), true)
	case record.Sealed:
		return cell{Kind: noCell}
	case string:
		return stringCell(f, x)
	}
	return cell{Kind: textCell, Text: fmt.Sprint(value)}
}

func stringCell(f record.Field, s string) cell {
	in := f.Info()
	switch {
	case s == "":
		return cell{Kind: noCell}
	case in.Widget == record.ColorInput:
		return cell{Kind: colorCell, Text: s, Color: s}
	case len(in.Choices) > 0:
		for _, o := range in.Choices {
			if o.Value == s {
				return cell{Kind: badgeCell, Text: o.Label, Color: s}
			}
		}
	}
	return textOf(record.MarkUnknown(f, s), in.Widget == record.TextArea)
}

func textOf(s string, long bool) cell {
	if s == "" {
		return cell{Kind: noCell}
	}
	if long {
		return cell{Kind: longCell, Text: s}
	}
	return cell{Kind: textCell, Text: s}
}

func linkTo(t *record.Type, l record.Link) cell {
	if l.ID == 0 {
		return cell{Kind: noCell}
	}
	return cell{Kind: linkCell, Text: t.DisplayLink(l), Href: recordPath(t, l.ID), to: t}
}

func linksTo(f record.Field, links []record.Link) cell {
	if len(links) == 0 {
		return cell{Kind: noCell}
	}
	c := cell{Kind: listCell, Items: make([]cell, len(links))}
	ref, _ := record.ReferenceOf(f)
	color := -1
	if ref.Tags {
		c.Kind = tagsCell
		for n, i := range ref.Target.BriefIndex() {
			if ref.Target.Infos()[i].Widget == record.ColorInput {
				color = n
			}
		}
	}
	for i, l := range links {
		c.Items[i] = linkTo(ref.Target, l)
		if color >= 0 {
			c.Items[i].Color, _ = l.Brief[color].(string)
		}
	}
	return c
}

func textsCell(f record.Field, texts []string) cell {
	if len(texts) == 0 {
		return cell{Kind: noCell}
	}
	marked := make([]string, len(texts))
	for i, text := range texts {
		marked[i] = record.MarkUnknown(f, text)
	}
	return cell{Kind: textCell, Text: strings.Join(marked, ", ")}
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
