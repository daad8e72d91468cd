package record

import (
	"errors"
	"fmt"

	"terrier/internal/fault"
)

// CheckWith is a rule between a record and the one behind a reference: the number of a VLAN is within the limits of its group. It is
// checked when the record is written, and not when the other one changes: what is there then stays until it is next written. Use Same
// or Together for what must always be true.
type CheckWith struct {
	Ref   string // a reference to one record
	Check func(after, other Values) fault.Fields
}

func (t *Type) checkWith() error {
	for _, rule := range t.CheckWith {
		ref, ok := t.reference(rule.Ref)
		switch {
		case !ok || ref.Many || ref.Target == nil:
			return fmt.Errorf("its CheckWith names %q, which is not a reference to a record of one type", rule.Ref)
		case rule.Check == nil:
			return errors.New("its CheckWith has no Check")
		}
	}
	return nil
}
