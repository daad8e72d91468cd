package record

import "fmt"

// The keys under which a body may give the reference of Type.Scoped: the type of a record, and its id.
const (
	ScopeType = "scope_type"
	ScopeID   = "scope_id"
)

// ScopeKeys lists the keys that a body of the type may have in addition to those of its fields.
func (t *Type) ScopeKeys() []string {
	if t.Scoped == "" {
		return nil
	}
	return []string{ScopeType, ScopeID}
}

func (t *Type) checkScoped() error {
	if ref, refers := ReferenceOf(t.Field(t.Scoped)); t.Scoped != "" && (!refers || ref.Many || ref.Target == nil || t.Index(ScopeType) >= 0) {
		return fmt.Errorf("its Scoped names %q, which is not a reference to one record, or it has a scope of its own", t.Scoped)
	}
	return nil
}
