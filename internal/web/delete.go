package web

import (
	"errors"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// deletion is the page that asks before a record is deleted.
type deletion struct {
	Single, Name string
	Cancel       string
	Version      int64
	hanging
	Held string // why it can't be deleted
}

// hanging is what refers to records that are to be deleted, as far as the caller may see it.
type hanging struct {
	Holders       []effect // what prevents it
	HoldersUnseen bool
	Effects       []effect // what else changes
	Unseen        int
}

// effect is what happens to records of one type.
type effect struct {
	Count   string // "6 racks"
	All     string // the list of them, "" if no filter finds them
	Names   []Cell // the first of them
	More    int    // how many are not named
	Holds   bool   // they prevent the deletion
	Deleted bool   // they are deleted too; if false, a reference is emptied
	Widens  bool   // they will apply to more records

	t     *record.Type
	Total int
}

// namedHanging is how many records of a type the page names.
const namedHanging = 10

func (p *TypePages) deletePage(v *Visit) error {
	found, err := p.Record(v)
	if err != nil {
		return err
	}
	d := deletion{Single: p.Type.Title(), Name: found.FullName(), Cancel: RecordPath(p.Type, found.ID()), Version: found.Version}
	ctx, rehearsal := ledger.Rehearse(v.Ctx)
	err = p.site.Ledger.Delete(ctx, v.Caller, p.Type, []ledger.Edit{{ID: found.ID()}})
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Held {
		d.Held = e.Detail
	} else if err != nil {
		return err
	}
	d.hanging = p.hanging(v, rehearsal, found)
	return v.Show(Page{Name: "delete", Title: "Delete " + d.Name, Crumbs: p.Crumbs(Crumb{d.Name, d.Cancel}), Body: d})
}

// hanging returns what a rehearsal found to refer to records that would be deleted.
func (p *TypePages) hanging(v *Visit, r *ledger.Rehearsal, of ...record.Values) hanging {
	out := hanging{Unseen: r.Unseen}
	for _, h := range r.Holders {
		e := effect{Holds: true, t: h.Type, Total: h.Count}
		for _, x := range h.Some {
			e.Names = append(e.Names, Cell{Text: x.FullName(), Href: RecordPath(h.Type, x.ID())})
		}
		if out.HoldersUnseen = out.HoldersUnseen || h.Unseen; h.Count > 0 {
			out.Holders = append(out.Holders, e)
		}
	}
	for _, x := range r.Effects {
		if x.Type == p.Type && slices.ContainsFunc(of, func(v record.Values) bool { return v.ID() == x.ID }) {
			continue
		}
		deleted := x.Action == access.Delete
		i := slices.IndexFunc(out.Effects, func(e effect) bool { return e.t == x.Type && e.Deleted == deleted && e.Widens == x.Widens })
		if i < 0 {
			i, out.Effects = len(out.Effects), append(out.Effects, effect{Deleted: deleted, Widens: x.Widens, t: x.Type})
		}
		e := &out.Effects[i]
		if e.Total++; len(e.Names) < namedHanging {
			e.Names = append(e.Names, Cell{Text: x.Name, Href: RecordPath(x.Type, x.ID)})
		}
	}
	for _, effects := range [][]effect{out.Holders, out.Effects} {
		for i := range effects {
			effects[i].count(v, of)
		}
	}
	return out
}

// count says how many records there are, with a link to them if all refer to one record by one field.
func (e *effect) count(v *Visit, of []record.Values) {
	e.Count, e.More = v.Site.Pages(e.t).counted(e.Total), e.Total-len(e.Names)
	if len(of) != 1 {
		return
	}
	by := of[0].Type().Registry().Referrers(of[0].Type())
	by = slices.DeleteFunc(slices.Clone(by), func(r record.Referrer) bool { return r.Type != e.t })
	if len(by) == 1 {
		e.All = PagePath(e.t) + "?" + filterFor(by[0], of[0]).Encode()
	}
}
