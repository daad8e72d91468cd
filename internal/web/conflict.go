package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// keepPrefix begins the names of inputs that choose what to save in a field that two people changed. No field can have such a name.
const keepPrefix = "form.keep."

// keepTheirs is the choice to leave what the other person saved.
const keepTheirs = "theirs"

// conflict is what others changed in a record while somebody had its form open.
type conflict struct {
	Changes []changeLine // newest first; none if the caller may not see changes
	Fields  []conflictField
}

// conflictField is a field of the form that others changed, or several that mean something only together.
type conflictField struct {
	Label, Href string
	Theirs      Cell
	Mine        Cell
	Keep        string // the input that chooses; "" if the caller changed none of them
}

// givenUp returns the names of the widgets whose value was given up for that of another person.
func givenUp(form url.Values) map[string]bool {
	names := map[string]bool{}
	for input := range form {
		if joined, chooses := strings.CutPrefix(input, keepPrefix); chooses && form.Get(input) == keepTheirs {
			for _, name := range strings.Split(joined, ",") {
				names[name] = true
			}
		}
	}
	return names
}

// maxConflicting is how many changes of others are named.
const maxConflicting = 5

// conflict compares what the form showed, what was typed into it, and what the record has now.
func (p *TypePages) conflict(v *Visit, found record.Values, form *FormPage) (*conflict, error) {
	src, err := p.Source(v, found, nil, nil)
	if err != nil {
		return nil, err
	}
	m := merge{v, p.Type, readShown(v.R.PostForm), &FormPage{Groups: p.groups(src)}, form}
	out := &conflict{}
	if out.Fields, err = m.fields(); err != nil {
		return nil, err
	}
	since := found.Version - v.Version(found)[0] // each change raises the version by one
	if since > 0 && v.May(p.site.ChangeType(), access.View) {
		out.Changes, err = v.changesOf(p.Type, found.ID(), int(min(since, maxConflicting)))
	}
	return out, err
}

// merge is what two people made of a record.
type merge struct {
	v            *Visit
	t            *record.Type
	shown        shownForm
	theirs, mine *FormPage
}

// fields returns the fields that the other person changed. Fields that mean something only together are chosen together.
func (m merge) fields() ([]conflictField, error) {
	var lines []conflictField
	placed := map[string]bool{}
	for _, g := range m.theirs.Groups {
		for _, f := range g.Fields {
			if placed[f.Name] {
				continue
			}
			joined := slices.DeleteFunc(m.t.Joined(f.Name), func(name string) bool {
				return m.theirs.Field(name) == nil || m.mine.Field(name) == nil
			})
			for _, name := range joined {
				placed[name] = true
			}
			if !slices.ContainsFunc(joined, m.theyChanged) {
				continue
			}
			line, err := m.line(joined)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func (m merge) theyChanged(name string) bool {
	was, known := m.shown[name]
	return known && was != m.theirs.Field(name).held
}

func (m merge) iChanged(name string) bool {
	return m.shown.touched(m.theirs.Field(name).Widget, name, m.v.R.PostForm)
}

// differs reports whether a widget was posted with another value than the record has now.
func (m merge) differs(name string) bool {
	theirs := m.theirs.Field(name)
	return theirs.held != heldPrint(theirs.Widget, name, m.v.R.PostForm)
}

// line returns the line of fields that are chosen together.
func (m merge) line(names []string) (line conflictField, err error) {
	line.Label, line.Href = m.label(names), "#"+m.theirs.Field(names[0]).ID
	if line.Theirs, err = m.cell(m.theirs, names); err != nil {
		return line, err
	}
	if slices.ContainsFunc(names, m.iChanged) && slices.ContainsFunc(names, m.differs) {
		line.Keep = keepPrefix + strings.Join(names, ",")
		line.Mine, err = m.cell(m.mine, names)
	}
	return line, err
}

func (m merge) label(names []string) string {
	if ref := m.reference(names); ref != nil {
		return ref.Info().Label
	}
	labels := make([]string, len(names))
	for i, name := range names {
		labels[i] = m.theirs.Field(name).Label
	}
	return strings.Join(labels, ", ")
}

// reference returns the reference to one of several types whose type and id the fields are, nil if they are something else.
func (m merge) reference(names []string) record.Field {
	if f := m.t.Field(names[0]); f != nil && f.Info().HalfOf != "" && len(names) > 1 {
		return m.t.Field(f.Info().HalfOf)
	}
	return nil
}

// cell returns the values of fields in a form for people.
func (m merge) cell(form *FormPage, names []string) (Cell, error) {
	texts, filled := make([]string, len(names)), false
	for i, name := range names {
		text := form.Field(name).text()
		filled = filled || text != ""
		texts[i] = cmp.Or(text, "—")
	}
	if !filled {
		return Cell{Kind: EmptyCell}, nil
	}
	if f := form.Field(names[0]); f.Widget == record.MomentInput {
		if at, err := record.ParseTime(f.Value); err == nil {
			return Cell{Kind: TimeCell, At: at}, nil
		}
	}
	if f := m.reference(names); f != nil {
		ref, _ := record.ReferenceOf(f)
		name, err := m.v.nameOfAny(form.Field(ref.TypeField).text(), form.Field(ref.TypeField).sent(), form.Field(ref.IDField).sent())
		return textOf(name, false), err
	}
	return textOf(strings.Join(texts, ", "), false), nil
}

// nameOfAny returns what a record is called that a form names by its type and its id. One that the caller may not see, or that does not
// exist, has only these.
func (v *Visit) nameOfAny(kind, key, id string) (string, error) {
	name := kind + " #" + id
	t := v.Site.Registry.Type(key)
	n, err := strconv.ParseInt(id, 10, 64)
	if t == nil || err != nil || !v.May(t, access.View) {
		return name, nil
	}
	found, err := v.Site.Ledger.Get(v.Ctx, v.Caller, t, n)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return name, nil
	case err != nil:
		return "", err
	}
	return kind + " " + found.FullName(), nil
}

// sent returns the one value that a browser sends for the widget if nobody changes it.
func (f *FormField) sent() string { return f.posts().Get(f.Name) }

// text returns the value of a widget for people.
func (f *FormField) text() string {
	switch f.Widget {
	case record.PasswordInput, record.KeyArea, record.SecretArea:
		return "hidden"
	case record.CheckBox:
		if f.Checked {
			return "yes"
		}
		return "no"
	}
	if f.Unseen > 0 && f.Value == "" && len(f.Links) == 0 {
		return "hidden"
	}
	if len(f.Links)+len(f.Options) == 0 {
		return f.Value
	}
	var labels []string
	for _, o := range slices.Concat(f.Links, f.Options) {
		if o.Selected && o.Value != "" {
			labels = append(labels, o.Label)
		}
	}
	return strings.Join(labels, ", ")
}
