package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

// withAction returns a type with one action.
func withAction(change func(*record.Action)) []record.Type {
	a := record.Action{Name: "fold", Method: "POST", Needs: "change", Doc: "Fold it"}
	change(&a)
	return with(func(t *record.Type) { t.Actions = []record.Action{a} })
}

// TestActionDeclarationsAreChecked checks that a mistake in the declaration of an action is found at start, with what is wrong.
func TestActionDeclarationsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		types []record.Type
		want  string
	}{
		"nothing wrong":     {withAction(func(*record.Action) {}), ""},
		"on the list":       {withAction(func(a *record.Action) { a.OnList, a.Answer = true, record.Schema{} }), ""},
		"without a name":    {withAction(func(a *record.Action) { a.Name = "" }), `action "": its name can't be part of an address`},
		"a step of another": {withAction(func(a *record.Action) { a.Name = "fold/end" }), ""},
		"an empty step":     {withAction(func(a *record.Action) { a.Name = "fold/" }), `action "fold/": its name can't be part of an address`},
		"named as a page":   {withAction(func(a *record.Action) { a.Name = "edit" }), `action "edit": every type has a page of this name`},
		"by another method": {withAction(func(a *record.Action) { a.Method = "PATCH" }), `its Method is "PATCH": use GET or POST`},
		"without a doc":     {withAction(func(a *record.Action) { a.Doc = "" }), "it needs a Doc"},
		"without a right":   {withAction(func(a *record.Action) { a.Needs = "" }), `it needs the right "", which a.b does not know`},
		"with a strange right": {withAction(func(a *record.Action) { a.Needs = "chnage" }),
			`it needs the right "chnage", which a.b does not know`},
		"with a right of its own": {with(func(t *record.Type) {
			t.Rights, t.Actions = []string{"fold"}, []record.Action{{Name: "fold", Method: "POST", Needs: "fold", Doc: "Fold it"}}
		}), ""},
		"with a right on nothing": {withAction(func(a *record.Action) { a.NeedsOn = "x.y" }), "it needs a right on x.y, which is not registered"},
		"does what it can't know": {withAction(func(a *record.Action) {
			a.NeedsOn, a.Do = "a.b", func(record.Call) (any, error) { return nil, nil }
		}), "its Do can't know which records of a.b the right is for"},
		"adds nothing":         {withAction(func(a *record.Action) { a.Adds = "x.y" }), "it adds records of x.y, which nobody can add"},
		"answers with nothing": {withAction(func(a *record.Action) { a.AnswersWith = "x.y" }), "it answers with a record of x.y"},
		"answers with two": {withAction(func(a *record.Action) { a.AnswersWith, a.Answer = "a.b", record.Schema{} }),
			"it can have neither Adds nor an Answer"},
		"reads and adds": {withAction(func(a *record.Action) { a.Adds, a.Method = "a.b", "GET" }),
			"it adds records, so its Method must be POST"},
		"reads what it has not": {withAction(func(a *record.Action) { a.Reads = []string{"x"} }),
			"its Reads are x, and a.b has no such fields"},
		"reads less than it shows": {withAction(func(a *record.Action) { a.Reads = []string{"name"} }),
			"it answers with its record, so it reads all of it"},
		"without an answer":         {withAction(func(a *record.Action) { a.OnList = true }), "it answers with no record, so it needs an Answer"},
		"compares nothing":          {withAction(func(a *record.Action) { a.Syncs = "a.b" }), "it Syncs a.b, which is not a type with Children"},
		"compares what has no type": {withAction(func(a *record.Action) { a.Syncs = "x.y" }), "it Syncs x.y, which is not a type with Children"},
		"compares its records": {family(func(parent, _, _ *record.Type) {
			parent.Actions = []record.Action{record.SyncChildren("a.parent")}
		}), ""},
		"compares those of another's templates": {family(func(_, template, _ *record.Type) {
			template.Actions = []record.Action{record.SyncChildren("a.parent")}
		}), "it Syncs a.parent, whose templates belong to another type"},
		"twice": {with(func(t *record.Type) {
			t.Actions = []record.Action{{Name: "fold", Method: "POST", Needs: "view", Doc: "Fold"},
				{Name: "fold", Method: "POST", Needs: "change", Doc: "Fold"}}
		}), `action "fold" is declared twice with the method POST`},
		"by two methods": {with(func(t *record.Type) {
			t.Actions = []record.Action{{Name: "fold", Method: "POST", Needs: "view", Doc: "Fold"},
				{Name: "fold", Method: "GET", Needs: "view", Doc: "Folds"}}
		}), ""},
		"takes a strange name": {withAction(func(a *record.Action) { a.Body = record.Fields{record.Bool{Name: "Dry"}} }),
			`field "Dry" of its Body`},
		"takes a field twice": {withAction(func(a *record.Action) {
			a.Body = record.Fields{record.Bool{Name: "dry"}, record.Bool{Name: "dry"}}
		}), "field dry is declared twice"},
		"takes what nothing is": {withAction(func(a *record.Action) { a.Body = record.Fields{record.Choice{Name: "c"}} }),
			"field c of its Body: a choice needs values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := record.NewRegistry(c.types...)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}
