package record

// requestFilters are the filters of every list whose records people write, by what a request did to a record. They need no right on the
// change log: they find only records that the caller sees anyway, by the id of a request that the caller must know.
var requestFilters = map[string][]string{
	"created_by_request":  {"create"},
	"updated_by_request":  {"update"},
	"modified_by_request": {"create", "update"},
}

// addRequestFilters adds the filters by the id of a request.
func (t *Type) addRequestFilters(m map[string]filter) {
	if t.ReadOnly {
		return
	}
	for name, actions := range requestFilters {
		m[name] = filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
			ids, err := parseTexts(UUID{}, Exact, texts)
			return Predicate{Did: actions, Values: ids}, err
		}}
	}
}
