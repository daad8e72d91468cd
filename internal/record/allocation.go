package record

import "fmt"

// Allocation declares that actions give out free values of a field: the numbers of a shelf's pegs. Change sets that set the field of
// records with the same Within wait for each other, and for an action that has called Hold. So nobody takes a value between the moment
// when an action has found it free and the end of the action.
type Allocation struct {
	Field  string // a free value of it is chosen by actions. Derive must not set it: it runs after the wait
	Within string // a reference to one record. Records that refer to another one have values of their own. "" if all records share them
}

// Of returns the id of the record that Within refers to, or 0.
func (a *Allocation) Of(v Values) int64 {
	if a.Within == "" {
		return 0
	}
	return v.Link(a.Within).ID
}

func (t *Type) checkAllocation() error {
	a := t.Allocates
	if a == nil {
		return nil
	}
	if f := t.Field(a.Field); f == nil || f.Column().Storage == NoStorage || f.Info().ReadOnly {
		return fmt.Errorf("its Allocates names %q, which is not a field that is written", a.Field)
	}
	if ref, refers := ReferenceOf(t.Field(a.Within)); a.Within != "" && (!refers || ref.Many || ref.Target == nil) {
		return fmt.Errorf("its Allocates names %q, which is not a reference to one record", a.Within)
	}
	return nil
}
