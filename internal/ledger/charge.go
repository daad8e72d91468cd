package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

const (
	// ownItems is how many records of a type one request may write if the caller has no permission for it, and may write them only because
	// everybody may: own tokens and saved filters.
	ownItems = 100
	// freeItems and freeText are how many records, and how many bytes of text in them, one request may write without being charged for
	// its drafts.
	freeItems = 100
	freeText  = 128 << 10
	// draftBytes and fieldBytes are about what a draft takes while it is written, and each of its fields: the input, the states before and
	// after, what is read back and the answer.
	draftBytes = 2 << 10
	fieldBytes = 256
	// textCopies is how often a long text is in memory while it is written.
	textCopies = 3
)

// charge waits until the drafts that are made of some inputs may be in memory. It is called after a request is decoded and before drafts
// are made, without a connection.
func (l *Ledger) charge(ctx context.Context, c Caller, t *record.Type, inputs []Input) (release func(), err error) {
	n, text := len(inputs), 0
	for _, in := range inputs {
		text += record.TextBytes(in)
	}
	if n <= freeItems && text <= freeText {
		return func() {}, nil
	}
	return l.Store.Charge(ctx, c.Asker(), int64(max(n*(draftBytes+fieldBytes*len(t.All())), textCopies*text)))
}

// checkItems refuses many records where everybody may write some: without a permission a request is small.
func checkItems(c Caller, t *record.Type, action string, n int) error {
	if n > ownItems && t.Owner != "" && !c.Machine && !c.Granted(t, action) {
		return fault.New(fault.TooLarge, "Without a permission to %s %s, a request may hold at most %d of them. Send them in parts.",
			action, t.PluralTitle(), ownItems)
	}
	return nil
}

// checkRoom refuses new records of which the caller would have too many, before anything else is done about them. It counts those that
// belong to the caller for sure. Others are counted when they are written, as are these, in case there are others at the same time.
func (l *Ledger) checkRoom(ctx context.Context, c Caller, t *record.Type, inputs []Input) error {
	if shared := t.Shared != "" && c.Granted(t, access.Add); t.MaxOwned == 0 || len(inputs) < 2 || c.Anonymous() || shared {
		return nil // what may be shared belongs to nobody unless it says so
	}
	own, last := 0, 0
	for i, in := range inputs {
		_, owner := in[t.Owner]
		_, expiry := in[t.Expiry]
		if !owner && !expiry {
			own, last = own+1, i
		}
	}
	if own < 2 {
		return nil
	}
	owned, err := l.Store.OwnedBy(ctx, t, c.UserID, l.Timestamp())
	if err != nil || owned+own <= t.MaxOwned {
		return err
	}
	items := make([]fault.Fields, len(inputs))
	for i := range items {
		items[i] = fault.Fields{}
	}
	items[last].Add(fault.General, "%s", tooManyOwned(t))
	return &fault.Error{Kind: fault.Invalid, Items: items}
}

// admit does what a request to write several records needs before their drafts are made. Call release when it is done with.
func (l *Ledger) admit(ctx context.Context, c Caller, t *record.Type, action string, inputs []Input) (scope access.Scope,
	release func(), err error) {
	if scope, err = l.WriteScope(c, t, action); err == nil {
		err = checkItems(c, t, action, len(inputs))
	}
	if err == nil {
		release, err = l.charge(ctx, c, t, inputs)
	}
	return scope, release, err
}
