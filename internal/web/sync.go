package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// syncing is the page of an action that compares records with the templates of their children. If there are many records, each step
// compares some of them, and the page shows how far it is.
type syncing struct {
	Title, Doc, Path, Back string
	Kind, Kinds, Head      string // of the records that are compared: "device", "devices", "Device"

	Several  bool // the records of a type, not one
	Started  bool
	Dry      bool // it only compares
	Next     string
	Of       int64 // records to compare; 0 if that is unknown
	Compared int64
	Added    int64 // so far
	Differ   int64
	Extra    int64

	Lists    []syncedList // of this step
	Listed   string       // says that they are not all
	Problems []string
}

// syncedList is a table of components.
type syncedList struct {
	Title, Note string
	Rows        []syncedRow
}

type syncedRow struct {
	Parent     Cell
	Kind, Name string
	Differs    []string
}

// syncPage shows the comparison of one record, or the form that begins to compare many.
func (a actionPages) syncPage(v *Visit) error {
	s, found, err := a.newSyncing(v)
	if err != nil {
		return err
	}
	if s.Several {
		if s.Of, err = a.countSynced(v, found); err != nil {
			return err
		}
		return a.showSync(v, found, s)
	}
	s.Dry, s.Started = true, true
	if err := a.syncStep(v, found, s, 0); err != nil {
		return err
	}
	return a.showSync(v, found, s)
}

// sync adds what one record lacks, or does the next step.
func (a actionPages) sync(v *Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	s, found, err := a.newSyncing(v)
	if err != nil {
		return err
	}
	form := v.R.PostForm
	number := func(name string) int64 { n, _ := strconv.ParseInt(form.Get(name), 10, 64); return max(0, n) }
	s.Dry, s.Started = form.Get("dry_run") == "true", true
	s.Of, s.Compared, s.Added, s.Differ, s.Extra = number("of"), number("compared"), number("added"), number("different"), number("extra")
	if err := a.syncStep(v, found, s, number("after")); err != nil {
		return err
	}
	if !s.Several && len(s.Problems) == 0 {
		return v.Leave(s.Back, fmt.Sprintf("Added %s.", numberOf(s.Added, "component")))
	}
	return a.showSync(v, found, s)
}

func (a actionPages) newSyncing(v *Visit) (*syncing, record.Values, error) {
	found, err := a.of.Record(v)
	if err != nil {
		return nil, found, err
	}
	may, err := a.of.site.Ledger.MayAct(v.Ctx, v.Caller, a.action, found)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	of := a.of.site.Registry.Type(a.action.Syncs)
	return &syncing{Title: a.action.Title() + ": " + found.FullName(), Doc: a.action.Doc + ".", Path: actionLink(a.action, found.ID()).Href,
		Back: RecordPath(a.of.Type, found.ID()), Kind: of.Title(), Kinds: of.Plural, Head: a.of.site.Pages(of).Single,
		Several: of != a.of.Type}, found, err
}

// countSynced returns how many records there are to compare that the caller may see, 0 if that is unknown.
func (a actionPages) countSynced(v *Visit, found record.Values) (int64, error) {
	of := a.of.site.Registry.Type(a.action.Syncs)
	if !v.May(of, access.View) {
		return 0, nil
	}
	where := of.ChildRules()[0].Where
	page, err := a.of.site.Ledger.List(v.Ctx, v.Caller, of, QuickCount(store.Query{Limit: 1,
		Where: []record.Predicate{{Field: of.Field(where), Values: []any{found.ID()}}}}))
	if err != nil || !page.Total.Counted || page.Total.Capped {
		return 0, err
	}
	return page.Total.Count, nil
}

// syncStep compares, adds to the counts and lists what it found.
func (a actionPages) syncStep(v *Visit, found record.Values, s *syncing, after int64) error {
	step, err := a.of.site.Ledger.SyncStep(v.Ctx, v.Caller, a.action, ledger.SyncPart{ID: found.ID(), After: after, Dry: s.Dry})
	if e, ok := errors.AsType[*fault.Error](err); ok && (e.Kind == fault.Invalid || e.Kind == fault.Denied) {
		if s.Problems = messages(e); e.Kind == fault.Denied {
			s.Problems = []string{"You may not see the type, or may not add the components that are missing."}
		}
		return nil
	}
	if err != nil {
		return err
	}
	s.Added, s.Differ, s.Extra = s.Added+int64(len(step.Added)), s.Differ+int64(len(step.Different)), s.Extra+int64(len(step.Extra))
	if step.SyncedSeveral != nil {
		s.Compared += int64(step.Compared)
		s.Of = max(s.Of, s.Compared)
		if step.Next != nil {
			s.Next = strconv.FormatInt(*step.Next, 10)
		}
		if s.Compared > int64(step.Compared) {
			s.Listed = "Only those of the last " + a.of.site.Pages(a.of.site.Registry.Type(a.action.Syncs)).counted(step.Compared) + " are listed."
		}
	}
	missing := syncedList{Title: "Added", Note: "These were missing."}
	if s.Dry {
		missing = syncedList{Title: "Missing", Note: "These can be added."}
	}
	for _, list := range []struct {
		syncedList
		children []ledger.SyncedChild
	}{{missing, step.Added},
		{syncedList{Title: "Different", Note: "Their values differ from their templates. They stay as they are."}, step.Different},
		{syncedList{Title: "Extra", Note: "These have no template. They stay as they are."}, step.Extra}} {
		for _, c := range list.children {
			row := syncedRow{Parent: Cell{Text: c.Parent.FullName()}, Kind: c.Type.Title(), Name: c.Name, Differs: c.Fields}
			if v.May(c.Parent.Type(), access.View) {
				row.Parent.Href = RecordPath(c.Parent.Type(), c.Parent.ID())
			}
			list.Rows = append(list.Rows, row)
		}
		if len(list.Rows) > 0 {
			s.Lists = append(s.Lists, list.syncedList)
		}
	}
	return nil
}

func (a actionPages) showSync(v *Visit, found record.Values, s *syncing) error {
	shown := Page{Name: "sync", Title: s.Title, Crumbs: a.of.Crumbs(Crumb{found.FullName(), s.Back}), Body: s}
	if len(s.Problems) > 0 && v.R.Method == http.MethodPost {
		shown.Status = StatusOf(fault.New(fault.Invalid, ""))
	}
	return v.Show(shown)
}

// numberOf returns a number with a noun: "1 component", "3 components".
func numberOf(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
