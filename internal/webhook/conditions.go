package webhook

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/pattern"
	"terrier/internal/record"
)

// The limits of conditions. They are matched on every change.
const (
	maxConditions = 64 << 10 // bytes of text
	maxDepth      = 16
	maxLeaves     = 100
	maxAttr       = 200 // bytes
)

// Conditions decide whether a webhook is notified of an event. Nil lets everything through.
type Conditions struct {
	root       node
	unreadable error // why there is no root
}

// node is a leaf, or a group that needs all or any of its members.
type node struct {
	leaf *leaf
	any  bool
	of   []node
}

type leaf struct {
	attr   string
	in     document
	path   []string
	op     op
	value  any
	regex  *pattern.Pattern
	negate bool
}

// document is the part of an event that a path starts in.
type document int

const (
	inData document = iota
	inPrechange
	inPostchange
)

type op string

const (
	opEq       op = "eq"
	opGt       op = "gt"
	opGte      op = "gte"
	opLt       op = "lt"
	opLte      op = "lte"
	opIn       op = "in"
	opContains op = "contains"
	opRegex    op = "regex"
	opChanged  op = "changed"
)

var ops = []op{opEq, opGt, opGte, opLt, opLte, opIn, opContains, opRegex, opChanged}

// ParseConditions reads the conditions of a webhook, nil if there are none. An error begins with the place it is
// about.
func ParseConditions(text []byte) (*Conditions, error) {
	if len(text) > maxConditions {
		return nil, fmt.Errorf("conditions may have %d bytes at most, not %d", maxConditions, len(text))
	}
	in, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("conditions must be JSON: %w", err)
	}
	if object, ok := in.(map[string]any); in == nil || ok && len(object) == 0 {
		return nil, nil // existing clients write an empty object for none
	}
	var p conditionParser
	root, err := p.node(in, "", 1)
	if err != nil {
		return nil, err
	}
	return &Conditions{root: root}, nil
}

// SavedConditions reads the conditions of a saved webhook. If they can't be read, another version of the program
// saved them: they are never true, and say so.
func SavedConditions(text []byte) *Conditions {
	c, err := ParseConditions(text)
	if err != nil {
		return &Conditions{unreadable: err}
	}
	return c
}

type conditionParser struct {
	leaves  int
	regexes pattern.Budget
}

// wrong puts the place before what is wrong there.
func wrong(place, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if place == "" {
		return fmt.Errorf("conditions: %s", message)
	}
	return fmt.Errorf("%s: %s", place, message)
}

func member(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

func (p *conditionParser) node(in any, place string, depth int) (node, error) {
	object, ok := in.(map[string]any)
	switch {
	case !ok:
		return node{}, wrong(place, `%s is not a condition; write an object such as {"attr": "status", "value": "active"}`, show(in))
	case len(object) == 0:
		return node{}, wrong(place, `an empty object is not a condition; write {"attr": …, "value": …}`)
	case depth > maxDepth:
		return node{}, wrong(place, "conditions may be nested %d deep at most", maxDepth)
	}
	for _, name := range []string{"and", "or"} {
		if members, ok := object[name]; ok {
			if len(object) > 1 {
				return node{}, wrong(place, "%q must be the only key of its object", name)
			}
			return p.group(name, members, member(place, name), depth)
		}
	}
	l, err := p.leaf(object, place)
	return node{leaf: l}, err
}

func (p *conditionParser) group(name string, in any, place string, depth int) (node, error) {
	list, ok := in.([]any)
	if !ok || len(list) == 0 {
		return node{}, wrong(place, "must be a list of one or more conditions")
	}
	n := node{any: name == "or", of: make([]node, len(list))}
	for i, item := range list {
		var err error
		if n.of[i], err = p.node(item, place+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return node{}, err
		}
	}
	return n, nil
}

func (p *conditionParser) leaf(object map[string]any, place string) (*leaf, error) {
	if p.leaves++; p.leaves > maxLeaves {
		return nil, wrong(place, "there may be %d conditions at most", maxLeaves)
	}
	l := &leaf{op: opEq}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := member(place, name)
		switch in := object[name]; name {
		case "attr":
			if err := l.parseAttr(in, at); err != nil {
				return nil, err
			}
		case "op":
			s, _ := in.(string)
			if l.op = op(s); !slices.Contains(ops, l.op) {
				return nil, wrong(at, "%s is not an operator; use one of %s", show(in), opNames())
			}
		case "negate":
			var ok bool
			if l.negate, ok = in.(bool); !ok {
				return nil, wrong(at, "must be true or false, not %s", show(in))
			}
		case "value":
		default:
			return nil, wrong(at, "is not known; a condition has attr, value, op and negate, or else only and, or only or")
		}
	}
	if l.attr == "" {
		return nil, wrong(member(place, "attr"), "is required")
	}
	value, given := object["value"]
	if err := p.parseValue(l, value, given, member(place, "value")); err != nil {
		return nil, err
	}
	if l.op == opChanged && l.in != inData {
		return nil, wrong(member(place, "attr"), "changed compares both snapshots; write %q", strings.Join(l.path, "."))
	}
	return l, nil
}

func opNames() string {
	names := make([]string, len(ops))
	for i, o := range ops {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

func (l *leaf) parseAttr(in any, place string) error {
	l.attr, _ = in.(string)
	l.path = strings.Split(l.attr, ".")
	if slices.Contains(l.path, "") || len(l.attr) > maxAttr {
		return wrong(place, `must be the name of an attribute, such as "status" or "site.slug", not %s`, show(in))
	}
	if l.path[0] != "snapshots" {
		return nil
	}
	if len(l.path) > 1 {
		switch l.path[1] {
		case "prechange":
			l.in = inPrechange
		case "postchange":
			l.in = inPostchange
		}
	}
	if l.in == inData {
		return wrong(place, "snapshots are read as snapshots.prechange.… or snapshots.postchange.…, not %s", show(in))
	}
	l.path = l.path[2:]
	return nil
}

// parseValue refuses a value to which the operator can never be applied.
func (p *conditionParser) parseValue(l *leaf, in any, given bool, place string) error {
	switch {
	case l.op == opChanged && given:
		return wrong(place, "changed takes no value; leave it out")
	case l.op == opChanged:
		return nil
	case !given:
		return wrong(place, "is required; write null to ask for nothing")
	}
	if _, err := record.EncodeJSON(in); err != nil {
		return wrong(place, "%s", err)
	}
	l.value = bare(in)
	switch l.op {
	case opGt, opGte, opLt, opLte:
		if _, ordered := compare(l.value, l.value); !ordered {
			return wrong(place, "%s needs a number or a text, not %s", l.op, show(in))
		}
	case opIn:
		if _, ok := l.value.([]any); !ok {
			return wrong(place, "in needs a list, not %s", show(in))
		}
	case opRegex:
		source, ok := in.(string)
		if !ok {
			return wrong(place, "regex needs a text, not %s", show(in))
		}
		var err error
		// Bound to the beginning of the text: conditions that people bring from elsewhere expect it.
		if l.regex, err = p.regexes.Prefix(source); err != nil {
			return wrong(place, "%s", err.Error())
		}
	}
	return nil
}
