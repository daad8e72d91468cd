package webhook

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is the result of conditions for an event, with the reason.
type Verdict struct {
	Fires  bool
	Broken bool   // a part could not be evaluated: it counts as false, whatever negate says
	Reason string // why it does not fire, and what is broken; empty if neither
}

// Match evaluates every part, even if another has decided, so that a broken part shows before it matters.
func (c *Conditions) Match(e *Event) Verdict {
	if c == nil {
		return Verdict{Fires: true}
	}
	if c.unreadable != nil {
		return Verdict{Broken: true, Reason: c.unreadable.Error()}
	}
	var f findings
	fires := c.root.match(e, &f)
	return Verdict{Fires: fires, Broken: f.broken.count > 0, Reason: f.reason()}
}

func (n *node) match(e *Event, f *findings) bool {
	if n.leaf != nil {
		return n.leaf.match(e, f)
	}
	before, held := f.against, 0
	for i := range n.of {
		if n.of[i].match(e, f) {
			held++
		}
	}
	if held == len(n.of) || n.any && held > 0 {
		f.against = before // the others did not matter
		return true
	}
	return false
}

func (l *leaf) match(e *Event, f *findings) bool {
	o := l.evaluate(e)
	switch {
	case o.broken != sound:
		if f.broken.next() {
			f.broken.text = l.appendBroken(f.broken.text, o)
		}
	case o.holds == l.negate:
		if f.against.next() {
			f.against.text = l.appendAgainst(f.against.text, o)
		}
	default:
		return true
	}
	return false
}

// outcome is the result of a leaf, before it is negated.
type outcome struct {
	holds   bool
	broken  breakage
	err     error
	was, is any // was only for changed
	how     found
}

// breakage is why a leaf could not be evaluated.
type breakage int

const (
	sound      breakage = iota
	unreadable          // the change row holds no JSON
	obstructed          // a plain value is in the way of the path
	unsuited            // the operator can't be applied to the value
	unrecorded          // the snapshots hold no such attribute
	oversized           // the text is too long for the expression
)

func (l *leaf) evaluate(e *Event) (o outcome) {
	if l.op == opChanged {
		return l.changed(e)
	}
	doc, err := e.document(l.in)
	if err != nil {
		return outcome{broken: unreadable, err: err}
	}
	if o.is, o.how = walk(doc, l.path); o.how == blocked {
		o.broken = obstructed
		return o
	}
	o.is = bare(o.is)
	if s, ok := o.is.(string); ok && l.regex != nil && l.regex.TooLong(s) {
		o.broken = oversized
		return o
	}
	var ok bool
	if o.holds, ok = l.test(o.is); !ok {
		o.broken = unsuited
	}
	return o
}

// test reports whether the operator applies to the value with success, and whether it can be applied at all.
func (l *leaf) test(actual any) (holds, ok bool) {
	switch l.op {
	case opEq:
		return equal(actual, l.value), true
	case opIn:
		return slices.ContainsFunc(l.value.([]any), func(v any) bool { return equal(actual, v) }), true
	case opContains:
		return l.contains(actual)
	case opRegex:
		s, ok := actual.(string)
		return ok && l.regex.Match(s), ok
	}
	order, ok := compare(actual, l.value)
	switch l.op {
	case opGt:
		return order > 0, ok
	case opGte:
		return order >= 0, ok
	case opLt:
		return order < 0, ok
	default:
		return order <= 0, ok
	}
}

func (l *leaf) contains(actual any) (holds, ok bool) {
	switch x := actual.(type) {
	case nil:
		return false, true
	case []any:
		return slices.ContainsFunc(x, func(v any) bool { return equal(v, l.value) }), true
	case string:
		part, ok := l.value.(string)
		return ok && strings.Contains(x, part), ok
	}
	return false, false
}

// changed compares the snapshots. What one of them lacks is null there, so a value that comes with a new record or
// goes with a deleted one has changed, and a null has not.
func (l *leaf) changed(e *Event) (o outcome) {
	before, err := e.document(inPrechange)
	if err != nil {
		return outcome{broken: unreadable, err: err}
	}
	after, err := e.document(inPostchange)
	if err != nil {
		return outcome{broken: unreadable, err: err}
	}
	_, named := walk(before, l.path[:1])
	_, names := walk(after, l.path[:1])
	if named != present && names != present { // misspelled or computed: it would never change
		return outcome{broken: unrecorded}
	}
	var had, has found
	o.was, had = walk(before, l.path)
	o.is, has = walk(after, l.path)
	switch {
	case had == blocked && has == present:
		o.was = nil // JSON whose shape changed
	case has == blocked && had == present:
		o.is = nil
	case had == blocked:
		return outcome{broken: obstructed, is: o.was}
	case has == blocked:
		return outcome{broken: obstructed, is: o.is}
	}
	o.holds = !equal(o.was, o.is)
	return o
}

// document returns the part of an event that a path starts in.
func (e *Event) document(in document) (any, error) {
	name, text, read := "data", e.Data, &e.data
	switch in {
	case inPrechange:
		name, text, read = "snapshots.prechange", e.Prechange, &e.prechange
	case inPostchange:
		name, text, read = "snapshots.postchange", e.Postchange, &e.postchange
	}
	v, err := read.get(func() (any, error) { return decode(text) })
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", name, err)
	}
	return v, nil
}
