package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// displayWord stands for what the API shows as the display of a record.
const displayWord = "display"

var fullNameWord = regexp.MustCompile(`\{([a-z0-9_]+)\}|[^{}]+`)

// fullNamePart is a text, a reference to an owner, another field, or the display of the record.
type fullNamePart struct {
	text    string
	field   int // -1 for a text and for the display
	owner   *ReferenceField
	display bool
}

// buildFullName resolves FullName.
func (t *Type) buildFullName() error {
	for _, form := range t.FullName {
		var parts []fullNamePart
		for _, m := range fullNameWord.FindAllStringSubmatch(form, -1) {
			part := fullNamePart{text: m[0], field: -1, display: m[1] == displayWord}
			if m[1] != "" && !part.display {
				i := t.Index(m[1])
				owner := slices.IndexFunc(t.references, func(r ReferenceField) bool { return r.Name == m[1] })
				switch {
				case i < 0, owner >= 0 && (t.references[owner].Many || t.references[owner].Target == nil):
					return fmt.Errorf("its FullName has %q: %q is neither a reference to one record nor another field", form, m[1])
				case owner >= 0:
					part.owner = &t.references[owner]
				}
				part.field = i
			}
			parts = append(parts, part)
		}
		t.fullName = append(t.fullName, parts)
	}
	return nil
}

// FullNameView is what must be read of a record for its full name.
func (t *Type) FullNameView() View {
	if len(t.fullName) == 0 {
		return View{Brief: true}
	}
	view := View{Only: slices.Clone(t.Brief)}
	for _, form := range t.fullName {
		for _, part := range form {
			if part.field >= 0 && !slices.Contains(view.Only, t.infos[part.field].Name) {
				view.Only = append(view.Only, t.infos[part.field].Name)
			}
		}
	}
	return view
}

// FullName returns what people call a record among those of other owners: fra1-sw07 › mgmt0. It is the first form whose values are all
// set, else what the API shows as its display.
func (v Values) FullName() string {
	for _, form := range v.t.fullName {
		var b strings.Builder
		complete := true
		for _, part := range form {
			text := part.of(v)
			complete = complete && text != ""
			b.WriteString(text)
		}
		if complete {
			return b.String()
		}
	}
	return v.Display()
}

// FullNameOf returns the full name of a record of which only texts are known, by the names of fields. It is "" without a name.
func (t *Type) FullNameOf(text func(field string) string) string {
	name := ""
	if t.naming != "" {
		name = text(t.naming)
	}
	if name == "" {
		return ""
	}
	for _, form := range t.fullName {
		var b strings.Builder
		complete := true
		for _, part := range form {
			written := part.text
			switch {
			case part.display:
				written = name
			case part.field >= 0:
				written = text(t.infos[part.field].Name)
			}
			complete = complete && written != ""
			b.WriteString(written)
		}
		if complete {
			return b.String()
		}
	}
	return name
}

func (p fullNamePart) of(v Values) string {
	switch {
	case p.display:
		return v.Display()
	case p.field < 0:
		return p.text
	case p.owner != nil:
		for _, l := range p.owner.Links(v) {
			if len(l.Brief) == 0 {
				continue
			}
			if name, _ := p.owner.Target.NameOf(l).(string); name != "" { // its display may add what tells it apart
				return name
			}
			return p.owner.Target.DisplayLink(l)
		}
		return ""
	}
	if value := v.At(p.field); value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// mayBeCalled reports whether a text may be the full name of a linked record. The names of its owners are not compared: they are not
// read with a link.
func (t *Type) mayBeCalled(name string, l Link) bool {
	shown := linked{t, l}
	for _, form := range t.fullName {
		var pattern strings.Builder
		for _, part := range form {
			switch {
			case part.display:
				pattern.WriteString(regexp.QuoteMeta(t.display(shown)))
			case part.field < 0:
				pattern.WriteString(regexp.QuoteMeta(part.text))
			case part.owner == nil && shown.get(t.infos[part.field].Name) != nil:
				pattern.WriteString(regexp.QuoteMeta(fmt.Sprint(shown.get(t.infos[part.field].Name))))
			default:
				pattern.WriteString(".+")
			}
		}
		if matched, err := regexp.MatchString("^(?:"+pattern.String()+")$", name); err == nil && matched {
			return true
		}
	}
	return false
}
