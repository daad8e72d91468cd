package ledger

import (
	"context"
	"fmt"
	"time"

	"terrier/internal/audit"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Event returns an event of the audit log: what the caller does to a record. Without a record it has no target.
func (l *Ledger) Event(c Caller, name string, v record.Values) audit.Event {
	e := audit.Event{At: l.Timestamp(), Name: name, UserName: c.Username, Address: c.From, Way: c.way(), RequestID: c.RequestID,
		Count: 1}
	if v.Type() != nil {
		e.Target, e.TargetName = fmt.Sprintf("%s/%s", v.Type().Key(), v.Type().FormatID(v.ID())), v.Display()
	}
	return e
}

// way returns by which way the caller acts, with the token where there is one.
func (c Caller) way() string {
	if c.TokenID == 0 {
		return c.Way
	}
	return fmt.Sprintf("%s, token %d", c.Way, c.TokenID)
}

// auditTimeout bounds the record of an act that is over, which is written even if the caller has hung up.
const auditTimeout = 5 * time.Second

// Note records an act that has no transaction.
func (l *Ledger) Note(ctx context.Context, e audit.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	if err := (store.Accounts{Store: l.Store}).AddEvent(ctx, e); err != nil {
		return err
	}
	l.Audit.Write(e)
	return nil
}

// noteworthy is how many records of an ordinary type an export may have without an event.
const noteworthy = 1000

// NoteExport records that the caller has read n records of a type as a file, if they are many or the type is sensitive.
func (l *Ledger) NoteExport(ctx context.Context, c Caller, t *record.Type, n int64, form string) error {
	if n == 0 || n <= noteworthy && !t.Sensitive {
		return nil
	}
	e := l.Event(c, audit.Exported, record.Values{})
	e.Target, e.TargetName, e.Detail, e.Count = t.Key(), t.PluralTitle(), form, n
	return l.Note(ctx, e)
}

// NoteSession records that the caller has logged in or out.
func (l *Ledger) NoteSession(ctx context.Context, c Caller, event string) error {
	e := l.Event(c, event, record.Values{})
	e.Target, e.TargetName = fmt.Sprintf("%s/%d", userType, c.UserID), c.Username
	if event == audit.Login {
		e.Detail = "password"
	}
	return l.Note(ctx, e)
}

// audited returns the events of changes that the audit log keeps, as the types of the records declare.
func (s *changeSet) audited(entries []*entry) (events []audit.Event) {
	for _, e := range entries {
		if e.t.Audited == nil {
			continue
		}
		before, after, acted := e.pre, e.post, e.post
		switch e.action() {
		case store.Created:
			before = e.t.NewValues()
		case store.Deleted:
			after, acted = e.t.NewValues(), e.pre
		}
		for _, a := range e.t.Audited(before, after) {
			event := s.l.Event(s.caller, a.Event, acted)
			event.At, event.Detail = s.at, audit.Details(a.Detail)
			events = append(events, event)
		}
	}
	return events
}
