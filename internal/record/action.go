package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Action is an operation on a record or a list, besides reading and writing. Its address in the API, its entry in the API document and
// its permission are derived from the declaration.
type Action struct {
	Name   string // the last part of its address: "retry", or "rotate/end" for a step of another action
	Method string // GET reads; POST may change something
	Label  string // on its button: "Retry"; the default is Name
	Doc    string // one sentence for people who read the API document
	OnList bool   // its address is below the list, not below one record

	// Needs is the required right: view, add, change, delete, or one of the type's Rights. NeedsOn names the type that the right is
	// for, if it is another one.
	Needs, NeedsOn string
	// Adds names the type of the records that the action creates. The caller must be allowed to add them. The body may then have
	// the fields of that type too, and may be a list.
	Adds string
	// Reads names the fields of its record that Do looks at; the default is all. Counts and what other records show cost more than the rest
	// of a small action.
	Reads []string
	// Sets names the fields of the added records that the action itself sets. The form of its page has all others.
	Sets []string
	// Suggests returns texts that the form of its page is filled in with, by field.
	Suggests func(of Values) map[string]string
	// Syncs names a type with Children. The action compares its records with their templates and adds the children that they lack.
	// Use SyncChildren to declare it.
	Syncs string

	Body   Fields // its input: in the body of a POST, in the address of a GET
	Answer Schema // nil for the record, or for the records that it adds
	Queued bool   // the work is done after the answer
	// AnswersWith names the type of the record in the answer, if it is neither the action's own nor one that it Adds.
	AnswersWith string
	// ListErrors reports what is wrong with the input as a list by position, even if one object was sent. Clients of NetBox expect it of
	// some actions.
	ListErrors bool
	// Paged reads answer with a page of a list, by limit and offset. Do returns all of it as a []map[string]any, and Answer is the schema of
	// one of them. A record among the values is shown in its brief form.
	Paged bool
	// Limited reads take a limit from the address as lists do: 50 by default, 1000 at most, 0 for the most, and no error for what is no
	// number. Do finds it as the number limit in its input, and returns no more items than that.
	Limited bool
	// Draws reads may answer with a Picture, which is sent as an SVG file.
	Draws bool

	// Do carries the action out, in one transaction. It returns a value for JSON, a record, or records. A []map[string]any may have
	// records, which are shown in their brief form, and Shown fields. It may run again after a
	// deadlock, or when somebody else took a unique value first. If Do is nil, the program binds a function to the action at start,
	// and a package of pages has its pages.
	Do func(Call) (any, error)

	// PagesOnly actions are on pages and not in the API, so they need no Answer.
	PagesOnly bool

	of    *Type
	input *Type // Body, resolved
}

// The methods of actions.
const (
	ReadMethod = "GET"
	DoMethod   = "POST"
)

// everyRight are the rights that exist for every type.
var everyRight = []string{"view", "add", "change", "delete"}

// takenNames are the last parts of addresses that the pages of every type use.
var takenNames = []string{"add", "edit", "delete", "changelog", "import", "export", "choices"}

// Type returns the type that declares the action.
func (a *Action) Type() *Type { return a.of }

// Input returns Body as the fields of a type that has no records.
func (a *Action) Input() *Type { return a.input }

// Title returns the action's name for people.
func (a *Action) Title() string {
	if a.Label != "" {
		return a.Label
	}
	return LabelOf(strings.ReplaceAll(a.Name, "-", "_"))
}

// Writes reports whether the action may change something.
func (a *Action) Writes() bool { return a.Method != ReadMethod }

// Key returns the action's unique name: "POST extras.delivery/retry" for one record, "POST extras.deliveries/retry" for the list.
func (a *Action) Key() string {
	if a.OnList {
		return a.Method + " " + a.of.App + "." + a.of.Plural + "/" + a.Name
	}
	return a.Method + " " + a.of.Key() + "/" + a.Name
}

// Path returns the action's address in the API, with {id} for the id of the record.
func (a *Action) Path() string {
	if a.OnList {
		return a.of.Path() + a.Name + "/"
	}
	return a.of.Path() + "{id}/" + a.Name + "/"
}

// RightOn returns the type that the required right is for.
func (a *Action) RightOn() *Type {
	if a.NeedsOn != "" {
		return a.of.reg.Type(a.NeedsOn)
	}
	return a.of
}

// Answers returns the type of the records in the answer if Answer is nil: the type that the action adds or answers with, or its own.
func (a *Action) Answers() *Type {
	if key := cmp.Or(a.Adds, a.AnswersWith); key != "" {
		return a.of.reg.Type(key)
	}
	return a.of
}

// TakesNothing reports whether the action can be used without a body.
func (a *Action) TakesNothing() bool {
	return a.Adds == "" && !slices.ContainsFunc(a.input.infos, func(in Info) bool { return in.Required })
}

// Action returns an action by its key, or nil.
func (r *Registry) Action(key string) *Action {
	for _, t := range r.types {
		for i := range t.Actions {
			if t.Actions[i].Key() == key {
				return &t.Actions[i]
			}
		}
	}
	return nil
}

