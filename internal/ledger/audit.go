package ledger

import (
	"context"
	"fmt"

	"terrier/internal/audit"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Event returns an event of the audit log: what the caller does to a record. Without a record it has no target.
func (l *Ledger) Event(c Caller, name string, v record.Values) audit.Event {
	e := audit.Event{At: l.Timestamp(), Name: name, UserName: c.Username, Address: c.From, RequestID: c.RequestID, Count: 1}
	if v.Type() != nil {
		e.Target, e.TargetName = fmt.Sprintf("%s/%s", v.Type().Key(), v.Type().FormatID(v.ID())), v.Display()
	}
	return e
}

// NoteSession records that the caller has logged in or out.
func (l *Ledger) NoteSession(ctx context.Context, c Caller, event string) error {
	e := l.Event(c, event, record.Values{})
	e.Target, e.TargetName = fmt.Sprintf("%s/%d", userType, c.UserID), c.Username
	if err := (store.Accounts{Store: l.Store}).AddEvent(ctx, e); err != nil {
		return fmt.Errorf("record in the audit log: %w", err)
	}
	l.Audit.Write(e)
	return nil
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
		if name := e.t.Audited(before, after); name != "" {
			event := s.l.Event(s.caller, name, acted)
			event.At = s.at
			events = append(events, event)
		}
	}
	return events
}
