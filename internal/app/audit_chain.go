package app

import (
	"context"
	"errors"
	"time"

	"terrier/internal/audit"
	"terrier/internal/record"
	"terrier/internal/store"
)

// chainEvery is how often events are added to the chain of the audit log.
const chainEvery = 5 * time.Second

// chainEvents adds events to the chain. Any process may do it; one does.
func (a *App) chainEvents(ctx context.Context) error {
	if a.refuseAhead() != nil {
		return nil // by this clock, events would look settled that are still counted up
	}
	_, err := a.Store.ChainEvents(ctx, a.keys, a.now())
	return err
}

// sendHead sends the head of the chain to TERRIER_AUDIT_LOG, so that newest entries that were cut off in the database are missed.
func (a *App) sendHead(ctx context.Context) error {
	if a.refuseAhead() != nil {
		return nil
	}
	head, err := a.Store.ChainEvents(ctx, a.keys, a.now())
	if err == nil && head.Position > 0 {
		e := a.Ledger.Event(machine(), "audit_chain", record.Values{})
		e.Detail = "head " + head.Head()
		a.Ledger.Audit.Write(e)
	}
	return err
}

// sendLastHead is sendHead at the end of a process.
func (a *App) sendLastHead() {
	ctx, cancel := context.WithTimeout(context.Background(), refusalTimeout)
	defer cancel()
	a.task(ctx, "audit_chain", a.sendHead)
}

// Verified is what `terrier audit verify` shows.
type Verified struct {
	Entries int64
	Head    string
}

// VerifyAudit checks the whole chain of the audit log, and that it contains a head that was kept elsewhere, if one is given. What is found
// is an event itself.
func (a *App) VerifyAudit(ctx context.Context, head string) (Verified, error) {
	if err := a.chainEvents(ctx); err != nil && !errors.Is(err, store.ErrElsewhere) {
		return Verified{}, err
	}
	last, n, err := a.Store.VerifyChain(ctx, a.keys, time.Time{}, head)
	if found, is := errors.AsType[*audit.AlteredError](err); is {
		e := a.Ledger.Event(operator(), audit.AuditAltered, record.Values{})
		e.Detail = audit.Details(found.What)
		err = errors.Join(err, a.Ledger.Note(ctx, e))
	}
	return Verified{n, last.Head()}, err
}
