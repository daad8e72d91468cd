package web

import (
	"errors"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// bulkDeletion is the page that asks before many records are deleted.
type bulkDeletion struct {
	*selection
	Title string
	Names []Cell
	More  int // records that are not named
	hanging
	Held     string // why they can't be deleted
	Refused  refusals
	Problems []string
}

// namedDeleted is how many of the records to be deleted are named.
const namedDeleted = 50

// bulkDelete shows what would be deleted, and deletes it after confirmation: all of the records or none.
func (p *TypePages) bulkDelete(v *Visit) error {
	s, err := p.selected(v)
	if err != nil {
		return err
	}
	if len(s.rows) == 0 {
		return s.nothing(v, p)
	}
	if v.R.PostForm.Get("apply") == "true" {
		err = s.stale(v)
		if err == nil {
			err = p.site.Ledger.Delete(v.Ctx, v.Caller, p.Type, s.edits())
		}
		if err == nil {
			return v.Leave(s.Back, "Deleted "+p.counted(len(s.rows))+".")
		}
	}
	return p.showBulkDelete(v, s, err)
}

func (s *selection) edits() []ledger.Edit {
	edits := make([]ledger.Edit, len(s.rows))
	for i, v := range s.rows {
		edits[i].ID = v.ID()
	}
	return edits
}

// showBulkDelete rehearses the deletion and shows its effects. If the real deletion was refused, the rehearsal shows why.
func (p *TypePages) showBulkDelete(v *Visit, s *selection, refused error) error {
	d := &bulkDeletion{selection: s, Title: "Delete " + s.Count, Names: s.names(namedDeleted)}
	d.More = len(s.rows) - len(d.Names)
	shown := Page{Name: "bulkdelete", Title: d.Title, Crumbs: p.Crumbs(), Body: d}
	if refused != nil {
		e, known := errors.AsType[*fault.Error](refused)
		if !known {
			return refused
		}
		shown.Status = StatusOf(e)
		if e.Kind == fault.Precondition {
			d.Problems = messages(e)
		}
	}
	ctx, rehearsal := ledger.Rehearse(v.Ctx)
	err := p.site.Ledger.Delete(ctx, v.Caller, p.Type, s.edits())
	if err := d.heldBy(p, err); err != nil {
		return err
	}
	d.hanging = p.hanging(v, rehearsal, s.rows...)
	return v.Show(shown)
}

// heldBy sets the reason why a deletion is refused. It returns an error that the page can't show.
func (d *bulkDeletion) heldBy(p *TypePages, err error) error {
	if err == nil {
		return nil
	}
	e, known := unreachable(err, "You may not delete it, or it was deleted just now.")
	switch {
	case known && e.Kind == fault.Held:
		d.Held = e.Detail
	case known && e.Items != nil:
		d.Held = "Some of them can't be deleted."
		d.Refused = p.refusals(e.Items, d.about)
	default:
		return err
	}
	return nil
}
