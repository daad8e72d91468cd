package jinja

import "fmt"

// perItem parses the filters that apply another filter or a test to each item: map, select, reject, selectattr and rejectattr. The name of
// the other one must be a string in the template, so that it is checked when the template is saved.
func (p *parser) perItem(line int, call *filterCall, text string, positional []expression, keywords []keyword) bool {
	refuse := func(format string, args ...any) {
		panic(&Error{Line: line, Message: fmt.Sprintf("the filter %q ", text) + fmt.Sprintf(format, args...)})
	}
	named := func(what string) string {
		if c, ok := positional[0].(*constant); ok {
			if s, ok := c.value.(string); ok {
				positional = positional[1:]
				return s
			}
		}
		refuse("needs the name of a %s as a string", what)
		return ""
	}
	call.stream = true
	arguments := []expression{call.of}
	switch text {
	case "map":
		if len(positional) > 0 {
			inner, ok := p.filterCall(line, &placeholder{}, named("filter"), positional, keywords).(*filterCall)
			if !ok {
				refuse("needs the name of a filter")
			}
			call.arguments = inner.arguments
			call.apply = eachItem(func(r *run, item value, args []value) (value, bool) { return inner.apply(r, item, args), true })
		} else {
			call.arguments = p.bind(line, `the filter "map"`, takes("attribute", "default?"), nil, keywords)
			call.apply = mapAttribute
		}
	case "select", "reject", "selectattr", "rejectattr":
		if len(keywords) > 0 {
			refuse("takes no arguments with names")
		}
		var attribute expression
		if text == "selectattr" || text == "rejectattr" {
			if len(positional) == 0 {
				refuse("needs an attribute")
			}
			attribute, positional = positional[0], positional[1:]
		}
		test := func(_ *run, v value, _ []value) bool { return truth(v) }
		if len(positional) > 0 {
			test, call.arguments = p.testNamed(line, named("test"), positional, nil)
		}
		call.arguments = append([]expression{attribute}, call.arguments...)
		call.apply = selectItems(test, text == "select" || text == "selectattr")
	default:
		call.stream = false
		return false
	}
	call.node = p.node(line, append(arguments, call.arguments...)...)
	return true
}

// placeholder means the item in the filter of a map. It is never evaluated.
type placeholder struct{ node }

func (*placeholder) eval(*run) value { return nil }

// eachItem returns a filter whose result is a generator of the values that f returns for each item. Items for which f returns false are
// left out. Like Jinja2 it evaluates nothing before the first item is needed, and treats everything that is false as empty.
func eachItem(f func(r *run, item value, args []value) (value, bool)) func(r *run, v value, args []value) value {
	return func(r *run, v value, args []value) value {
		var next func() (value, bool)
		return &stream{func() (value, bool) {
			if next == nil {
				next = r.over(nil)
				if truth(v) {
					next = r.iterate(v)
				}
			}
			for {
				item, ok := next()
				if !ok {
					return nil, false
				}
				r.alloc(16)
				if result, ok := f(r, item, args); ok {
					return result, true
				}
			}
		}}
	}
}

func mapAttribute(r *run, v value, args []value) value {
	var p path
	if truth(v) {
		p = r.path(args[0])
	}
	return eachItem(func(r *run, item value, args []value) (value, bool) {
		return r.follow(item, p, args[1]), true
	})(r, v, args)
}

// selectItems returns a filter for the items for which a test of them, or of one of their attributes, has the wanted result.
func selectItems(test func(*run, value, []value) bool, wanted bool) func(r *run, v value, args []value) value {
	return eachItem(func(r *run, item value, args []value) (value, bool) {
		v := item
		if args[0] != missing {
			v = r.follow(item, r.path(args[0]), nil)
		}
		return item, test(r, v, args[1:]) == wanted
	})
}
