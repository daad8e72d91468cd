package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

// family returns types in which a new parent gets children, made from the templates of its model.
func family(change func(parent, template, child *record.Type)) []record.Type {
	named := record.Text{Name: "name", Max: 10, Required: true}
	typ := func(name string, fields ...record.Field) record.Type {
		return record.Type{App: "a", Name: name, Plural: name + "s", Fields: append(record.Fields{named}, fields...),
			Brief: []string{"name"}, Order: []string{"name"}}
	}
	model := typ("model")
	template := typ("template", record.Ref{Name: "model", To: "a.model", Required: true}, record.Ref{Name: "pair", To: "a.template"},
		record.Bool{Name: "flag"}, record.AnyRef{Name: "any", To: []string{"a.template", "a.model"}},
		record.AnyRef{Name: "part", To: []string{"a.template"}})
	parent := typ("parent", record.Ref{Name: "model", To: "a.model", Required: true})
	parent.Children = []record.Children{{Make: "a.child", By: "parent", From: "a.template", Where: "model", Copy: []string{"name"},
		Refer: []string{"pair"}}}
	child := typ("child", record.Ref{Name: "parent", To: "a.parent", Required: true}, record.Ref{Name: "pair", To: "a.child"},
		record.Text{Name: "flag"}, record.Ref{Name: "model", To: "a.model"},
		record.AnyRef{Name: "any", To: []string{"a.child", "a.model"}}, record.AnyRef{Name: "part", To: []string{"a.model", "a.child"}})
	change(&parent, &template, &child)
	return []record.Type{model, template, parent, child}
}

// TestChildrenDeclarations: declarations of children that could not be created are refused.
func TestChildrenDeclarations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(c *record.Children)
		want   string
	}{
		"good":             {func(*record.Children) {}, ""},
		"unknown child":    {func(c *record.Children) { c.Make = "a.x" }, "names a.x and a.template, and one of them is not registered"},
		"unknown template": {func(c *record.Children) { c.From = "a.x" }, "one of them is not registered"},
		"no way back":      {func(c *record.Children) { c.By = "pair" }, `By names "pair", which is not a reference to one a.parent`},
		"nothing shared": {func(c *record.Children) { c.Where = "name" },
			`Where names "name", which a.parent and a.template do not both have`},
		"copy of another kind": {func(c *record.Children) { c.Copy = []string{"name", "flag"} },
			`Copy names "flag", which is not the same kind of field`},
		"copy of nothing": {func(c *record.Children) { c.Copy = []string{"name", "x"} }, `Copy names "x"`},
		"reference to no sister": {func(c *record.Children) { c.Refer = []string{"model"} },
			`Refer names "model", which does not lead from a template to another one`},
		"reading nothing": {func(c *record.Children) { c.Reads = []string{"model.x"} },
			`Reads names "model.x": give a reference to one record and a field of it`},
		"reading no reference": {func(c *record.Children) { c.Reads = []string{"name"} }, `Reads names "name"`},
		"reading":              {func(c *record.Children) { c.Reads = []string{"model.name"} }, ""},
		"reference of several types to one that makes no child": {func(c *record.Children) { c.Refer = []string{"any"} },
			`Refer names "any", which does not lead from a template to another one`},
		"reference of several types": {func(c *record.Children) { c.Refer = []string{"part"} }, ""},
		"without a name":             {func(c *record.Children) { c.Copy = nil }, `nothing sets "name", which is required`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := record.NewRegistry(family(func(parent, _, _ *record.Type) { test.change(&parent.Children[0]) })...)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}

// TestFollowsDeclarations: declarations of values that can't be taken over are refused.
func TestFollowsDeclarations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(parent, template, child *record.Type)
		want   string
	}{
		"good": {func(_, _, child *record.Type) {
			child.Follows = []record.Follows{{Fields: []string{"model"}, Of: "parent"}}
		}, ""},
		"null where none may be": {func(parent, _, child *record.Type) {
			parent.Fields[1] = record.Ref{Name: "model", To: "a.model"}
			child.Fields[4] = record.Ref{Name: "model", To: "a.model", Required: true}
			child.Follows = []record.Follows{{Fields: []string{"model"}, Of: "parent"}}
			parent.Children = nil
		}, `Follows names "model", which can be null in a.parent and not here`},
		"read-only": {func(_, _, child *record.Type) {
			child.Fields[4] = record.Ref{Name: "model", To: "a.model", ReadOnly: true}
			child.Follows = []record.Follows{{Fields: []string{"model"}, Of: "parent"}}
		}, `Follows names "model", which is read-only`},
		"of its own type, before another": {func(_, _, child *record.Type) {
			child.Fields = append(child.Fields, record.Ref{Name: "outer", To: "a.child"})
			child.Follows = []record.Follows{{Fields: []string{"model"}, Of: "outer"}, {Fields: []string{"model"}, Of: "parent"}}
		}, `Follows of "outer" takes "model" from its own type before another one sets it: declare it after that one`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := record.NewRegistry(family(test.change)...)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}
