package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// slot is a webhook that the run begins with. Its path at the receiver is its name.
type slot struct {
	name    string
	kinds   []*kind
	fields  object
	secret  string // the first one
	edits   []string
	answers func(delivery int64, n int) int // the status of the n-th answer; nil for the usual one
}

// The ways in which the keeper edits a webhook.
const (
	rotate    = "rotate the secret"
	template  = "edit the template"
	condition = "edit the conditions"
	toggle    = "disable or enable"
	hold      = "pause or resume"
)

var templates = []string{
	`{"what": "{{ event }} {{ model }}", "id": {{ data.id }}, "request": "{{ request_id }}"}`,
	"{{ model }} {{ data.id }} was {{ event }} by {{ username }}: {{ data.name }}",
	"", // the default body
}

// Conditions that are true for some records. Some parts can't be evaluated: a text is not greater than a number.
var conditions = []any{
	object{"attr": "status", "value": "active"},
	object{"attr": "status", "op": "in", "value": []string{"planned", "staging"}},
	object{"or": []object{{"attr": "facility", "op": "gt", "value": 5}, {"attr": "status", "value": "active"}}},
	object{"and": []object{{"attr": "latitude", "op": "gt", "value": 30}, {"attr": "status", "value": "retired", "negate": true}}},
	object{"attr": "status", "op": "changed"},
	nil,
}

// slots returns the webhooks of every run. Each kind of record has two or three.
func slots() []*slot {
	every := func(n int64, status int) func(int64, int) int {
		return func(delivery int64, attempt int) int {
			if delivery%n == 0 && attempt == 1 {
				return status
			}
			return http.StatusOK
		}
	}
	all := []*kind{sites, regions, tenants, tags, rackRoles}
	return []*slot{
		{name: "plain", kinds: all, fields: object{"type_update": false, "concurrency": 20}},
		{name: "signed", kinds: []*kind{sites}, fields: object{"concurrency": 20}, secret: "the first secret", edits: []string{rotate}},
		{name: "template", kinds: []*kind{regions, tenants}, fields: object{"body_template": templates[0]}, edits: []string{template},
			answers: every(17, http.StatusNotFound)},
		{name: "condition", kinds: []*kind{sites}, fields: object{"conditions": conditions[0]}, edits: []string{condition}},
		{name: "broken", kinds: []*kind{sites}, fields: object{"type_delete": false, "conditions": conditions[2]}},
		{name: "later", kinds: []*kind{sites}, fields: object{"type_create": false, "type_update": false, "concurrency": 3}},
		{name: "retry", kinds: []*kind{tenants, tags}, fields: object{"max_retries": 2}, secret: "of the one that retries",
			answers: every(5, http.StatusServiceUnavailable)},
		{name: "moved", kinds: []*kind{rackRoles}, fields: object{"concurrency": 5}, answers: every(13, http.StatusFound)},
		{name: "toggle", kinds: []*kind{tags}, fields: object{}, edits: []string{toggle}},
		{name: "hold", kinds: []*kind{regions}, fields: object{}, edits: []string{hold}},
		{name: "held", kinds: []*kind{tenants, rackRoles}, fields: object{"concurrency": 20}}, // paused in the middle and resumed at the very end
		{name: "family", kinds: familyKinds, fields: object{"concurrency": 20}},
		{name: "devices", kinds: deviceKinds, fields: object{"concurrency": 20}},
		{name: "off", kinds: all, fields: object{"enabled": false}},
	}
}

func pathOf(name string) string { return "/h/" + name }

// config returns a webhook to be created. Its name contains the mark of the op that wrote it last.
func (s *slot) config(receiver, mark string) object {
	types := make([]string, len(s.kinds))
	for i, k := range s.kinds {
		types[i] = k.key
	}
	slices.Sort(types)
	body := object{"name": mark, "content_types": types, "payload_url": receiver + pathOf(s.name), "type_create": true,
		"type_update": true, "type_delete": true}
	maps.Copy(body, s.fields)
	if s.secret != "" {
		body["secret"] = s.secret
	}
	return body
}

func webhookPath(id int64) string { return fmt.Sprintf("%s%d/", webhooksPath, id) }
