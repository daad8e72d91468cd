// Package jinja renders Jinja2 templates over JSON values, and nothing else.
//
// It owns the language: lexer, parser, scopes, Python's operators and printing, filters, tests and methods.
// The caller owns the variables. A template can't reach files, other templates, attributes of the
// program or the clock. Every template ends: the constants below limit what one may cost.
//
// The reference is Jinja2 3.1 with the settings that NetBox uses (its sandbox, default white space,
// no autoescape, default Undefined). A template prints the same as there, or it is refused: in Parse
// if the text shows it, otherwise in Render, with a message that begins with "not supported".
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

// The limits of one rendering. On a slow core, the heaviest templates take about a third of maxTime until they run out of steps. The
// clock is for machines that are even slower. Bytes are all that were ever allocated, so that the limit does not depend on the garbage
// collector. The estimate is at least half of the true number.
const (
	maxSteps      = 200_000
	maxBytes      = 6 << 20
	maxText       = 1 << 20 // one string, and the output
	maxItems      = 100_000 // one list, and a range as in Jinja2's sandbox
	maxValueDepth = 100     // lists in lists, when they are printed or compared
	maxTime       = 90 * time.Millisecond
)

// clockSteps is how many steps pass between two looks at the clock. A step may cost more than it should.
const clockSteps = 128

// longestStretch is how much of the time between two looks at the clock counts. Longer ones are pauses: a busy machine, not the template.
const longestStretch = 5 * time.Millisecond

// Error says what is wrong with a template and where.
type Error struct {
	Line    int // from 1; 0 if it is not known
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// fail ends a rendering with an error that Jinja2 gives as well. Inside the package errors are panics, because every operator, comparison
// and iterator can fail. Parse and Render catch them.
func fail(format string, args ...any) {
	panic(&Error{Message: fmt.Sprintf(format, args...)})
}

// refuse ends a rendering with an error if Jinja2 would print something that this package can't.
func refuse(format string, args ...any) {
	fail("not supported: "+format, args...)
}

// catch turns a panic of fail into an error. It does not catch other panics, which are mistakes of this package.
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
	looked       time.Time     // at the clock
	left         time.Duration // of the time that it may take
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
	now := time.Now()
	m.left -= min(now.Sub(m.looked), longestStretch)
	m.looked = now
	if m.left < 0 {
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
