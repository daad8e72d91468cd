package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"terrier/internal/record"
)

// shownField is the hidden input with the values of a form's widgets when it was sent to the browser. No field can have this name.
const shownField = "form.shown"

// shownForm is the fingerprints of the values that the widgets of a form had, by name. A value that comes back as it was shown is not
// written: a widget can't represent every value of a record, and a referenced record may have another name by now.
type shownForm map[string]string

// readShown returns the fingerprints in a posted form. It returns nil if there are none: then every widget counts as changed. It leaves out
// the widgets whose value was given up for that of another person, so they count as unchanged.
func readShown(form url.Values) shownForm {
	if !form.Has(shownField) {
		return nil
	}
	shown, theirs := shownForm{}, givenUp(form)
	for _, entry := range strings.Fields(form.Get(shownField)) {
		name, held, _ := strings.Cut(entry, ":")
		if !theirs[name] {
			shown[name] = held
		}
	}
	return shown
}

// touched reports whether the value of a widget has changed since the form was shown. A widget that was not shown has not changed.
func (s shownForm) touched(widget record.Widget, name string, typed url.Values) bool {
	switch {
	case widget == record.FileInput: // a form never has the file that was there
		return typed.Has(name + clearSuffix)
	case s == nil:
		return true
	}
	held, shown := s[name]
	return shown && held != heldPrint(widget, name, typed)
}

// Touched reports whether the value of a widget in a posted form has changed since the form was shown.
func Touched(form url.Values, name string, widget record.Widget) bool {
	return readShown(form).touched(widget, name, form)
}

// touched reports whether the value of a widget, of one that means something only with it, or the kind that says how to parse it, has
// changed since the form was shown.
func (s FormSource) touched(name string, in record.Info) bool {
	if s.touchedJoined(name, in.Widget) {
		return true
	}
	return in.KindOf != "" && s.shown.touched(s.v.Type().Field(in.KindOf).Info().Widget, in.KindOf, s.typed)
}

// typedInto reports whether somebody typed into a widget.
func (s FormSource) typedInto(f *FormField) bool {
	if s.typed == nil || s.part && !s.typed.Has(f.Name) {
		return false
	}
	return s.touchedJoined(f.Name, f.Widget)
}

// touchedJoined reports whether the value of a widget, or of one that means something only with it, has changed since the form was shown.
func (s FormSource) touchedJoined(name string, widget record.Widget) bool {
	if _, shown := s.shown[name]; !shown {
		return s.shown == nil
	}
	return s.shown.touched(widget, name, s.typed) || slices.ContainsFunc(s.v.Type().Joined(name), func(other string) bool {
		return other != name && s.shown.touched(s.v.Type().Field(other).Info().Widget, other, s.typed)
	})
}

// Shown returns the fingerprints of the widgets' values before anybody types, "" for a new record.
func (f *FormPage) Shown() string {
	if f.ID == 0 {
		return ""
	}
	var fields []FormField
	for _, g := range f.Groups {
		fields = append(fields, g.Fields...)
	}
	return ShownOf(fields...)
}

func ShownOf(fields ...FormField) string {
	entries := make([]string, len(fields))
	for i, f := range fields {
		entries[i] = f.Name + ":" + f.held
	}
	return strings.Join(entries, " ")
}

// posts returns what a browser sends for the widget if nobody changes it.
func (f *FormField) posts() url.Values {
	out := url.Values{}
	switch f.Widget {
	case record.CheckBox:
		if f.Checked {
			out.Add(f.Name, "true")
		}
		return out
	case record.SelectOne:
		chosen := slices.IndexFunc(f.Options, func(o Option) bool { return o.Selected })
		if len(f.Options) > 0 {
			out.Add(f.Name, f.Options[max(chosen, 0)].Value)
		}
		return out
	case record.RecordsInput:
		for _, o := range f.Links {
			if o.Selected {
				out.Add(f.Name+keptSuffix, o.Value)
			}
		}
	}
	for _, o := range f.Options {
		if o.Selected {
			out.Add(f.Name, o.Value)
		}
	}
	if len(f.Options) == 0 && f.Value != "" {
		out.Add(f.Name, f.Value)
	}
	return out
}

// heldPrint returns a fingerprint of a widget's value. It does not depend on how browsers write the value.
func heldPrint(widget record.Widget, name string, typed url.Values) string {
	var held []string
	for _, text := range typed[name] {
		if text = asHeld(widget, text); text != "" {
			held = append(held, text)
		}
	}
	slices.Sort(held)
	if widget == record.RecordsInput {
		kept := slices.Clone(typed[name+keptSuffix])
		slices.Sort(kept)
		held = append(append(held, ""), kept...)
	}
	if typed.Has(name + clearSuffix) {
		held = append(held, clearSuffix)
	}
	sum := sha256.Sum256([]byte(strings.Join(held, "\x00")))
	return hex.EncodeToString(sum[:8])
}

var (
	lineEnds   = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	noLineEnds = strings.NewReplacer("\r", "", "\n", "")
)

// black is what a browser shows for a value that is not a colour.
const black = "#000000"

// asHeld returns a text as a widget of the kind represents it. Browsers write line ends in their own way, remove them from single lines,
// and write colours and times in one form.
func asHeld(widget record.Widget, text string) string {
	switch widget {
	case record.TextLine, record.NumberInput, record.DecimalInput, record.DateInput, record.URLInput, record.RecordInput:
		return noLineEnds.Replace(text)
	case record.ColorInput:
		if text = strings.ToLower(text); len(text) != len(black) {
			return black
		}
		return text
	case record.MomentInput:
		if moment, ok := shownMoment(text); ok {
			return moment
		}
		return noLineEnds.Replace(text)
	}
	return lineEnds.Replace(text)
}

// HoldsText reports whether a browser's own input for times or dates would show the value as blank.
func (f FormField) HoldsText() bool {
	if f.Widget == record.DateInput {
		_, err := time.Parse(time.DateOnly, f.Value)
		return f.Value != "" && err != nil
	}
	_, moment := shownMoment(f.Value)
	return f.Value != "" && !moment
}
