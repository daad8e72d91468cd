package main

import (
	"io"
	"os"
)

// screen is an output that may be a terminal: only there texts are coloured, and nothing that could control it gets
// through.
type screen struct {
	io.Writer
	terminal, colours bool
}

func newScreen(w io.Writer) screen {
	terminal := isTerminal(w)
	return screen{w, terminal, terminal && wantsColours()}
}

func (s screen) paint(c colour, text string) string {
	if !s.colours {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// line makes any text fit for one line.
func (s screen) line(text string) string { return escape(text, "", visible) }

type colour string

const (
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

// wantsColours follows no-color.org.
func wantsColours() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }
