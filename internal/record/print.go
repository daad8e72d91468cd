package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Printer writes records as the API shows them.
type Printer struct {
	Base string // the public address; every url in an answer starts with it
}

// View says which part of a record is shown. The zero View shows everything.
type View struct {
	Brief     bool     // id, url, display and the natural keys
	BriefList bool     // Brief: also the fields in BriefList
	Only      []string // only these fields
	Omit      []string // all fields except these
	With      []string // also these, which are shown only on request
}

// Whole reports whether a view shows everything.
func (view View) Whole() bool {
	return !view.Brief && len(view.Only) == 0 && len(view.Omit) == 0 && len(view.With) == 0
}

// Shown returns the positions of the fields that a view shows.
func (t *Type) Shown(view View) []int { return t.Plan(view).fields }

// plan is a View resolved for a type.
type plan struct {
	id, url, display bool
	fields           []int
	brief            bool
}

// Plan resolves a View, so that a page of records looks names up once.
func (t *Type) Plan(view View) *plan {
	if view.Whole() {
		return t.whole
	}
	return t.plan(view)
}

func (t *Type) plan(view View) *plan {
	p := &plan{id: true, url: true, display: true}
	if view.Brief {
		shown := t.brief
		if p.brief = true; view.BriefList {
			shown = t.briefList
		}
		for _, i := range shown {
			if t.infos[i].IsInBrief() {
				p.fields = append(p.fields, i)
			}
		}
		for _, name := range view.With {
			p.fields = append(p.fields, t.Index(name))
		}
		return p
	}
	only, omit := setOf(view.Only), setOf(view.Omit)
	shown := func(name string) bool { return (len(only) == 0 || only[name]) && !omit[name] }
	p.id, p.url, p.display = shown("id"), shown("url"), shown("display")
	for i, in := range t.infos {
		if !in.Hidden && shown(in.Name) && (!in.OnRequest || only[in.Name] || slices.Contains(view.With, in.Name)) {
			p.fields = append(p.fields, i)
		}
	}
	return p
}

