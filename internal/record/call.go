package record

// Call is one use of an action: what the caller asks for, and what Do may do about it on the caller's behalf. The ledger implements it.
// What its methods refuse, Do returns as it is.
type Call interface {
	// Record is the record in the address, as it is now. Nobody else changes it until a POST is done.
	Record() Values
	// Inputs are the objects that the caller sent: one, or those of a list where the action Adds.
	Inputs() []Input
	// Find returns the records of a type that pass the filters of its list and that the caller may see, by id.
	Find(key string, filters map[string]string) ([]Values, error)
	// Taken returns the values of a field of all records that pass the filters, also of those that the caller may not see: a number
	// that somebody has can't be given to somebody else.
	Taken(key, field string, filters map[string]string) ([]any, error)
	// Hold waits until nobody else holds the name, and holds it until the transaction ends.
	Hold(name string) error
	// Create adds records, and Update changes one, as requests of the caller would. All that one Do writes is one change set.
	Create(key string, inputs ...map[string]any) ([]Values, error)
	Update(v Values, input map[string]any) (Values, error)
}

// Input is one object that was sent to an action.
type Input struct {
	Values                // the fields of Body; those that were not sent have their defaults
	Fields map[string]any // what was sent besides, where the action Adds: for Create
}
