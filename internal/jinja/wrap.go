package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordWrap is Python's textwrap on every line of a text.
func wordWrap(r *run, v value, args []value) value {
	s, ok := asText(v)
	if !ok {
		noUndefined(v)
		fail("wordwrap needs a text, not '%s'", typeName(v))
	}
	width := intArgument(args[0], 79)
	separator := "\n"
	if args[2] != missing && args[2] != nil {
		if isType[markup](args[2]) {
			refuse("wordwrap with a wrapstring that counts as escaped")
		}
		separator = textArgument(args[2])
	}
	var wrapped []string
	for _, line := range r.lines(s, false) {
		if width <= 0 {
			fail("wordwrap needs a positive width")
		}
		r.step(len(line))
		w := wrapper{run: r, width: int(min(width, maxWidth)), breakWords: flag(args[1], true), hyphens: flag(args[3], true)}
		w.chunks = r.wrapChunks(line, given(args[3], true) == true)
		wrapped = append(wrapped, r.joined(w.lines(), separator))
	}
	return r.joined(wrapped, separator)
}

// isWrapSpace reports whether a character is white space for textwrap, where it breaks lines.
func isWrapSpace(c rune) bool { return '\t' <= c && c <= '\r' || c == ' ' }

// wrapChunks splits a line into white space and words, and splits words after hyphens.
func (r *run) wrapChunks(line string, hyphens bool) []string {
	var chunks []string
	for line != "" {
		r.alloc(48)
		n := len(line) - len(strings.TrimLeftFunc(line, isWrapSpace))
		if n == 0 {
			n = strings.IndexFunc(line, isWrapSpace)
			if n < 0 {
				n = len(line)
			}
			if hyphens && strings.Contains(line[:n], "-") {
				chunks = append(chunks, r.hyphenated(line[:n])...)
				line = line[n:]
				continue
			}
		}
		chunks = append(chunks, line[:n])
		line = line[n:]
	}
	return chunks
}

// hyphenated splits a word where textwrap does: after a hyphen with two letters, or a letter and a sign, on its left and a letter on its
// right, and around a dash of several hyphens between words.
func (r *run) hyphenated(word string) []string {
	r.alloc(5 * len(word))
	r.step(len(word))
	c := []rune(word)
	at := func(i int) rune {
		if i < 0 || i >= len(c) {
			return ' '
		}
		return c[i]
	}
	isLetter := func(i int) bool { return isWord(at(i)) && !unicode.Is(unicode.Nd, at(i)) }
	isPunct := func(i int) bool { return isWord(at(i)) || strings.ContainsRune(`!"'&.,?`, at(i)) }
	// dash returns the end of two or more hyphens at i that a word follows. It reads all of them, so it is called only after a sign that is
	// not a hyphen: once for each row of hyphens.
	dash := func(i int) int {
		j := i
		for at(j) == '-' {
			j++
		}
		if j-i < 2 || !isWord(at(j)) {
			return -1
		}
		return j
	}
	var chunks []string
	for start := 0; start < len(c); {
		end := len(c)
		if isPunct(start-1) && dash(start) > 0 {
			end = dash(start)
		} else {
			for i := start + 1; i < len(c); i++ { // the chunk might end at i
				behindHyphen := at(i-1) == '-' && i-1 > start &&
					(isLetter(i-2) && isLetter(i-3) || isPunct(i-2) && at(i-3) == '-' && isLetter(i-4)) &&
					isLetter(i) && (isLetter(i+1) || at(i+1) == '-' && isLetter(i+2))
				if behindHyphen || isPunct(i-1) && dash(i) > 0 {
					end = i
					break
				}
			}
		}
		r.alloc(32)
		chunks = append(chunks, string(c[start:end]))
		start = end
	}
	return chunks
}

// wrapper puts chunks on lines.
type wrapper struct {
	run        *run
	chunks     []string
	width      int
	breakWords bool
	hyphens    bool
}

func (w *wrapper) lines() []string {
	var lines []string
	for len(w.chunks) > 0 {
		if len(lines) > 0 && strings.TrimFunc(w.chunks[0], isSpace) == "" {
			w.chunks = w.chunks[1:]
			if len(w.chunks) == 0 {
				break
			}
		}
		line := w.line()
		if n := len(line); n > 0 && strings.TrimFunc(line[n-1], isSpace) == "" {
			line = line[:n-1]
		}
		if len(line) > 0 {
			w.run.alloc(32)
			lines = append(lines, w.run.joined(line, ""))
		}
	}
	return lines
}

// line returns as many chunks as fit on a line. Of a chunk that never fits it returns a part, or all of it on a separate line.
func (w *wrapper) line() []string {
	var line []string
	size := 0
	for len(w.chunks) > 0 {
		n := utf8.RuneCountInString(w.chunks[0])
		if size+n > w.width {
			break
		}
		w.run.alloc(32)
		line = append(line, w.chunks[0])
		w.chunks = w.chunks[1:]
		size += n
	}
	if len(w.chunks) == 0 || utf8.RuneCountInString(w.chunks[0]) <= w.width {
		return line
	}
	w.run.scan(len(w.chunks[0]))
	w.run.alloc(64)
	switch {
	case w.breakWords:
		cut := w.cut(w.width - size)
		line = append(line, w.chunks[0][:cut])
		w.chunks[0] = w.chunks[0][cut:]
	case len(line) == 0:
		line = append(line, w.chunks[0])
		w.chunks = w.chunks[1:]
	}
	return line
}

// cut returns where to break the first chunk so that it fills the remaining space, preferably after a hyphen.
func (w *wrapper) cut(space int) int {
	chunk := w.chunks[0]
	end := byteOffset(chunk, max(space, 0))
	if hyphen := strings.LastIndexByte(chunk[:end], '-'); w.hyphens && hyphen > 0 && strings.Trim(chunk[:hyphen], "-") != "" {
		return hyphen + 1
	}
	return end
}
