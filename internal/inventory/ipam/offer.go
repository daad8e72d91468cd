package ipam

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

// offer is a pair of actions: one lists free places, the other creates records on the lowest of them.
type offer struct {
	name, adds, what string   // the action's name, the type of the new records, and what places are called
	reads            []string // the fields of the record that the functions look at; nil for all
	free             func(of record.Values) record.FreePlaces
	shows            func(of record.Values, place any) map[string]any // an item of the list
	properties       record.Schema                                    // of an item
	sets             func(of record.Values, place any) map[string]any // fields of a new record, whatever the caller sent for them
	names            []string                                         // of these fields
	listErrors       bool
}

func (o offer) actions() []record.Action {
	var required []string
	for name := range o.properties {
		required = append(required, name)
	}
	return []record.Action{
		{Name: o.name, Method: "GET", Needs: "view", Limited: true, Doc: "List free " + o.what + ", lowest first",
			Reads: o.reads, Do: o.list,
			Answer: record.Schema{"type": "array", "items": record.Schema{"type": "object", "required": required, "properties": o.properties}}},
		{Name: o.name, Method: "POST", Label: "Allocate " + o.what, Needs: "view", Adds: o.adds, Sets: o.names,
			ListErrors: o.listErrors, Reads: o.reads, Do: o.take,
			Doc: "Create records on the lowest free " + o.what + ". Two requests at once never get the same one"},
	}
}

func (o offer) list(c record.Call) (any, error) {
	ask := o.free(c.Record())
	ask.Count = int(c.Inputs()[0].Int("limit"))
	places, err := c.Free(ask)
	items := make([]map[string]any, len(places))
	for i, place := range places {
		items[i] = o.shows(c.Record(), place)
	}
	return items, err
}

func (o offer) take(c record.Call) (any, error) {
	ask := o.free(c.Record())
	ask.Count = len(c.Inputs())
	places, err := c.Free(ask)
	if err != nil {
		return nil, err
	}
	if len(places) < ask.Count {
		return nil, fault.New(fault.Held, "%s does not have enough free %s: %d requested, %d available.", c.Record().Display(), o.what,
			ask.Count, len(places))
	}
	wanted := make([]map[string]any, len(places))
	for i, in := range c.Inputs() {
		wanted[i] = in.Fields
		for name, value := range o.sets(c.Record(), places[i]) {
			wanted[i][name] = value
		}
	}
	return c.Create(o.adds, wanted...)
}

// nested is the schema of a record that an item shows, or null.
var nested = record.Schema{"type": "object", "nullable": true, "additionalProperties": true}

// idOrNull returns what a request gives for a reference.
func idOrNull(link record.Link) any {
	if link.ID == 0 {
		return nil
	}
	return link.ID
}
