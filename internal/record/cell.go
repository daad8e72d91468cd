package record

// CellForm is how a file writes a value into one cell. Each kind of field names its own.
type CellForm int

const (
	PlainCell      CellForm = iota
	TextCell                // kept as it is inside, but for an escape
	SecretCell              // nothing in it is an escape
	NumberCell              // empty is null
	ReferenceCell           // one record
	ReferencesCell          // several
	ListCell                // texts
	JSONCell                // a structure
	CustomCells             // a cell of its own for each custom field
)
