package ledger

import (
	"context"
	"fmt"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// lookUpNamed returns the record that a text means, or the reason why there is none. The text may be the name of records, or end in
// the id of one.
func (r *resolver) lookUpNamed(t *record.Type, link record.Link, byName outcome, had map[int64]record.Link) (record.Link, string) {
	named := link.Named
	byID, found := r.links[t][named.ID]
	if !found {
		byID = had[named.ID]
	}
	switch matchesID := named.Numbers(t, byID); {
	case matchesID && (byName.count == 0 || byName.count == 1 && byName.link.ID == byID.ID):
		return byID, ""
	case matchesID:
		advice := fmt.Sprintf("Write the id alone: #%d or #%d.", byID.ID, byName.link.ID)
		if named.Name == "" { // only an id was written
			advice = fmt.Sprintf("Write the name and the id: %s #%d or %s #%d.", t.DisplayLink(byID), byID.ID,
				t.DisplayLink(byName.link), byName.link.ID)
		}
		return link, fmt.Sprintf("%q means the %s with the id %d, and the one of that name with the id %d. %s",
			named.Text, t.Title(), byID.ID, byName.link.ID, advice)
	case byName.count == 1:
		return byName.link, ""
	case byName.count > 1:
		return link, fmt.Sprintf("Several are called %q. Write the id behind the name: %s #%d.", named.Text, named.Text, byName.link.ID)
	case named.ID != 0 && named.Name != "":
		return link, fmt.Sprintf("There is no %s %q that you may see: the name and the id must belong to the same one.", t.Title(), named.Text)
	}
	return link, fmt.Sprintf("There is no %s %q that you may see.", t.Title(), named.Text)
}

// Refer returns the records that references mean. Each reference is written as in a change. problems has the reason for each that
// means no record, several records, or none that the caller may see.
func (l *Ledger) Refer(ctx context.Context, c Caller, t *record.Type, written []any) (links []record.Link, problems []string, err error) {
	parsed, err := record.ParseLinks(t, written)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	err = l.Store.Rehearse(ctx, func(tx *store.Tx) error {
		r := newResolver(&changeSet{l: l, tx: tx, caller: c})
		links, problems = nil, nil
		for _, link := range parsed {
			r.want(t, link)
		}
		if err := r.load(ctx); err != nil {
			return err
		}
		for _, link := range parsed {
			found, message := r.lookUp(t, link, nil)
			if message != "" {
				problems = append(problems, message)
				continue
			}
			links = append(links, found)
		}
		return nil
	})
	return links, problems, err
}

// referable returns the scope of the records that the caller may refer to: those they may see.
func (l *Ledger) referable(c Caller, t *record.Type) access.Scope {
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		scope = access.Scope{} // none of this type
	}
	if t.Key() == userType { // everybody may refer to themselves
		scope = l.Policy.Themselves(c.Subject).Or(scope)
	}
	return scope
}
