package webhook

import "strconv"

// findings are the reasons why conditions do not fire. Most webhooks do not fire on most changes, and this runs
// inside the writer's transaction, so the words are appended to one text.
type findings struct{ broken, against facts }

type facts struct {
	text  []byte
	count int
}

// maxFacts is how many facts of a kind a reason includes.
const maxFacts = 5

// next counts one more fact and reports whether it must be written.
func (f *facts) next() bool {
	f.count++
	switch {
	case f.count > maxFacts:
		return false
	case f.count > 1:
		f.text = append(f.text, "; "...)
	case f.text == nil:
		f.text = make([]byte, 0, 96)
	}
	return true
}

func (f *findings) reason() string {
	text := f.against.text
	if f.broken.count > 0 {
		text = f.broken.text
		if f.against.count > 0 {
			text = append(append(text, "; "...), f.against.text...)
		}
	}
	if more := max(f.broken.count-maxFacts, 0) + max(f.against.count-maxFacts, 0); more > 0 {
		text = append(strconv.AppendInt(append(text, "; and "...), int64(more), 10), " more"...)
	}
	return string(text)
}

// words returns how a reason names an operator: "not greater than 5", "which does not match".
func (o op) words() (noun, verb string) {
	switch o {
	case opGt:
		return "greater than ", ""
	case opGte:
		return "at least ", ""
	case opLt:
		return "less than ", ""
	case opLte:
		return "at most ", ""
	case opIn:
		return "one of ", ""
	case opContains:
		return "", "contain "
	case opRegex:
		return "", "match "
	}
	return "", ""
}

// appendAgainst says why a leaf is false.
func (l *leaf) appendAgainst(dst []byte, o outcome) []byte {
	dst = append(dst, l.attr...)
	if l.op == opChanged {
		if !l.negate {
			return appendShown(append(dst, " did not change, it is "...), o.is)
		}
		dst = appendShown(append(dst, " changed from "...), o.was)
		dst = appendShown(append(dst, " to "...), o.is)
		return append(dst, ", and must not change"...)
	}
	dst = o.appendIs(dst)
	noun, verb := l.op.words()
	switch {
	case l.negate && verb != "":
		dst = append(append(dst, ", and must not "...), verb...)
	case l.negate:
		dst = append(append(dst, ", and must not be "...), noun...)
	case verb != "":
		dst = append(append(dst, ", which does not "...), verb...)
	default:
		dst = append(append(dst, ", not "...), noun...)
	}
	return appendShown(dst, l.value)
}

// appendBroken says why a leaf can't be evaluated.
func (l *leaf) appendBroken(dst []byte, o outcome) []byte {
	switch o.broken {
	case unreadable:
		return append(dst, o.err.Error()...)
	case unrecorded:
		return append(append(append(dst, "the snapshots hold no "...), l.path[0]...), ", so changed can't compare it"...)
	}
	dst = append(dst, l.attr...)
	if o.broken == obstructed {
		dst = appendShown(append(dst, " can't be followed beyond "...), o.is)
		if l.in != inData || l.op == opChanged {
			dst = append(dst, " (snapshots hold references by id, choices by value and tags by name)"...)
		}
		return dst
	}
	dst = o.appendIs(dst)
	switch {
	case o.broken == oversized:
		return append(dst, ", which is too long for this regex"...)
	case l.op == opRegex:
		return append(dst, ", and regex needs a text"...)
	case l.op == opContains:
		return append(appendShown(append(dst, ", and contains can't look for "...), l.value), " in it"...)
	}
	return appendShown(append(append(append(dst, ", and "...), l.op...), " can't compare it with "...), l.value)
}

func (o outcome) appendIs(dst []byte) []byte {
	if o.how == missing {
		return append(dst, " is missing"...)
	}
	return appendShown(append(dst, " is "...), o.is)
}