func setOf(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Append writes one record.
func (p *Printer) Append(dst []byte, v Values, pl *plan) []byte {
	dst = append(dst, '{')
	start := len(dst)
	if pl.id {
		dst = append(dst, `"id":`...)
		dst = v.t.appendJSONID(dst, v.id)
	}
	if pl.url {
		dst = appendKey(dst, start, "url")
		dst = p.appendURL(dst, v.t, v.id)
	}
	if pl.display {
		dst = appendKey(dst, start, "display")
		dst = AppendString(dst, v.t.display(v))
	}
	fields := v.t.fields
	if pl.brief {
		fields = v.t.inBrief
	}
	for _, i := range pl.fields {
		dst = appendKey(dst, start, v.t.infos[i].Name)
		dst = fields[i].Append(dst, v.vals[i], p)
	}
	return append(dst, '}')
}

func appendKey(dst []byte, start int, name string) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// URL returns the address of a record.
func (p *Printer) URL(t *Type, id int64) string {
	return p.Base + t.Path() + t.FormatID(id) + "/"
}

func (p *Printer) appendURL(dst []byte, t *Type, id int64) []byte {
	dst = append(dst, '"')
	dst = append(dst, p.Base...)
	dst = append(dst, t.path...)
	dst = t.appendID(dst, id)
	return append(dst, '/', '"')
}

// Display returns the record's name for people.
func (v Values) Display() string { return v.t.display(v) }

func (t *Type) display(r Reader) string {
	switch {
	case t.Display != nil:
		return t.Display(r)
	case len(t.Called) == 0:
		return r.Text(t.naming)
	}
	if called := r.Text(calledField); called != "" || t.naming == "" {
		return called
	}
	return r.Text(t.naming) // a record that is not written yet
}

func appendHead(dst []byte, t *Type, id int64, display string, p *Printer) []byte {
	dst = append(dst, `{"id":`...)
	dst = t.appendJSONID(dst, id)
	dst = append(dst, `,"url":`...)
	dst = p.appendURL(dst, t, id)
	dst = append(dst, `,"display":`...)
	return AppendString(dst, display)
}

func appendLink(dst []byte, t *Type, l Link, p *Printer) []byte {
	dst = appendHead(dst, t, l.ID, t.display(linked{t, l}), p)
	for n, i := range t.BriefOf(l) {
		if !t.infos[i].IsInBrief() {
			continue
		}
		dst = append(dst, ',', '"')
		dst = append(dst, t.infos[i].Name...)
		dst = append(dst, '"', ':')
		dst = t.inBrief[i].Append(dst, l.Brief[n], p)
	}
	return append(dst, '}')
}

// DisplayLink returns the name for people of a linked record of the type.
func (t *Type) DisplayLink(l Link) string { return t.display(linked{t, l}) }

// NameOf returns the value of a linked record's naming field.
func (t *Type) NameOf(l Link) any { return linked{t, l}.get(t.naming) }

// linked lets a Display function read the brief fields of a nested record.
type linked struct {
	t *Type
	l Link
}

func (r linked) ID() int64 { return r.l.ID }
func (r linked) get(name string) any {
	for n, i := range r.t.BriefOf(r.l) {
		if r.t.infos[i].Name == name {
			return r.l.Brief[n]
		}
	}
	return nil
}
func (r linked) Text(name string) string     { s, _ := r.get(name).(string); return s }
func (r linked) Int(name string) int64       { n, _ := r.get(name).(int64); return n }
func (r linked) Numbers(name string) []int64 { n, _ := r.get(name).([]int64); return n }
func (r linked) Link(name string) Link       { l, _ := r.get(name).(Link); return l }

// snapshotField is how a snapshot writes one field.
type snapshotField struct {
	index int
	name  string
	tags  *Type // the type of tags, which are written by name; nil for other fields
}

// snapshotFields returns the fields that the change log keeps: all stored fields except secrets that nobody is shown.
func (t *Type) snapshotFields() []snapshotField {
	var out []snapshotField
	for i, f := range t.fields {
		secret, isSecret := SecrecyOf(f)
		if f.Column().Storage == NoStorage || isSecret && !secret.Shown {
			continue
		}
		x := snapshotField{index: i, name: t.infos[i].Name}
		if ref, _ := ReferenceOf(f); ref.Tags {
			x.tags = ref.Target
		}
		out = append(out, x)
	}
	return out
}

// AppendSnapshot writes the minimal state of a record: references by id, choices by value, tags by name. It never writes a secret. For a
// secret that is shown to callers who may change the record, it writes whether there is one.
func AppendSnapshot(dst []byte, v Values) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, f := range v.t.snapshot {
		dst = appendKey(dst, start, f.name)
		switch x := v.vals[f.index].(type) {
		case Sealed:
			dst = AppendString(dst, x.mask())
		case Plain: // of a record that was read for a caller who may change it
			dst = AppendString(dst, Sealed(x).mask())
		case Link:
			dst = strconv.AppendInt(dst, x.ID, 10)
		case []Link:
			dst = append(dst, '[')
			for n, l := range x {
				if n > 0 {
					dst = append(dst, ',')
				}
				if f.tags != nil {
					dst = AppendValue(dst, f.tags.NameOf(l))
				} else {
					dst = strconv.AppendInt(dst, l.ID, 10)
				}
			}
			dst = append(dst, ']')
		default:
			dst = AppendValue(dst, x)
		}
	}
	return append(dst, '}')
}

// TimeLayout always has six digits of a second, so that texts sort like times.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// AppendValue writes a plain value.
func AppendValue(dst []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return AppendString(dst, x)
	case int64:
		return strconv.AppendInt(dst, x, 10)
	case bool:
		return strconv.AppendBool(dst, x)
	case float64:
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	case time.Time:
		dst = append(dst, '"')
		dst = x.AppendFormat(dst, TimeLayout)
		return append(dst, '"')
	case json.RawMessage:
		return append(dst, x...)
	case []string:
		dst = append(dst, '[')
		for i, s := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, s)
		}
		return append(dst, ']')
	case []int64:
		dst = append(dst, '[')
		for i, n := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, n, 10)
		}
		return append(dst, ']')
	}
	panic("record: a value of an unknown kind")
}

const hex = "0123456789abcdef"

// AppendString writes a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\u2028' || r == '\u2029' || (r == utf8.RuneError && size == 1) {
			dst = append(dst, s[from:i]...)
			if size == 1 {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&15])
			}
			from = i + size
		}
		i += size
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
