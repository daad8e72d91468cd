package record

import (
	"fmt"
	"slices"
	"strings"
)

// SyncChildren returns an action that compares records with the templates of their Children, and adds the children that they lack. of is
// the type of these records. That type declares the action, to compare one record. The type that its templates belong to may
// declare it too, to compare all records that refer to one of these: a device type compares its devices.
func SyncChildren(of string) Action {
	return Action{Name: "sync-components", Method: DoMethod, Label: "Compare with type", Syncs: of}
}

// Identity returns the fields by which a child is recognized among those of one parent: those that are unique there, or the one that
// names it.
func (r ChildRule) Identity() Unique {
	for _, rule := range r.Type.Rules() {
		if i := slices.Index(rule.Fields, r.By); i >= 0 && len(rule.Fields) > 1 {
			rule.Fields = slices.Delete(slices.Clone(rule.Fields), i, i+1)
			return rule
		}
	}
	return Unique{Fields: []string{r.Type.naming}}
}

// OtherOwners returns the references through which children of the type belong to records of other types, which have made them: an
// interface belongs to the module that it came with.
func (r ChildRule) OtherOwners() (fields []Field) {
	for _, t := range r.Type.reg.types {
		for _, c := range t.Children {
			if c.Make == r.Make && c.By != r.By {
				fields = append(fields, r.Type.Field(c.By))
			}
		}
	}
	return fields
}

// isSyncOfOne reports whether the action compares the record in its address.
func (a *Action) isSyncOfOne() bool { return a.Syncs == a.of.Key() }

// buildSync sets what an action that Syncs needs, takes and answers.
func (a *Action) buildSync() {
	parent := a.of.reg.byKey[a.Syncs]
	if parent == nil {
		return // it is refused later
	}
	a.Doc = fmt.Sprintf("Compare the %s with its type and add the components that it lacks", parent.Title())
	a.Needs = "change"
	a.Body = Fields{Bool{Name: "dry_run", Help: "Only compare, and change nothing."}}
	if !a.isSyncOfOne() {
		a.Label = "Compare " + strings.ReplaceAll(parent.Plural, "-", " ")
		a.Doc = fmt.Sprintf("Compare every %s of the %s with it and add the components that they lack", parent.Title(), a.of.Title())
		a.Needs = "view"
		a.Body = append(a.Body, Int{Name: "after", Help: "Continue after the record with this id: the next of an earlier response."})
	}
	a.Answer = syncSchema(parent, !a.isSyncOfOne())
}

func syncSchema(parent *Type, several bool) Schema {
	by := parent.Name
	if len(parent.Children) > 0 {
		by = parent.Children[0].By
	}
	list := func(more Schema) Schema {
		properties := Schema{"type": Schema{"type": "string"}, "name": Schema{"type": "string"}, by: refSchema(parent, false)}
		for name, schema := range more {
			properties[name] = schema
		}
		return Schema{"type": "array", "items": Schema{"type": "object", "properties": properties}}
	}
	answer := Schema{"added": list(nil), "extra": list(nil),
		"different": list(Schema{"fields": Schema{"type": "array", "items": Schema{"type": "string"}}})}
	if several {
		answer["compared"] = Schema{"type": "integer"}
		answer["next"] = Schema{"type": "integer", "nullable": true}
	}
	return Schema{"type": "object", "properties": answer}
}

// checkSync refuses an action whose type neither has the Children nor their templates.
func (a *Action) checkSync() error {
	parent := a.of.reg.byKey[a.Syncs]
	if parent == nil || len(parent.Children) == 0 {
		return fmt.Errorf("it Syncs %s, which is not a type with Children", a.Syncs)
	}
	for _, c := range parent.Children {
		if c.Where != parent.Children[0].Where || c.By != parent.Children[0].By {
			return fmt.Errorf("it Syncs %s, whose Children do not all have the same Where and By", a.Syncs)
		}
	}
	if !a.isSyncOfOne() && TargetOf(parent.Field(parent.Children[0].Where)) != a.of {
		return fmt.Errorf("it Syncs %s, whose templates belong to another type", a.Syncs)
	}
	return nil
}
