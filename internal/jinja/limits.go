// Package jinja renders Jinja2 templates over JSON values, and nothing else.
//
// It owns the language: lexer, parser, scopes, Python's operators and printing, filters, tests and methods.
// Whoever calls it owns the variables. A template reaches no file, no other template, no attribute of the
// program and no clock. Every template ends: the constants below bound what one may cost.
//
// The measure of correctness is Jinja2 3.1 with the settings NetBox uses (its sandbox, default white space,
// no autoescape, default Undefined). A template prints what it prints there, or it is refused: in Parse
// where the text shows it, otherwise in Render with a message that begins with "not supported".
package jinja

import (
	"fmt"
	"time"
)

// The limits of a template's text. Python itself stops at 200 nested parentheses and at 20 nested loops.
const (
	maxSource = 64 << 10 // bytes
	maxDepth  = 64       // nested brackets, and as many levels of tags as Python has loops
	maxTags   = 20       // nested tags
	maxHeight = 100      // operators, filters and subscripts on top of each other
)

// The limits of one rendering. The heaviest templates take about a third of maxTime on a slow core when they
// run out of steps; the clock is for machines that are slower still. Bytes are those ever allocated, not those
// alive, so that the garbage collector need not keep up; the estimate is at least half of the truth.
const (
	maxSteps      = 200_000
	maxBytes      = 6 << 20
	maxText       = 1 << 20 // one string, and the output
	maxItems      = 100_000 // one list, and a range as in Jinja2's sandbox
	maxValueDepth = 100     // lists in lists, when they are printed or compared
	maxTime       = 90 * time.Millisecond
)

// clockSteps is how many steps pass between two looks at the clock. A step may be dearer than it should.
const clockSteps = 128

// Error says what is wrong with a template and where.
type Error struct {
	Line    int // from 1; 0 where it is not known
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// fail ends a rendering with an error that Jinja2 gives as well. Errors travel as panics inside the package,
// because they can come out of every operator, comparison and iterator; Parse and Render catch them.
func fail(format string, args ...any) {
	panic(&Error{Message: fmt.Sprintf(format, args...)})
}

// refuse ends a rendering where Jinja2 would print something that this package can't.
func refuse(format string, args ...any) {
	fail("not supported: "+format, args...)
}

// catch turns a panic of fail into an error. Other panics are mistakes of this package and go on.
func catch(err *error, line func() int) {
	switch problem := recover().(type) {
	case nil:
	case *Error:
		if problem.Line == 0 {
			problem.Line = line()
		}
		*err = problem
	default:
		panic(problem)
	}
}

// meter counts what a rendering costs.
type meter struct {
	steps, bytes int
	nextLook     int
	deadline     time.Time
}

// step charges n units of work, each some tens of nanoseconds.
func (m *meter) step(n int) {
	m.steps += n
	if m.steps < m.nextLook {
		return
	}
	if m.steps > maxSteps {
		fail("the template takes too many steps (more than %d)", maxSteps)
	}
	if time.Now().After(m.deadline) {
		fail("the template takes too long (more than %s)", maxTime)
	}
	m.nextLook = min(m.steps+clockSteps, maxSteps+1)
}

// alloc charges memory before it is allocated.
func (m *meter) alloc(bytes int) {
	m.bytes += bytes
	if m.bytes > maxBytes {
		fail("the template takes too much memory (more than %d bytes)", maxBytes)
	}
	m.step(1 + bytes>>8)
}

// scan charges for looking at every byte of a text.
func (m *meter) scan(bytes int) {
	m.step(1 + bytes>>3)
}

// text charges for a new string of so many bytes, and for making it.
func (m *meter) text(bytes int) {
	if bytes > maxText {
		fail("a text grows too long (more than %d bytes)", maxText)
	}
	m.alloc(bytes + 16)
	m.step(bytes >> 4)
}

// items charges for a new list of so many items.
func (m *meter) items(count int) {
	if count > maxItems {
		fail("a list grows too long (more than %d items)", maxItems)
	}
	m.alloc(32 + 16*count)
	m.step(count >> 2)
}
