package jinja

import (
	"strings"
	"unicode/utf8"
)

func plain(f func(r *run, s string) value) method {
	return method{takes(), false, func(r *run, v value, _ []value) value { return like(v, text(f(r, text(v)))) }}
}

func asks(f func(s string) bool) method {
	return method{takes(), false, func(r *run, v value, _ []value) value {
		s := text(v)
		r.step(1 + len(s)>>1)
		return f(s)
	}}
}

func strips(left, right bool) method {
	return method{takes("chars?"), false, func(r *run, v value, args []value) value {
		return r.strip(text(v), args[0], left, right)
	}}
}

func pads(left, right bool) method {
	return method{takes("width", "fillchar?"), false, func(r *run, v value, args []value) value {
		fill := " "
		if args[1] != missing {
			fill = textArgument(args[1])
		}
		return r.padded(text(v), intArgument(args[0], 0), fill, left, right)
	}}
}

func zfill(r *run, v value, args []value) value {
	s := text(v)
	sign := ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	width := max(intArgument(args[0], 0), 0)
	return sign + r.padded(s, width-int64(len(sign)), "0", true, false)
}

func splits(right bool) method {
	return method{takes("sep?", "maxsplit?"), true, func(r *run, v value, args []value) value {
		s, count := text(v), intArgument(args[1], -1)
		switch {
		case args[0] != missing && args[0] != nil:
			return r.texts(v, r.splitAt(s, textArgument(args[0]), count, right))
		case right:
			return r.texts(v, r.rsplitFields(s, count))
		}
		return r.texts(v, r.splitFields(s, count))
	}}
}

func joinTexts(r *run, v value, args []value) value {
	var parts []string
	for _, item := range r.all(args[0]) {
		r.alloc(32)
		parts = append(parts, textArgument(item))
	}
	return r.joined(parts, text(v))
}

func replaceText(r *run, v value, args []value) value {
	return r.replace(text(v), textArgument(args[0]), textArgument(args[1]), intArgument(args[2], -1))
}

// formatText is str.format. Its arguments are those by position, then the keywords.
func formatText(r *run, v value, args []value) value {
	last := len(args) - 1
	return r.format(text(v), args[:last], args[last].(named).dict)
}

func begins(test func(s, part string) bool) method {
	return method{takes("prefix"), false, func(r *run, v value, args []value) value {
		s := text(v)
		options := []value{args[0]}
		if t, ok := args[0].(*tuple); ok {
			options = t.items
		}
		for _, option := range options {
			r.step(1)
			if test(s, textArgument(option)) {
				return true
			}
		}
		return false
	}}
}

func finds(find func(s, part string) int, must bool) method {
	return method{takes("sub"), false, func(r *run, v value, args []value) value {
		s := text(v)
		r.scan(2 * len(s))
		i := find(s, textArgument(args[0]))
		if i < 0 {
			if must {
				fail("the text does not hold that part")
			}
			return int64(-1)
		}
		return int64(utf8.RuneCountInString(s[:i]))
	}}
}

func countText(r *run, v value, args []value) value {
	s := text(v)
	r.scan(2 * len(s))
	return int64(strings.Count(s, textArgument(args[0])))
}

func parts(find func(s, part string) int, otherwise int) method {
	return method{takes("sep"), false, func(r *run, v value, args []value) value {
		s, separator := text(v), textArgument(args[0])
		if separator == "" {
			fail("empty separator")
		}
		if isType[markup](args[0]) {
			refuse("parts around a text that counts as escaped")
		}
		r.scan(len(s))
		r.items(3)
		items := []value{"", "", ""}
		if i := find(s, separator); i >= 0 {
			items = []value{s[:i], separator, s[i+len(separator):]}
		} else {
			items[otherwise] = s
		}
		return &tuple{items: items}
	}}
}

func removes(trim func(s, part string) string) method {
	return method{takes("part"), false, func(_ *run, v value, args []value) value {
		return trim(text(v), textArgument(args[0]))
	}}
}
