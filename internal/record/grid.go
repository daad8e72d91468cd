package record

// Grid is the input of the drawing "grid": places in their order, such as addresses or VLAN numbers, cut into cells of the same size, and
// what has them. A table lists the same, as far as Rows has it.
type Grid struct {
	Cells   int
	Labels  []string // what is written beside each row of cells
	Caption string
	Head    string // of the places: "Addresses"
	Spans   []Span // what is drawn
	Rows    []Span // what the table lists
	More    string // what the table leaves out, in words
}

// GridColumns is how many cells a row of a grid has, and GridCells how many cells a grid has at most.
const (
	GridColumns = 16
	GridCells   = 256
)

// Span is a run of cells with the same use.
type Span struct {
	From, To int // the cells, both included
	Places   string
	Short    string // what fits into one cell
	Use      GridUse
	What     string  // in words
	Share    float64 // how much of it is used, from 0 to 1, if it is used in part
	Record   Values  // what has it; the zero Values for none, and for a record that the caller may not see
	Held     bool    // a record has it, whether or not the caller may see it
	New      *New
	List     *Listing
}

// GridUse is how cells are used.
type GridUse string

const (
	GridFree   GridUse = "free"
	GridTaken  GridUse = "taken"  // by one record as a whole
	GridPart   GridUse = "part"   // by smaller records
	GridUsed   GridUse = "used"   // by some of the smallest there are
	GridRange  GridUse = "range"  // it is kept for a purpose
	GridUnused GridUse = "unused" // nobody can use it
)

// New is a record that could be added at a free place.
type New struct {
	Of     string
	Fields map[string]string
	Refs   map[string]Pointer // what it refers to
}

// Listing is a part of the list of a type.
type Listing struct {
	Of      string
	Filters map[string]string
}
