package jinja

import (
	"slices"
	"strings"
)

// extreme returns the filter min or max. Of equal items the first one counts.
func extreme(operator string) func(r *run, v value, args []value) value {
	return func(r *run, v value, args []value) value {
		sensitive, attribute := flag(args[0], false), r.path(args[1])
		next := r.iterate(v)
		best, ok := next()
		if !ok {
			return undefined{"the item of an empty list"}
		}
		bestKey := r.folded(r.follow(best, attribute, nil), sensitive)
		for {
			item, ok := next()
			if !ok {
				return best
			}
			key := r.folded(r.follow(item, attribute, nil), sensitive)
			if comparisons[operator](r, key, bestKey) {
				best, bestKey = item, key
			}
		}
	}
}

// sorted returns items ordered by their keys. Items with equal keys keep their order, also in reverse.
func (r *run) sorted(items []value, key func(item value) value, reverse bool) []value {
	type keyed struct{ key, item value }
	r.items(3 * len(items))
	pairs := make([]keyed, len(items))
	for i, item := range items {
		pairs[i] = keyed{key(item), item}
	}
	slices.SortStableFunc(pairs, func(a, b keyed) int {
		r.step(2)
		if reverse {
			a, b = b, a
		}
		return r.compare(a.key, b.key, "<")
	})
	for i, pair := range pairs {
		items[i] = pair.item
	}
	return items
}

func sortFilter(r *run, v value, args []value) value {
	sensitive := flag(args[1], false)
	paths := []path{nil}
	if s, ok := asText(given(args[2], nil)); ok {
		paths = nil
		for part := range strings.SplitSeq(s, ",") {
			r.alloc(96)
			paths = append(paths, r.path(part))
		}
	} else if args[2] != missing {
		paths = []path{r.path(args[2])}
	}
	key := func(item value) value {
		r.items(len(paths))
		key := make([]value, len(paths))
		for i, p := range paths {
			key[i] = r.folded(r.follow(item, p, nil), sensitive)
		}
		return &list{items: key}
	}
	return &list{items: r.sorted(r.copyAll(v), key, flag(args[0], false))}
}

func dictSort(r *run, v value, args []value) value {
	d, ok := v.(*dict)
	if !ok {
		noUndefined(v)
		fail("dictsort needs an object, not '%s'", typeName(v))
	}
	at := slices.Index([]value{"key", "value"}, given(args[1], "key"))
	if at < 0 {
		fail("dictsort sorts by key or value")
	}
	key := func(item value) value {
		return r.folded(item.(*tuple).items[at], flag(args[0], false))
	}
	return &list{items: r.sorted(r.gather(r.overView(&view{d, "items"})), key, flag(args[2], false))}
}

func unique(r *run, v value, args []value) value {
	sensitive, attribute := flag(args[0], false), r.path(args[1])
	seen := map[any]bool{}
	var next func() (value, bool)
	return &stream{func() (value, bool) {
		if next == nil {
			next = r.iterate(v)
		}
		for {
			item, ok := next()
			if !ok {
				return nil, false
			}
			key := r.folded(r.follow(item, attribute, nil), sensitive)
			hash, ok := r.hash(key)
			if !ok {
				noUndefinedKey(key)
				fail("unique: unhashable type")
			}
			if !seen[hash] {
				r.alloc(160)
				seen[hash] = true
				return item, true
			}
		}
	}}
}

func groupBy(r *run, v value, args []value) value {
	attribute, otherwise, sensitive := r.path(args[0]), args[1], flag(args[2], false)
	key := func(item value) value { return r.folded(r.follow(item, attribute, otherwise), sensitive) }
	items := r.sorted(r.copyAll(v), key, false)
	groups := &list{}
	for i := 0; i < len(items); {
		groupKey := key(items[i])
		j := i + 1
		for j < len(items) && r.equal(key(items[j]), groupKey) {
			j++
		}
		r.items(8)
		name := r.follow(items[i], attribute, otherwise)
		groups.items = append(groups.items, &tuple{items: []value{name, &list{items: items[i:j:j]}}, group: true})
		i = j
	}
	return groups
}
