package rest

func feedParameters() []object {
	texts := map[string]string{
		"after":      "The position after which to read: next of the last answer. Without it, from the oldest change that is kept.",
		"types":      "Only changes to records of these types, such as dcim.site.",
		"events":     "Only these: created, updated, deleted.",
		"conditions": "Only changes that meet these conditions, in the JSON of a webhook's.",
		"object":     "Only changes to one record, such as dcim.site:7.",
		"limit":      "At most so many changes.",
		"wait":       "How many seconds to wait for a change if there is none.",
	}
	schemas := map[string]object{
		"after":  {"type": "integer", "format": "int64", "minimum": 0},
		"types":  {"type": "array", "items": object{"type": "string"}},
		"events": {"type": "array", "items": object{"type": "string"}},
		"limit":  {"type": "integer", "minimum": 0, "maximum": feedMost, "default": feedDefault},
		"wait":   {"type": "integer", "minimum": 0, "maximum": feedWait, "default": 0},
	}
	out := parameters(feedNames...)
	for i, name := range feedNames {
		out[i]["description"] = texts[name]
		if schema, ok := schemas[name]; ok {
			out[i]["schema"] = schema
		}
	}
	return append(out, object{"name": resumeHeader, "in": "header", "schema": positionSchema,
		"description": "Of a stream: the id of the last event that the client has got. It overrides after."})
}

var (
	streamSchema = object{"type": "string", "description": `With Accept: text/event-stream, changes as they come, as Server-Sent Events. ` +
		`The data of an event is a change as in results, and its id the position. Without after and Last-Event-ID it begins at the end.`}

	positionSchema = object{"type": "integer", "format": "int64"}
	stateSchema    = object{"type": "object", "nullable": true, "additionalProperties": true}

	goneSchema = object{"type": "object", "required": []string{"detail", "oldest", "newest"}, "properties": object{
		"detail": object{"type": "string"}, "oldest": positionSchema, "newest": positionSchema}}

	feedSchema = object{"type": "object", "required": []string{"results", "next", "oldest", "newest"}, "properties": object{
		"results": object{"type": "array", "items": changeSchema},
		"next":    object{"type": "integer", "format": "int64", "description": "The position to give as after next time."},
		"oldest":  object{"type": "integer", "format": "int64", "description": "The oldest position that is kept."},
		"newest":  object{"type": "integer", "format": "int64", "description": "The newest position that there is."}}}

	changeSchema = object{"type": "object", "required": []string{"position", "object_type", "object_id", "version", "event", "timestamp",
		"model", "username", "request_id", "data", "snapshots"}, "properties": object{
		"position": positionSchema, "object_type": object{"type": "string"}, "object_id": object{"type": "integer", "format": "int64"},
		"version":   object{"type": "integer", "format": "int64", "description": "Of the record, after this change: 1, 2, 3 …"},
		"event":     object{"type": "string", "enum": feedEvents},
		"timestamp": object{"type": "string", "format": "date-time"}, "model": object{"type": "string"},
		"username": object{"type": "string"}, "request_id": object{"type": "string", "format": "uuid"}, "data": stateSchema,
		"snapshots": object{"type": "object", "required": []string{"prechange", "postchange"},
			"properties": object{"prechange": stateSchema, "postchange": stateSchema}}}}
)
