package feed

import (
	"terrier/internal/fault"
	"terrier/internal/store"
)

// GoneError says that changes after a position can't be read: older ones are not kept, or there never were as many.
type GoneError struct {
	store.Positions
	After int64
}

func (e *GoneError) Error() string { return e.Unwrap().Error() }

// Unwrap returns the error for the caller.
func (e *GoneError) Unwrap() error {
	if e.After > e.Newest {
		return fault.New(fault.Gone, "The newest position is %d. If you have seen a later one, the database was restored from a backup: "+
			"take a new copy of the records, and go on after its position.", e.Newest)
	}
	return fault.New(fault.Gone, "Changes after %d are no longer kept: the oldest position is %d. Take a new copy of the records, and "+
		"go on after its position.", e.After, e.Oldest)
}
