package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// calledField is the name of the hidden field that holds what a record is called.
const calledField = "_called"

// called is what a record is called, if its type declares Called. It is read with the record, and with every link to it.
type called struct {
	of *Type

	readOnly
}

var (
	_ Selected = called{}
	_ NamedBy  = called{}
)

// CalledForm is one way to call a record: words that follow each other. It can be used if each of its values is set.
type CalledForm []CalledWord

// CalledWord is a part of what a record is called.
type CalledWord struct {
	Text    string  // this text, or
	Steps   []Field // the value of the last field, reached through the references before it; or
	ID      bool    // the id of the record
	Back    *Hop    // Steps begin in the records that refer to this one; the lowest value counts
	NonZero bool    // the number 0 counts as not set
}

// Select implements Selected.
func (f called) Select(s Selector) { s.Called(f.of.CalledForms()) }

// NamedBy implements NamedBy.
func (f called) NamedBy() []*Type { return f.of.namedBy }

// findNamedBy returns the types of records that name one of this type by referring to it, or to what it is called by.
func (t *Type) findNamedBy() (types []*Type) {
	forms, _ := t.calledForms() // they are checked later
	for _, form := range forms {
		for _, word := range form {
			if word.Back != nil {
				types = append(types, word.Back.Target)
			}
			for _, step := range word.Steps {
				ref, _ := ReferenceOf(step)
				for _, target := range ref.Types() {
					types = append(types, target.findNamedBy()...)
				}
			}
		}
	}
	return types
}

// CalledForms returns the ways to call a record of the type; none if its first brief text or Display names it.
func (t *Type) CalledForms() []CalledForm {
	forms, err := t.calledForms()
	if err != nil {
		panic(err) // the registry has checked them
	}
	return forms
}

func (f called) checkDeclaration(*Type) error {
	_, err := f.of.calledForms()
	return err
}

func (f called) Info() Info {
	return Info{Name: calledField, Label: "Name", Type: "string", ReadOnly: true, Hidden: true}
}
func (f called) Schema() Schema { return Schema{"type": "string"} }

var calledWord = regexp.MustCompile(`\{([a-z0-9_.\[\]]+)(\??)\}|[^{}]+`)

// calledForms resolves the fields that Called names.
func (t *Type) calledForms() (forms []CalledForm, _ error) {
	for _, text := range t.Called {
		var form CalledForm
		length := 0
		for _, m := range calledWord.FindAllStringSubmatch(text, -1) {
			length += len(m[0])
			word := CalledWord{Text: m[0]}
			if m[1] != "" {
				var err error
				if word, err = t.calledWord(m[1]); err != nil {
					return nil, fmt.Errorf("its Called has %q: %w", text, err)
				}
				word.NonZero = m[2] != ""
			}
			form = append(form, word)
		}
		if length != len(text) || len(form) == 0 {
			return nil, fmt.Errorf("its Called has %q: put the names of fields in braces", text)
		}
		forms = append(forms, form)
	}
	return forms, nil
}

func (t *Type) calledWord(path string) (word CalledWord, _ error) {
	if path == "id" {
		return CalledWord{ID: true}, nil
	}
	at, rest := t, path
	if step := backStep.FindStringSubmatch(path); step != nil {
		hop, err := t.stepBack(step[1], step[2])
		if err != nil {
			return word, err
		}
		word.Back, at, rest = &hop, hop.Target, path[len(step[0]):]
	}
	for name := range strings.SplitSeq(rest, ".") {
		if at == nil || at.Field(name) == nil {
			return word, fmt.Errorf("%q leads to no column", path)
		}
		f := at.Field(name)
		ref, refers := ReferenceOf(f)
		if f.Column().Storage == NoStorage && !refers {
			return word, fmt.Errorf("%q leads to no column", path)
		}
		for _, target := range ref.Types() {
			if target.Display != nil {
				return word, fmt.Errorf("%q leads to %s, whose Display is a function", path, target.Key())
			}
		}
		if !refers && !slices.Contains(calledKinds, f.Column().Storage) || ref.Many {
			return word, fmt.Errorf("%q is not a text, number, time, address or reference to one record", path)
		}
		word.Steps, at = append(word.Steps, f), ref.Target
	}
	if word.Back != nil && len(word.Steps) > 1 {
		return word, fmt.Errorf("%q must end in a field of the records that refer to this one", path)
	}
	return word, nil
}

// calledKinds are the columns that a record can be called by.
var calledKinds = []Storage{StoreText, StoreInt, StoreTime, StoreNetwork, StoreAddress}
