package record

// CellForm is how a file writes a value into one cell. Each kind of field names its own.
type CellForm int

const (
	PlainCell      CellForm = iota
	TextCell                // a text, in which a leading apostrophe may be an escape
	SecretCell              // a text without escapes
	NumberCell              // empty is null
	ReferenceCell           // one record
	ReferencesCell          // several
	ListCell                // texts
	JSONCell                // a structure
	CustomCells             // a cell of its own for each custom field
)