// Rights returns all rights that permissions can give: those of every type, and those that some types declare.
func (r *Registry) Rights() []string {
	rights := slices.Clone(everyRight)
	for _, t := range r.types {
		for _, right := range t.Rights {
			if !slices.Contains(rights, right) {
				rights = append(rights, right)
			}
		}
	}
	return rights
}

// buildActions resolves and checks the actions of a type.
func (t *Type) buildActions() error {
	t.Actions = slices.Clone(t.Actions) // the declaration may be in several registries
	for i := range t.Actions {
		a := &t.Actions[i]
		a.of = t
		if a.Limited {
			a.Body = append(slices.Clone(a.Body), Int{Name: "limit", Help: "Maximum number of results: 50 by default, up to 1000; 0 means 1000."})
		}
		if a.Syncs != "" {
			a.buildSync()
		}
		a.input = &Type{App: t.App, Name: t.Name + "/" + a.Name, Label: a.Title(), ReadOnly: true, Fields: a.Body,
			Display: func(Reader) string { return a.Title() }, reg: t.reg}
		if err := a.input.build(); err != nil {
			return fmt.Errorf("action %s: %w", a.Name, err)
		}
	}
	return nil
}

func (t *Type) checkActions() error {
	seen := map[string]bool{}
	for i := range t.Actions {
		a := &t.Actions[i]
		if err := a.check(); err != nil {
			return fmt.Errorf("action %q: %w", a.Name, err)
		}
		if seen[a.Key()] {
			return fmt.Errorf("action %q is declared twice with the method %s", a.Name, a.Method)
		}
		seen[a.Key()] = true
	}
	return nil
}

func (a *Action) check() error {
	if a.Syncs != "" {
		if err := a.checkSync(); err != nil {
			return err
		}
	}
	on := a.RightOn()
	switch {
	case slices.ContainsFunc(strings.Split(a.Name, "/"), func(part string) bool { return !pathName.MatchString(part) }):
		return fmt.Errorf("its name can't be part of an address")
	case slices.Contains(takenNames, a.Name):
		return fmt.Errorf("every type has a page of this name")
	case a.Method != ReadMethod && a.Method != DoMethod:
		return fmt.Errorf("its Method is %q: use GET or POST", a.Method)
	case a.Doc == "":
		return fmt.Errorf("it needs a Doc, which the API document shows")
	case on == nil:
		return fmt.Errorf("it needs a right on %s, which is not registered", a.NeedsOn)
	case a.NeedsOn != "" && a.Do != nil:
		return fmt.Errorf("its Do can't know which records of %s the right is for: bind a function to it", a.NeedsOn)
	case !slices.Contains(everyRight, a.Needs) && !slices.Contains(on.Rights, a.Needs):
		return fmt.Errorf("it needs the right %q, which %s does not know: use one of %s, or declare it in Rights", a.Needs, on.Key(),
			strings.Join(everyRight, ", "))
	case a.Adds != "" && (a.Answers() == nil || a.Answers().ReadOnly):
		return fmt.Errorf("it adds records of %s, which nobody can add", a.Adds)
	case (a.Paged || a.Draws) && (a.Writes() || a.Answer == nil):
		return fmt.Errorf("it is Paged or Draws, so its Method must be GET and it needs an Answer")
	case a.Limited && (a.Writes() || a.Paged):
		return fmt.Errorf("it is Limited, so its Method must be GET and it can't be Paged")
	case a.Adds == "" && len(a.Sets) > 0:
		return fmt.Errorf("its Sets are for an action that Adds")
	case slices.ContainsFunc(a.Sets, func(name string) bool { return a.Answers().Field(name) == nil }):
		return fmt.Errorf("its Sets are %s, and %s has no such fields", strings.Join(a.Sets, ", "), a.Adds)
	case slices.ContainsFunc(a.Reads, func(name string) bool { return a.of.Field(name) == nil }):
		return fmt.Errorf("its Reads are %s, and %s has no such fields", strings.Join(a.Reads, ", "), a.of.Key())
	case len(a.Reads) > 0 && a.Answer == nil && a.Answers() == a.of && a.Adds == "":
		return fmt.Errorf("it answers with its record, so it reads all of it: leave out Reads")
	case a.AnswersWith != "" && (a.Answers() == nil || a.Adds != "" || a.Answer != nil):
		return fmt.Errorf("it answers with a record of %s: that must be a type, and it can have neither Adds nor an Answer", a.AnswersWith)
	case a.Adds != "" && !a.Writes():
		return fmt.Errorf("it adds records, so its Method must be POST")
	case a.Adds != "" && a.Do == nil:
		return fmt.Errorf("it adds records, so it needs a Do")
	case a.Answer == nil && a.OnList && a.Adds == "" && !a.PagesOnly:
		return fmt.Errorf("it answers with no record, so it needs an Answer")
	}
	for i, f := range a.input.fields {
		in := a.input.infos[i]
		if !fieldName.MatchString(in.Name) {
			return fmt.Errorf("field %q of its Body: a name is lower-case words with single underscores between them", in.Name)
		}
		if err := a.input.checkField(f, in); err != nil {
			return fmt.Errorf("field %s of its Body: %w", in.Name, err)
		}
	}
	return nil
}
