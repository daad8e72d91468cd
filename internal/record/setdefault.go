package record

import "slices"

// defaultable is a field whose default a setting may replace.
type defaultable interface{ withDefault(value any) Field }

func (f Int) withDefault(value any) Field {
	f.Default = value.(int64)
	return f
}

func (f Bool) withDefault(value any) Field {
	f.Default = value.(bool)
	return f
}

// SetDefaults gives fields of one of the types other defaults than its file declares: by their names, an int64 for an Int, a bool for a
// Bool. NewRegistry then checks them.
func SetDefaults(types []Type, key string, defaults map[string]any) {
	for i := range types {
		if types[i].Key() != key {
			continue
		}
		types[i].Fields = slices.Clone(types[i].Fields)
		for n, field := range types[i].Fields {
			if value, ok := defaults[field.Info().Name]; ok {
				types[i].Fields[n] = field.(defaultable).withDefault(value)
			}
		}
	}
}
