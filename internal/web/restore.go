package web

import (
	"context"
	"net/http"
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
	change, found record.Values
	*ledger.Restoration
	Single, Name string
	Cancel       string
	Change       int64
	When         time.Time
	Version      int64
	Differences  []diff.Line // from now to then
	Refused      []string    // why it can't be restored
	Stale        bool        // somebody else changed the record since the last preview
}

// restoreParam names the change whose version is restored.
const restoreParam = "change"

// restorePath returns the page that restores the version of a record after the change, "" for its current version. A deletion leaves none.
func (l *changeLine) restorePath(of record.Values) string {
	if l.Action == access.Delete || l.version == of.Version {
		return ""
	}
	return With(RecordPath(of.Type(), of.ID())+"restore/", nil, restoreParam, strconv.FormatInt(l.id, 10))
}

// restorePage previews a restoration: what it changes, or why it is refused.
func (p *TypePages) restorePage(v *Visit) error {
	found, change, err := p.restored(v, v.R.URL.Query().Get(restoreParam))
	if err != nil {
		return err
	}
	return p.previewRestoration(v, change, found, nil)
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
	r, err := p.restoring(v, change, found)
	switch {
	case err != nil:
		return err
	case len(r.Input) == 0:
		return v.Leave(RecordPath(p.Type, found.ID()), UnchangedNote)
	}
	refusal, err := p.restoreTo(v.Ctx, v, ledger.Edit{ID: found.ID(), Input: r.Input, Match: v.Version(found)})
	switch {
	case err != nil:
		return err
	case refusal != nil && refusal.Kind == fault.Precondition:
		if found, err = p.Editable(v); err != nil { // it was read before the other change, perhaps
			return err
		}
		return p.previewRestoration(v, change, found, refusal)
	case refusal != nil:
		return p.showRestoration(v, restoration{change: change, found: found, Restoration: r}, refusal)
	}
	return v.Leave(RecordPath(p.Type, found.ID()), "Restored an earlier version of "+p.Type.Title()+" "+found.FullName()+".")
}

// previewRestoration rehearses a restoration and shows it. stale is the refusal of one that came too late, or nil.
func (p *TypePages) previewRestoration(v *Visit, change, found record.Values, stale *fault.Error) error {
	r, err := p.restoring(v, change, found)
	if err != nil {
		return err
	}
	var refusal *fault.Error
	if len(r.Input) > 0 {
		ctx, _ := ledger.Rehearse(v.Ctx)
		edit := ledger.Edit{ID: found.ID(), Input: r.Input, Match: []int64{found.Version}}
		if refusal, err = p.restoreTo(ctx, v, edit); err != nil {
			return err
		}
	}
	shown := restoration{change: change, found: found, Restoration: r, Stale: stale != nil}
	if refusal == nil && stale != nil {
		return p.show(v, shown, StatusOf(stale))
	}
	return p.showRestoration(v, shown, refusal)
}

func (p *TypePages) restoring(v *Visit, change, found record.Values) (*ledger.Restoration, error) {
	return p.site.Ledger.Restoring(v.Ctx, v.Caller, found, ledger.Version{Snapshot: change.Raw("postchange_data"), At: MomentOf(change)})
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
func (p *TypePages) restoreTo(ctx context.Context, v *Visit, edit ledger.Edit) (*fault.Error, error) {
	_, err := p.site.Ledger.Update(ctx, v.Caller, p.Type, []ledger.Edit{edit})
	if refusal, known := FormRefusal(err); known {
		return refusal, nil
	}
	return nil, err
}

// showRestoration shows what a restoration writes, or why it is refused.
func (p *TypePages) showRestoration(v *Visit, r restoration, refusal *fault.Error) error {
	if refusal == nil {
		return p.show(v, r, http.StatusOK)
	}
	r.Refused = slices.Sorted(slices.Values(messages(refusal)))
	return p.show(v, r, StatusOf(refusal))
}

func (p *TypePages) show(v *Visit, r restoration, status int) error {
	path := RecordPath(p.Type, r.found.ID())
	r.Single, r.Name, r.Cancel = p.Type.Title(), r.found.FullName(), path+"changelog/"
	r.Change, r.When, r.Version = r.change.ID(), MomentOf(r.change), r.found.Version
	compared := diff.Snapshots(r.Before, r.After)
	if err := v.nameValues(p.Type, [][]diff.Line{compared}, isChanged); err != nil {
		return err
	}
	r.Differences = changedOnly(compared, allLines)
	return v.Show(Page{Name: "restore", Title: "Restore " + r.Name, Crumbs: p.Crumbs(Crumb{r.Name, path}), Status: status, Body: r})
}
