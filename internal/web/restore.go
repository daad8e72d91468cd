package web

import (
	"context"
	"slices"
	"strconv"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web/diff"
)

// restoration is the page that asks before a record gets the values of an earlier version again.
type restoration struct {
	Single, Name string
	Cancel       string
	Change       int64
	When         time.Time
	Version      int64
	Differences  []diff.Line // from now to then
	Refused      []string    // why it can't be restored
}

// restoreParam names the change whose version is restored.
const restoreParam = "change"

// restorePath returns the page that restores the version after the change of the record at a path. A deletion leaves none.
func (l *changeLine) restorePath(path string) string {
	if l.Action == access.Delete {
		return ""
	}
	return With(path+"restore/", nil, restoreParam, strconv.FormatInt(l.id, 10))
}

// restorePage previews a restoration: what it changes, or why it is refused.
func (p *TypePages) restorePage(v *Visit) error {
	found, change, err := p.restored(v, v.R.URL.Query().Get(restoreParam))
	if err != nil {
		return err
	}
	in, err := p.site.Ledger.Restoring(v.Ctx, found, change.Raw("postchange_data"))
	if err != nil {
		return err
	}
	var refusal *fault.Error
	if len(in) > 0 {
		ctx, _ := ledger.Rehearse(v.Ctx)
		if refusal, err = p.restoreTo(ctx, v, found, in); err != nil {
			return err
		}
	}
	return p.showRestoration(v, change, found, in, refusal)
}

// restore gives a record the values of an earlier version again. It is a change like any other.
func (p *TypePages) restore(v *Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	found, change, err := p.restored(v, v.R.PostForm.Get(restoreParam))
	if err != nil {
		return err
	}
	in, err := p.site.Ledger.Restoring(v.Ctx, found, change.Raw("postchange_data"))
	switch {
	case err != nil:
		return err
	case len(in) == 0:
		return v.Leave(RecordPath(p.Type, found.ID()), UnchangedNote)
	}
	refusal, err := p.restoreTo(v.Ctx, v, found, in)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return p.showRestoration(v, change, found, in, refusal)
	}
	return v.Leave(RecordPath(p.Type, found.ID()), "Restored an earlier version of "+p.Type.Title()+" "+found.Display()+".")
}

// restored returns the record in the address and the change with the version to restore.
func (p *TypePages) restored(v *Visit, id string) (found, change record.Values, err error) {
	if found, err = p.Editable(v); err != nil {
		return found, change, err
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return found, change, fault.New(fault.Invalid, "Choose a version in the change log.")
	}
	change, err = p.site.Ledger.Get(v.Ctx, v.Caller, p.site.ChangeType(), n)
	if err == nil && (change.Text("changed_object_type") != p.Type.Key() || change.Int("changed_object_id") != found.ID() ||
		change.Text("action") == access.Delete) {
		err = fault.ErrNotFound
	}
	return found, change, err
}

// restoreTo writes the values of an earlier version, or returns why that is refused.
func (p *TypePages) restoreTo(ctx context.Context, v *Visit, found record.Values, in ledger.Input) (*fault.Error, error) {
	_, err := p.site.Ledger.Update(ctx, v.Caller, p.Type, []ledger.Edit{{ID: found.ID(), Input: in, Match: v.Version(found)}})
	if refusal, known := FormRefusal(err); known {
		return refusal, nil
	}
	return nil, err
}

// showRestoration shows what a restoration writes. Of what differs, read-only fields and secrets stay.
func (p *TypePages) showRestoration(v *Visit, change, found record.Values, in ledger.Input, refusal *fault.Error) error {
	path := RecordPath(p.Type, found.ID())
	r := restoration{Single: p.Type.Title(), Name: found.Display(), Cancel: path + "changelog/",
		Change: change.ID(), When: MomentOf(change), Version: found.Version}
	for _, line := range changedOnly(diff.Snapshots(record.AppendSnapshot(nil, found), change.Raw("postchange_data")), allLines) {
		if _, written := in[line.Name]; written {
			r.Differences = append(r.Differences, line)
		}
	}
	page := Page{Name: "restore", Title: "Restore " + found.Display(), Crumbs: p.Crumbs(Crumb{found.Display(), path})}
	if refusal != nil {
		r.Refused, page.Status = slices.Sorted(slices.Values(messages(refusal))), StatusOf(refusal)
	}
	page.Body = r
	return v.Show(page)
}
