package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	if named.Numbers(t, byID) {
		other := slices.IndexFunc(byName.links, func(l record.Link) bool { return l.ID != byID.ID })
		if other < 0 {
			return byID, ""
		}
		return link, twoMeanings(t, named, byID, byName.links[other])
	}
	switch {
	case len(byName.links) == 1 && !byName.cut:
		return byName.links[0], ""
	case len(byName.links) > 1:
		return link, severalMeanings(t, named, byName.links)
	case byName.cut:
		return link, fmt.Sprintf("Too many records have the names that are given here to look for %s %q. Write # and its id.",
			t.Title(), named.Text)
	case named.ID != 0 && named.Name != "":
		return link, fmt.Sprintf("There is no %s %q that you may see: the name and the id must belong to the same one.", t.Title(), named.Text)
	}
	return link, fmt.Sprintf("There is no %s %q that you may see.", t.Title(), named.Text)
}

// twoMeanings says that a text is the id of one record and the name of another.
func twoMeanings(t *record.Type, named *record.Named, byID, byName record.Link) string {
	advice := fmt.Sprintf("Write the id alone: #%d or #%d.", byID.ID, byName.ID)
	if named.Name == "" { // only an id was written
		advice = fmt.Sprintf("Write the name and the id: %s #%d or %s #%d.", t.DisplayLink(byID), byID.ID, t.DisplayLink(byName), byName.ID)
	}
	return fmt.Sprintf("%q means the %s with the id %d, and the one of that name with the id %d. %s",
		named.Text, t.Title(), byID.ID, byName.ID, advice)
}

// mostInstead is how many records a message lists that a text may mean.
const mostInstead = 5

// severalMeanings says that several records have a text as their name, and what to write instead.
func severalMeanings(t *record.Type, named *record.Named, links []record.Link) string {
	if named.Or == "" {
		return fmt.Sprintf("Several are called %q. Write the id behind the name: %s #%d.", named.Text, named.Text, links[len(links)-1].ID)
	}
	var instead []string
	for _, l := range links[:min(len(links), mostInstead)] {
		instead = append(instead, named.Instead(t, l))
	}
	if len(links) > mostInstead {
		instead = append(instead, "…")
	}
	return fmt.Sprintf("%q is the %s or %s of several. Write one of these instead: %s", named.Text, named.By, named.Or,
		strings.Join(instead, ", "))
}

// Refer returns the records that references mean. Each reference is written as in a change. problems has the reason for each that
// means no record, several records, or none that the caller may see.
func (l *Ledger) Refer(ctx context.Context, c Caller, t *record.Type, written []any) (links []record.Link, problems []string, err error) {
	parsed, err := record.ParseLinks(t, written)
	if err != nil {
		return nil, []string{err.Error()}, nil
	}
	err = l.Store.Rehearse(ctx, c.Asker(), func(tx *store.Tx) error {
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
