package ledger

import (
	"cmp"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Dependants limits how many records one request may change or delete besides those that it names.
type Dependants int

// DefaultDependants is enough for a chassis with all its parts.
const DefaultDependants Dependants = 10_000

// owned returns how many records may be deleted because they belong to others.
func (n Dependants) owned() int { return cmp.Or(int(n), int(DefaultDependants)) }

// others returns how many records may change because they refer to others.
func (n Dependants) others() int { return max(1, n.owned()/10) }

// tooMany returns the error for a request that would touch too many records. The format takes the limit and the name of a type.
func tooMany(format string, limit int, t *record.Type) error {
	return fault.New(fault.Held, format+", or ask an administrator to raise TERRIER_DEPENDANTS_LIMIT.", limit, t.Key())
}
