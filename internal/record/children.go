package record

import (
	"fmt"
	"slices"
	"strings"
)

// Children means that creating a record creates others too: one for each template of the record that Where refers to. A new device gets
// the interfaces of its device type. They are created in the same change set, each with its own change.
type Children struct {
	Make  string   // the type of the children: "dcim.interface"
	By    string   // their reference to the new record: "device"
	From  string   // the type of the templates: "dcim.interfacetemplate"
	Where string   // the reference that the new record and the templates have in common: "device_type"
	Copy  []string // fields that a child copies from its template
	// Refer names references between templates. They become references between the children made from these templates. The other
	// child is of the same type, or of one that is made before.
	Refer []string
	// Reads names values of records that the new record refers to: "module_bay.position". Fill can read them.
	Reads []string
	// Fill sets the other fields of a child. If it returns an error, the record is refused, with an error on its field Where.
	Fill func(parent Parent, template, child Values) error
}

// Parent is a new record that gets children.
type Parent struct {
	Values
	read map[string]any
}

// NewParent returns a new record with the values that the Reads of its Children name.
func NewParent(v Values, read map[string]any) Parent { return Parent{v, read} }

// Read returns a value that Reads names, nil if it is null or there is no such record. It panics if Reads does not name it.
func (p Parent) Read(path string) any {
	value, ok := p.read[path]
	if !ok {
		panic(fmt.Sprintf("record: the Children of %s do not have %q in Reads", p.t.Key(), path))
	}
	return value
}

// ReadText returns a text that Reads names, "" if it is null.
func (p Parent) ReadText(path string) string {
	s, _ := p.Read(path).(string)
	return s
}

// ChildRule is a Children of a type, with its names resolved to types and fields.
type ChildRule struct {
	Children
	Type, Templates *Type
	Shared          Field // the field Where of the templates
	ParentReads     []ParentRead
	ChildRefers     []ChildRefer
}

// ParentRead is one of the Reads of a ChildRule.
type ParentRead struct {
	Path   string
	Ref    string // the reference of the new record
	Target *Type  // what it refers to
	Field  string // the field there
}

// ChildRefer is one of the Refer of a ChildRule.
type ChildRefer struct {
	Templates, Children ReferenceField
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
	rule := ChildRule{Children: c, Type: made, Templates: templates, Shared: templates.Field(c.Where)}
	for _, build := range []func(*ChildRule) error{t.checkOrigin, checkCopy, t.buildRefer, t.buildReads, checkRequired} {
		if err := build(&rule); err != nil {
			return fmt.Errorf("its Children of %s: %w", c.Make, err)
		}
	}
	t.childRules = append(t.childRules, rule)
	return nil
}

// checkOrigin checks how children, templates and the new record refer to each other.
func (t *Type) checkOrigin(r *ChildRule) error {
	if by, ok := ReferenceOf(r.Type.Field(r.By)); !ok || by.Many || by.Target != t {
		return fmt.Errorf("its By names %q, which is not a reference to one %s", r.By, t.Key())
	}
	mine, ok := ReferenceOf(t.Field(r.Where))
	theirs, also := ReferenceOf(r.Shared)
	if !ok || !also || mine.Many || theirs.Many || mine.Target == nil || mine.Target != theirs.Target {
		return fmt.Errorf("its Where names %q, which %s and %s do not both have as a reference to one record of the same type", r.Where, t.Key(),
			r.From)
	}
	return nil
}

func checkCopy(r *ChildRule) error {
	for _, name := range r.Copy {
		if why := notCopied(r.Type.Field(name), r.Templates.Field(name), r.Templates); why != "" {
			return fmt.Errorf("its Copy names %q, which %s", name, why)
		}
	}
	return nil
}

// buildRefer resolves references between templates. Those to one of several types become references of the same kind.
func (t *Type) buildRefer(r *ChildRule) error {
	for _, name := range r.Refer {
		theirs, ok := r.Templates.reference(name)
		mine, also := r.Type.reference(name)
		if !ok || !also || mine.Many || theirs.Many || (mine.Target == nil) != (theirs.Target == nil) ||
			slices.ContainsFunc(theirs.Types(), func(from *Type) bool { return !t.makes(r, mine.Reference, from) }) {
			return fmt.Errorf("its Refer names %q, which does not lead from a template to another one that makes a child too, here or before", name)
		}
		if r.Type.infos[mine.Written[0]].Required && !r.Templates.infos[theirs.Written[0]].Required {
			return fmt.Errorf("its Refer names %q, which can be null in %s and not here", name, r.From)
		}
		r.ChildRefers = append(r.ChildRefers, ChildRefer{theirs, mine})
	}
	return nil
}

// makes reports whether a declaration, or one before it, makes records that a reference can be to from templates of a type.
func (t *Type) makes(r *ChildRule, to Reference, from *Type) bool {
	return slices.ContainsFunc(append(slices.Clone(t.childRules), *r), func(r ChildRule) bool {
		return r.Templates == from && to.refersTo(r.Type)
	})
}

// reference returns the field of this name, if it refers to records.
func (t *Type) reference(name string) (ReferenceField, bool) {
	i := slices.IndexFunc(t.references, func(f ReferenceField) bool { return f.Name == name })
	if i < 0 {
		return ReferenceField{}, false
	}
	return t.references[i], true
}

func (t *Type) buildReads(r *ChildRule) error {
	for _, path := range r.Reads {
		name, field, _ := strings.Cut(path, ".")
		ref, ok := t.reference(name)
		if !ok || ref.Many || ref.Target == nil || ref.Target.Field(field) == nil {
			return fmt.Errorf("Reads names %q: give a reference to one record and a field of it, such as %q", path, "module_bay.position")
		}
		r.ParentReads = append(r.ParentReads, ParentRead{path, name, ref.Target, field})
	}
	return nil
}

func checkRequired(r *ChildRule) error {
	for _, in := range r.Type.infos {
		name := in.Name
		if in.HalfOf != "" {
			name = in.HalfOf
		}
		given := name == r.By || slices.Contains(r.Copy, name) || slices.Contains(r.Refer, name)
		if in.Required && !given && r.Fill == nil {
			return fmt.Errorf("nothing sets %q, which is required", in.Name)
		}
	}
	return nil
}
