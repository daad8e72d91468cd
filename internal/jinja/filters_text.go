package jinja

import (
	"strings"
	"unicode/utf8"
)

// onString returns a filter that applies f to the text of a value. Escaped text stays escaped.
func onString(f func(r *run, s string) string) func(r *run, v value, args []value) value {
	return func(r *run, v value, _ []value) value { return like(v, f(r, r.str(v))) }
}

func trim(r *run, v value, args []value) value {
	if _, ok := v.(markup); ok && args[0] != missing && args[0] != nil {
		refuse("trim with characters on a text that counts as escaped")
	}
	return like(v, r.strip(r.str(v), args[0], true, true))
}

func replaceFilter(r *run, v value, args []value) value {
	count := int64(-1)
	if args[2] != nil {
		count = intArgument(args[2], -1)
	}
	return r.replace(r.str(v), r.str(args[0]), r.str(args[1]), count)
}

func center(r *run, v value, args []value) value {
	return like(v, r.padded(r.str(v), intArgument(args[0], 80), " ", true, true))
}

func formatFilter(r *run, v value, args []value) value {
	if _, ok := v.(markup); ok {
		refuse("format on a text that counts as escaped")
	}
	if n := len(args); n > 0 {
		if names, ok := args[n-1].(named); ok {
			if n > 1 {
				fail("format takes arguments with names or without, not both")
			}
			return r.printf(r.str(v), names.dict)
		}
	}
	return r.printf(r.str(v), &tuple{items: args})
}

// indent puts spaces, or a text, before each line except the first.
func indent(r *run, v value, args []value) value {
	s, ok := asText(v)
	if !ok {
		noUndefined(v)
		fail("indent needs a text, not '%s'", typeName(v))
	}
	before, ok := args[0].(string)
	if !ok {
		before = r.repeat(" ", intArgument(args[0], 4))
	}
	first, blank := flag(args[1], false), flag(args[2], false)
	lines := r.lines(s+"\n", false)
	r.text(len(s) + bounded(len(lines), int64(len(before))))
	var b strings.Builder
	if first {
		b.WriteString(before)
	}
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
			if blank || line != "" {
				b.WriteString(before)
			}
		}
		b.WriteString(line)
	}
	return like(v, b.String())
}

// truncate cuts a text at a word. It cuts only a text that is longer than the limit by more than the leeway.
func truncate(r *run, v value, args []value) value {
	limit, leeway := intArgument(args[0], 255), int64(5)
	if args[3] != nil {
		leeway = intArgument(args[3], leeway)
	}
	end := given(args[2], "...")
	r.scan(len(textArgument(end)))
	keep := limit - int64(utf8.RuneCountInString(textArgument(end)))
	if keep < 0 || leeway < 0 {
		fail("truncate: the length is shorter than the end, or the leeway negative")
	}
	s, ok := asText(v)
	if !ok {
		switch v.(type) {
		case undefined:
			return v
		case *list, *tuple, *dict, *view, span, *loop:
			refuse("truncate on a %s", typeName(v))
		}
		fail("'%s' has no length", typeName(v))
	}
	r.scan(len(s))
	if n := int64(utf8.RuneCountInString(s)); n <= limit || n-limit <= leeway {
		return v
	}
	if _, ok := v.(markup); ok {
		refuse("truncate on a text that counts as escaped")
	}
	s = s[:byteOffset(s, int(keep))]
	if !flag(args[1], false) {
		if i := strings.LastIndexByte(s, ' '); i >= 0 {
			s = s[:i]
		}
	}
	return add(r, s, end)
}

func wordCount(r *run, v value, _ []value) value {
	s := r.scanned(v)
	n, inWord := int64(0), false
	for _, c := range s {
		if isWord(c) && !inWord {
			n++
		}
		inWord = isWord(c)
	}
	return n
}
