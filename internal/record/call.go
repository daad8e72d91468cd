package record

import "net/netip"

// Call is one use of an action: the caller's input, and what Do may do on the caller's behalf. The ledger implements it. Do returns the
// errors of its methods unchanged. A GET reads with the limits of a list, as everything was at one moment, and can use neither Hold
// nor Create nor Update.
type Call interface {
	// Record returns the record in the address, as it is now. In a POST it is locked until the action is done. An action that needs no
	// more than view keeps it from being deleted, and several of them can run at once.
	Record() Values
	// Inputs returns the objects that the caller sent: one, or several if the action Adds and got a list.
	Inputs() []Input
	// Find returns the records of a type that match the filters of its list and that the caller may see, by id. It refuses to read
	// more than 10,000 records, or more bytes than a page of a list is read with at first (4 MiB); so does Taken.
	Find(key string, filters map[string]string) ([]Values, error)
	// Referring returns the records of a type that refer to any of some others through a field, and that the caller may see, by id.
	// It reads the given fields and the short ones. For the number of records it has the limits of Find.
	Referring(key, field string, to []Values, fields ...string) ([]Values, error)
	// Members returns values of all records of a type that refer to any of some others through a field, by id. The paths are as in a
	// Together: "device_type.u_height". It includes records that the caller may not see: space that is taken there is not free.
	Members(key, field string, of []Values, paths ...string) ([]Member, error)
	// Taken returns the values of a field of all records that match the filters, and reads little else. It includes records that the
	// caller may not see: a number that is in use there can't be used again.
	Taken(key, field string, filters map[string]string) ([]any, error)
	// Hold makes everybody wait who sets the field that a type Allocates, within a record (0 for none), until the transaction ends. It
	// waits for those who have set it. What Taken then returns stays true, except that values become free.
	Hold(key string, within int64) error
	// Free returns free places, the lowest first; fewer than wanted if there are no more. In a POST nobody else takes them until the
	// transaction ends. The type declares a Space. Create then gives them to records.
	Free(FreePlaces) ([]any, error)
	// FreeBlocks returns the fewest networks that cover what is free in a network: what no record of a type with a Space of networks has
	// strictly inside of it, within a record (0 for none). It refuses to list more than 10,000.
	FreeBlocks(key string, within int64, in netip.Prefix) ([]netip.Prefix, error)
	// TakeBlocks returns a free network of each length, each the lowest when those before it are taken; fewer if one does not fit any more.
	// Nobody else takes networks within the same record until the transaction ends.
	TakeBlocks(key string, within int64, in netip.Prefix, lengths []int) ([]netip.Prefix, error)
	// Occupied returns what uses the addresses of a record, in at most GridCells cells: a few looks into an index for each, however many
	// records there are. It tells of all records, and shows those that the caller may see.
	Occupied(of Values, u Usage) (Occupied, error)
	// Create adds records and Update changes one, like requests of the caller. Everything that one Do writes is one change set.
	Create(key string, inputs ...map[string]any) ([]Values, error)
	Update(v Values, input map[string]any) (Values, error)
}

// Input is one object that was sent to an action.
type Input struct {
	Values                // the fields of Body; those that were not sent have their defaults
	Fields map[string]any // the other fields that were sent, for Create; only if the action Adds
}

// Shown is a field of a record in the answer of an action, shown as the record shows it.
type Shown struct {
	Of    Values
	Field string
}
