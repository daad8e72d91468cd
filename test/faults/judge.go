package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// judge evaluates conditions independently of the program, in the few forms that the keeper uses. A condition that can't be evaluated is
// not true, and broken.
func judge(condition any, c *change) (fires, broken bool) {
	node, ok := condition.(map[string]any)
	if !ok {
		return true, false // there are no conditions
	}
	for _, join := range []string{"and", "or"} {
		parts, ok := node[join].([]any)
		if !ok {
			continue
		}
		fires = join == "and"
		for _, part := range parts {
			one, bad := judge(part, c)
			broken = broken || bad
			if join == "and" {
				fires = fires && one
			} else {
				fires = fires || one
			}
		}
		return fires, broken
	}
	holds, ok := judgeLeaf(node, c)
	if !ok {
		return false, true
	}
	return holds != (node["negate"] == true), false
}

func judgeLeaf(node map[string]any, c *change) (holds, ok bool) {
	attr := fmt.Sprint(node["attr"])
	if node["op"] == "changed" {
		before, after := fields(c.Pre), fields(c.Post)
		return !same(before[attr], after[attr]), true
	}
	is := fields(&c.Data)[attr]
	if choice, ok := is.(map[string]any); ok && choice["value"] != nil {
		is = choice["value"]
	}
	switch node["op"] {
	case "in":
		list, _ := node["value"].([]any)
		return slices.ContainsFunc(list, func(v any) bool { return same(v, is) }), true
	case "gt":
		a, aNumber := is.(float64)
		b, bNumber := node["value"].(float64)
		if aNumber && bNumber {
			return a > b, true
		}
		x, xText := is.(string)
		y, yText := node["value"].(string)
		return x > y, xText && yText
	}
	return same(is, node["value"]), true
}

func same(a, b any) bool {
	x, _ := json.Marshal(a) // it was decoded from JSON, so this can't fail
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// fields returns the members of a JSON object. Without an object there are none.
func fields(text *string) map[string]any {
	var out map[string]any
	if text != nil {
		_ = json.Unmarshal([]byte(*text), &out) // a text that can't be decoded has no fields, and will not match
	}
	return out
}

var events = map[string]string{"create": "created", "update": "updated", "delete": "deleted"}

// body returns the body that a webhook must send for a change, made from the change row alone.
func (c *change) body(template string) string {
	model := c.Kind[strings.Index(c.Kind, ".")+1:]
	if template == "" {
		return fmt.Sprintf(`{"event":%q,"timestamp":%q,"model":%q,"username":%q,"request_id":%q,"data":%s,"snapshots":{"prechange":%s,`+
			`"postchange":%s}}`,
			events[c.Action], c.At.UTC().Format("2006-01-02T15:04:05.000000Z"), model, c.User, c.Request, c.Data, orNull(c.Pre), orNull(c.Post))
	}
	data := fields(&c.Data)
	return strings.NewReplacer("{{ event }}", events[c.Action], "{{ model }}", model, "{{ username }}", c.User, "{{ request_id }}", c.Request,
		"{{ data.id }}", fmt.Sprint(c.Object), "{{ data.name }}", fmt.Sprint(data["name"])).Replace(template)
}

func orNull(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}
