package record

// alias is the second name of a reference, which a Ref declares. The API shows the same object under both, and a body may use either.
type alias struct {
	Name string
	of   Ref

	readOnly
}

var _ Selected = alias{}

// parts implements parted.
func (f Ref) parts() []Field {
	if f.Alias == "" {
		return []Field{f}
	}
	return []Field{f, alias{Name: f.Alias, of: f}}
}

func (f alias) resolve(r *Registry) (Field, error) {
	of, err := f.of.resolve(r)
	if err != nil {
		return nil, err
	}
	f.of = of.(Ref)
	return f, nil
}

// link implements linking.
func (f alias) link() error { return f.of.link() }

// Select implements Selected.
func (f alias) Select(s Selector) {
	s.Compute(func(v Values) any { return v.Get(f.of.Name) }, []string{f.of.Name})
}

func (f alias) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "field", ReadOnly: true, Null: !f.of.Required, AliasOf: f.of.Name}
}

func (f alias) Append(dst []byte, v any, p *Printer) []byte { return f.of.Append(dst, v, p) }
func (f alias) Schema() Schema                              { return f.of.Schema() }
func (f alias) InputSchema() Schema                         { return f.of.InputSchema() }
