package record

import (
	"fmt"
	"slices"
)

// Children means that creating a record creates others too: one for each template of the record that Where refers to. A new device gets
// the interfaces of its device type. They are created in the same change set, each with its own change.
type Children struct {
	Make  string   // the type of the children: "dcim.interface"
	By    string   // their reference to the new record: "device"
	From  string   // the type of the templates: "dcim.interfacetemplate"
	Where string   // the reference that the new record and the templates have in common: "device_type"
	Copy  []string // fields that a child copies from its template
	// Refer names references between templates. They become references between the children made from these templates.
	Refer []string
	// Fill sets the other fields of a child.
	Fill func(parent, template, child Values)
}

// ChildRule is a Children of a type, with its names resolved to types and fields.
type ChildRule struct {
	Children
	Type, Templates *Type
	Shared          Field // the field Where of the templates
}

// ChildRules returns the declarations of the children that a new record of the type gets.
func (t *Type) ChildRules() []ChildRule { return t.childRules }

func (t *Type) buildChildren(c Children) error {
	made, templates := t.reg.byKey[c.Make], t.reg.byKey[c.From]
	if made == nil || templates == nil {
		return fmt.Errorf("its Children names %s and %s, and one of them is not registered", c.Make, c.From)
	}
	if len(made.Children) > 0 {
		return fmt.Errorf("its Children names %s, which has Children itself", c.Make)
	}
	if slices.ContainsFunc(t.childRules, func(r ChildRule) bool { return r.Type == made }) {
		return fmt.Errorf("its Children makes %s twice", c.Make)
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("its Children of %s: %s", c.Make, fmt.Sprintf(format, args...))
	}
	if by, ok := ReferenceOf(made.Field(c.By)); !ok || by.Many || by.Target != t {
		return wrong("By names %q, which is no reference to one %s", c.By, t.Key())
	}
	mine, ok := ReferenceOf(t.Field(c.Where))
	theirs, also := ReferenceOf(templates.Field(c.Where))
	if !ok || !also || mine.Many || theirs.Many || mine.Target == nil || mine.Target != theirs.Target {
		return wrong("Where names %q, which %s and %s do not both have as a reference to one record of the same type", c.Where, t.Key(), c.From)
	}
	for _, name := range c.Copy {
		if why := notTaken(made.Field(name), templates.Field(name), templates); why != "" {
			return wrong("Copy names %q, which %s", name, why)
		}
	}
	for _, name := range c.Refer {
		mine, ok := ReferenceOf(made.Field(name))
		theirs, also := ReferenceOf(templates.Field(name))
		if !ok || !also || mine.Many || theirs.Many || !t.makes(c, mine.Target, theirs.Target) {
			return wrong("Refer names %q, which does not lead from a template to another one that makes a child too, here or before", name)
		}
		if made.Field(name).Info().Required && !templates.Field(name).Info().Required {
			return wrong("Refer names %q, which can be null in %s and not here", name, c.From)
		}
	}
	for i, in := range made.infos {
		given := in.Name == c.By || slices.Contains(c.Copy, in.Name) || slices.Contains(c.Refer, in.Name)
		if in.Required && !given && c.Fill == nil {
			return wrong("nothing sets %q, which is required", made.infos[i].Name)
		}
	}
	t.childRules = append(t.childRules, ChildRule{c, made, templates, templates.Field(c.Where)})
	return nil
}

// makes reports whether a declaration, or one before it, creates records of a type from templates of another.
func (t *Type) makes(c Children, made, templates *Type) bool {
	return t.reg.byKey[c.Make] == made && t.reg.byKey[c.From] == templates ||
		slices.ContainsFunc(t.childRules, func(r ChildRule) bool { return r.Type == made && r.Templates == templates })
}
