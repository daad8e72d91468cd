package transfer

import (
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// maxColumns is more than a type can have, custom fields included.
const maxColumns = 2000

// openCSV returns the header of a file and a reader of the rows after it.
func openCSV(text []byte) (r *csvReader, header []string, line int, err error) {
	r = &csvReader{text: string(text), line: 1}
	r.separator = separatorOf(r.text)
	header, line, err = r.next()
	for err == nil && len(header) > 0 && allBlank(header) {
		header, line, err = r.next()
	}
	if err == nil && header == nil {
		err = fault.Field(fault.General, "There is nothing to import: the first row must name the columns.")
	}
	return r, header, line, err
}

func (in *reading) readCSV(text []byte) error {
	r, header, line, err := openCSV(text)
	if err != nil {
		return err
	}
	slots, err := in.readHeader(header, line)
	if err != nil {
		return err
	}
	for {
		cells, line, err := r.next()
		if err != nil {
			return err
		}
		if cells == nil {
			return nil
		}
		if err := in.spend(1 + written(cells)); err != nil {
			return err
		}
		if allBlank(cells) {
			continue
		}
		if err := in.begin(line); err != nil {
			return err
		}
		if err := in.readCells(slots, cells); err != nil {
			return err
		}
	}
}

// readHeader finds out what each column means. A column without a name means nothing.
func (in *reading) readHeader(header []string, line int) ([]*slot, error) {
	slots := make([]*slot, len(header))
	headings, at := map[string]bool{}, map[string]string{}
	for i, cell := range header {
		name := headingOf(cell)
		column, mapped := in.mapping[name]
		if !mapped {
			column = name
		}
		s, known := in.layout.slots[column]
		switch {
		case name == "":
			continue
		case headings[name]:
			return nil, fault.Field(fault.General, "line %d: column %q is there twice", line, cut(name))
		case mapped && column == Skip:
			s.skip = true
		case at[column] != "":
			return nil, fault.Field(fault.General, "line %d: the columns %q and %q are both mapped to %s. Skip one of them.",
				line, at[column], name, column)
		case !known:
			in.misspelt(line, column, in.layout.names)
		default:
			at[column] = name
		}
		headings[name] = true
		slots[i] = &s
	}
	for _, s := range slots {
		if s != nil && s.alias && at[s.field] != "" {
			s.skip = true // it says the same
		}
	}
	return slots, nil
}

// structured are the forms whose cells hold several values.
var structured = []record.CellForm{record.ListCell, record.ReferencesCell, record.JSONCell, record.CustomCells}

func (in *reading) readCells(slots []*slot, cells []string) error {
	for i, cell := range cells {
		switch {
		case i >= len(slots) || slots[i] == nil:
			if !blank(cell) {
				in.refuse(fault.General, "There is a value in column %d, which has no name.", i+1)
			}
			continue
		case slots[i].skip:
			continue
		case slots[i].id:
			in.identify(unescape(cell))
			continue
		}
		s := *slots[i]
		if slices.Contains(structured, s.form) {
			if err := in.spend(strings.Count(cell, ",")); err != nil {
				return err
			}
		}
		value, given, err := fromCell(s, cell)
		switch {
		case err != nil && s.custom:
			in.refuse(customFields, "Invalid value for custom field %q: %s", s.field, err.Error())
		case err != nil:
			in.refuse(s.field, "%s", err.Error())
		case given:
			in.put(s, choicesOf(s.choices, value))
		}
	}
	return nil
}

// written counts the cells that are not blank.
func written(cells []string) (n int) {
	for _, cell := range cells {
		if !blank(cell) {
			n++
		}
	}
	return n
}

func allBlank(cells []string) bool {
	for _, cell := range cells {
		if !blank(cell) {
			return false
		}
	}
	return true
}

// separatorOf looks at the header: spreadsheets choose the separator by country.
func separatorOf(text string) byte {
	header := strings.TrimLeft(text, "\r\n")
	if end := strings.IndexAny(header, "\r\n"); end >= 0 {
		header = header[:end]
	}
	best, most := byte(','), strings.Count(header, ",")
	for _, c := range []byte{';', '\t'} {
		if n := strings.Count(header, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// csvReader reads rows of cells. The standard library's reader changes line ends inside a cell, so an import would
// differ from its export.
type csvReader struct {
	text      string
	line      int
	separator byte
}

// next returns a row and its line; no cells at the end.
func (r *csvReader) next() (cells []string, line int, err error) {
	line = r.line
	for more := r.text != ""; more; {
		var cell string
		if cell, err = r.cell(); err != nil {
			return nil, line, err
		}
		if cells = append(cells, cell); len(cells) > maxColumns {
			return nil, line, fault.New(fault.TooLarge, "line %d: a row may hold at most %d columns", line, maxColumns)
		}
		more = r.text != "" && r.text[0] == r.separator
		if more {
			r.text = r.text[1:]
		}
	}
	end := 1
	if strings.HasPrefix(r.text, "\r\n") {
		end = 2
	}
	r.text = r.text[min(end, len(r.text)):]
	r.line++
	return cells, line, nil
}

// lineEnds counts line ends of all three kinds.
func lineEnds(s string) int {
	return strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
}

// cell takes one cell off the text, up to a separator or the end of the line.
func (r *csvReader) cell() (string, error) {
	if !strings.HasPrefix(r.text, `"`) {
		end := strings.IndexAny(r.text, string(r.separator)+"\r\n")
		if end < 0 {
			end = len(r.text)
		}
		cell := r.text[:end]
		r.text = r.text[end:]
		return cell, nil
	}
	cell, rest, ok := cutQuoted(r.text)
	if !ok {
		return "", fault.Field(fault.General, "line %d: a cell begins with a quote that is never closed", r.line)
	}
	opened := r.line
	r.line += lineEnds(r.text[:len(r.text)-len(rest)])
	r.text = rest
	if rest != "" && rest[0] != r.separator && rest[0] != '\r' && rest[0] != '\n' {
		return "", fault.Field(fault.General, "line %d: a quoted cell has text after its closing quote: write quotes inside it twice", opened)
	}
	return cell, nil
}
