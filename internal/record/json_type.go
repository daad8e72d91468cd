package record

// JSONType returns the JSON type that a value in a condition needs to be comparable with the values of a schema: "string", "number" or
// "boolean". A choice is compared by its value, and a list by its members. The result is "" for any other object, and where the values can
// be of several types.
func (s Schema) JSONType() string {
	switch s["type"] {
	case "string", "boolean":
		return s["type"].(string)
	case "integer", "number":
		return "number"
	case "array":
		items, _ := s["items"].(Schema)
		return items.JSONType()
	case "object":
		members, _ := s["properties"].(map[string]Schema) // of a choice
		return members["value"].JSONType()
	}
	return ""
}

// JSONType returns the JSON type of the values of a custom field, as that of a schema does.
func (c *Custom) JSONType() string {
	if c.Cell() == JSONCell {
		return ""
	}
	return c.Kind.Schema().JSONType()
}
