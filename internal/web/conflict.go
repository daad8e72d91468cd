package web

import (
	"slices"
	"strings"

	"terrier/internal/access"
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

// conflictField is a field of the form that others changed.
type conflictField struct {
	Label, Href string
	Theirs      string
	Mine        string
	Keep        string // the input that chooses; "" if the caller did not change the field
}

// maxConflicting is how many changes of others are named.
const maxConflicting = 5

// conflict compares what the form showed, what was typed into it, and what the record has now.
func (p *TypePages) conflict(v *Visit, found record.Values, form *FormPage) (*conflict, error) {
	src, err := p.Source(v, found, nil, nil)
	if err != nil {
		return nil, err
	}
	out, shown := &conflict{}, readShown(v.R.PostForm)
	for _, g := range p.groups(src) {
		for _, theirs := range g.Fields {
			was, known := shown[theirs.Name]
			mine := form.Field(theirs.Name)
			if !known || was == theirs.held || mine == nil {
				continue
			}
			line := conflictField{Label: theirs.Label, Href: "#" + theirs.ID, Theirs: theirs.text()}
			if shown.touched(theirs.Widget, theirs.Name, v.R.PostForm) && theirs.held != heldPrint(theirs.Widget, theirs.Name, v.R.PostForm) {
				line.Mine, line.Keep = mine.text(), keepPrefix+theirs.Name
			}
			out.Fields = append(out.Fields, line)
		}
	}
	since := found.Version - v.Version(found)[0] // each change raises the version by one
	if since > 0 && v.May(p.site.ChangeType(), access.View) {
		out.Changes, err = v.changesOf(p.Type, found.ID(), int(min(since, maxConflicting)))
	}
	return out, err
}

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
