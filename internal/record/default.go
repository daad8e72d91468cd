package record

import (
	"fmt"
	"strings"
)

// Default means that an empty field of a new record takes the value that a record behind a reference has: an empty platform of a new
// device is the default platform of its device type. A null that was sent is empty too. A later change of the other record changes
// nothing here.
type Default struct {
	Field string
	From  string // a reference and a field of the record behind it: "device_type.default_platform"
}

// DefaultRule is a Default of a type, with its path resolved.
type DefaultRule struct {
	Field  int    // in All
	Of     string // the reference
	Theirs string // the field of the record behind it
}

// DefaultRules returns the declared defaults of the type.
func (t *Type) DefaultRules() []DefaultRule { return t.defaultRules }

func (t *Type) buildDefault(d Default) error {
	of, theirs, _ := strings.Cut(d.From, ".")
	ref, ok := ReferenceOf(t.Field(of))
	if !ok || ref.Many || ref.Target == nil || ref.Target.Field(theirs) == nil {
		return fmt.Errorf("its Defaults take %q, which is not a field of a record that it refers to", d.From)
	}
	mine := t.Field(d.Field)
	switch {
	case mine == nil || !alike(mine, ref.Target.Field(theirs)):
		return fmt.Errorf("its Defaults set %q, which is not the same kind of field as %q", d.Field, d.From)
	case mine.Info().ReadOnly:
		return fmt.Errorf("its Defaults set %q, which is read-only", d.Field)
	case mine.Info().Required:
		return fmt.Errorf("its Defaults set %q, which is required and so never empty", d.Field)
	}
	t.defaultRules = append(t.defaultRules, DefaultRule{t.Index(d.Field), of, theirs})
	return nil
}
