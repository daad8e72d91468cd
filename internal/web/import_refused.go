package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// How many lines a message that several rows have names, and how many choices.
const (
	namedLines   = 5
	namedChoices = 20
)

// refusedRow is a message that rows of a file have in common.
type refusedRow struct{ field, message string }

// refusedRows returns the table of what is wrong with the rows of a file. Rows with the same message share a row of the table.
func (p *TypePages) refusedRows(v *Visit, sent *sentFile, rows []transfer.Row, items []fault.Fields) (refusals, error) {
	out := refusals{Lines: true}
	var order []refusedRow
	about := map[refusedRow][]int{} // the positions of rows
	for i, fields := range items {
		for field, messages := range fields {
			for _, message := range messages {
				key := refusedRow{field, message}
				if about[key] == nil {
					order = append(order, key)
				}
				about[key] = append(about[key], i)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b refusedRow) int {
		return cmp.Or(cmp.Compare(about[a][0], about[b][0]), cmp.Compare(a.field, b.field), cmp.Compare(a.message, b.message))
	})
	shown := order[:min(len(order), mostRefusals)]
	for _, key := range order[len(shown):] {
		out.More += len(about[key])
	}
	wanted := wantedNames{}
	for _, key := range shown {
		if len(p.Type.FullName) > 0 {
			wanted.add(p.Type, rows[about[key][0]].Key)
		}
	}
	err, headings := v.readNames(wanted), sent.columns.Fields()
	for _, key := range shown {
		at := about[key]
		r := refusal{Rows: len(at), Lines: linesOf(rows, at), Record: p.rowCell(v, rows[at[0]]), Message: key.message,
			Field: p.labelOf(cmp.Or(headings[key.field], key.field)), Choices: choicesText(p.Type.Field(key.field))}
		out.Rows = append(out.Rows, r)
	}
	return out, err
}

// linesOf returns the lines of some rows in words.
func linesOf(rows []transfer.Row, at []int) string {
	var lines []string
	for _, i := range at[:min(len(at), namedLines)] {
		lines = append(lines, strconv.Itoa(rows[i].Line))
	}
	text := strings.Join(lines, ", ")
	if more := len(at) - len(lines); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// choicesText returns what a field can be, "" if that is no list.
func choicesText(f record.Field) string {
	if f == nil {
		return ""
	}
	var values []string
	for _, o := range f.Info().Choices {
		values = append(values, o.Value)
	}
	if len(values) > namedChoices {
		values = append(values[:namedChoices], "…")
	}
	return strings.Join(values, ", ")
}

// rowCell returns the name of the record that a row is about, with its owner if the row has that.
func (p *TypePages) rowCell(v *Visit, row transfer.Row) Cell {
	name := p.Type.FullNameOf(row.Text)
	if row.ID == "" {
		return textOf(name, false)
	}
	name = cmp.Or(v.fullNames[record.Pointer{Type: p.Type, ID: row.Key}], name, "#"+row.ID)
	return Cell{Kind: LinkCell, Text: name, Href: p.Path + row.ID + "/"}
}
