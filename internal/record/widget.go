package record

// Widget is how a form asks for a value. Each kind of field names its own. The pages draw it and parse what was typed.
type Widget string

const (
	NoWidget      Widget = ""          // nothing to type: read-only or computed
	TextLine      Widget = "text"      // one line
	TextArea      Widget = "textarea"  // many lines
	NumberInput   Widget = "number"    // a whole number
	DecimalInput  Widget = "decimal"   // a number with a fraction
	CheckBox      Widget = "checkbox"  // yes or no
	SelectOne     Widget = "select"    // one of Choices
	MomentInput   Widget = "time"      // a date and a time
	DateInput     Widget = "date"      // a day
	URLInput      Widget = "url"       // an address
	ColorInput    Widget = "color"     // six hexadecimal digits
	RecordInput   Widget = "reference" // one record, found by typing
	RecordsInput  Widget = "references"
	LinesInput    Widget = "lines" // a list of texts, one a line
	TypesInput    Widget = "types" // record types, each with a checkbox
	JSONInput     Widget = "json"
	PasswordInput Widget = "password" // hidden while typing; blank keeps the current value
	KeyArea       Widget = "key"      // the same with many lines
	SecretArea    Widget = "secret"   // many lines, shown to callers who may change the record
	CustomInputs  Widget = "custom"   // one widget for each custom field
	FileInput     Widget = "file"     // a file; none keeps the current one
)

// IsWriteOnly reports whether what was typed is never shown again, not even in a form that was refused.
func (w Widget) IsWriteOnly() bool { return w == PasswordInput || w == KeyArea }

// longText is the length from which a text gets more than one line.
const longText = 1000

func textWidget(longest int, readOnly bool) Widget {
	switch {
	case readOnly:
		return NoWidget
	case longest == 0 || longest >= longText:
		return TextArea
	}
	return TextLine
}

// unless returns the widget, or NoWidget if the field is read-only.
func (w Widget) unless(readOnly bool) Widget {
	if readOnly {
		return NoWidget
	}
	return w
}
