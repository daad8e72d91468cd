package jinja

import "math"

// dict is Python's dict: it keeps the order of insertion, and 1, 1.0 and True are the same key.
// It does not change once an expression can see it, except inside a namespace.
type dict struct {
	keys, values []value
	index        map[any]int // by hash key; nil while the dict is small
}

// smallDict is the number of keys up to which a search through all of them is as fast as a map.
const smallDict = 8

func newDict(size int) *dict {
	return &dict{keys: make([]value, 0, size), values: make([]value, 0, size)}
}

func (d *dict) len() int { return len(d.keys) }

// put sets a key whose hash key is the key itself, such as a string.
func (d *dict) put(key, v value) { d.putHashed(key, key, v) }

func (d *dict) putHashed(hash any, key, v value) {
	if i := d.find(hash); i >= 0 {
		d.values[i] = v
		return
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
	switch {
	case d.index != nil:
		d.index[hash] = len(d.keys) - 1
	case len(d.keys) > smallDict:
		d.index = make(map[any]int, 2*len(d.keys))
		for i, k := range d.keys {
			hash, _ := hashKey(k)
			d.index[hash] = i
		}
	}
}

func (d *dict) find(hash any) int {
	if d.index != nil {
		if i, ok := d.index[hash]; ok {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		if s, ok := k.(string); ok {
			if hash == any(s) {
				return i
			}
		} else if h, _ := hashKey(k); h == hash {
			return i
		}
	}
	return -1
}

func (d *dict) get(hash any) (value, bool) {
	if i := d.find(hash); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

// hash returns the hash key of a key, and charges for it, because a small dict compares it with each of its keys.
func (r *run) hash(key value) (any, bool) {
	r.chargeText(key)
	if t, ok := key.(*tuple); ok {
		r.alloc(48 * len(t.items))
		for _, item := range t.items {
			r.chargeText(item)
		}
	}
	return hashKey(key)
}

func (r *run) chargeText(key value) {
	if s, ok := asText(key); ok && len(s) > 64 { // others cost one step, which is charged already
		r.scan(smallDict * len(s))
	}
}

// set sets a key of any kind, and charges for it.
func (r *run) set(d *dict, key, v value) {
	hash, ok := r.hash(key)
	if !ok {
		noUndefinedKey(key)
		fail("unhashable type: '%s'", typeName(key))
	}
	if d.len() >= maxItems {
		fail("a dict grows too long (more than %d keys)", maxItems)
	}
	r.alloc(160)
	d.putHashed(hash, key, v)
}

func noUndefinedKey(key value) {
	switch key.(type) {
	case bigInt, *view, *stream, *namespace, *loop, builtin, span:
		refuse("a %s as a key", typeName(key))
	}
}

type (
	noneKey      struct{}
	undefinedKey struct{}
	tupleKey     struct{ head, tail any }
	tupleEnd     struct{}
)

// hashKey returns a Go value that is equal for keys that are the same in Python. It returns false if Python or this package has no hash for
// the value.
func hashKey(v value) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	case int64:
		return v, true
	case bool:
		i, _ := asInt(v)
		return i, true
	case float64:
		if v == math.Trunc(v) && v >= -1<<63 && v < 1<<63 {
			return int64(v), true
		}
		return v, true
	case nil:
		return noneKey{}, true
	case undefined:
		return undefinedKey{}, true
	case *tuple:
		if len(v.items) > maxValueDepth {
			refuse("a tuple of more than %d items as a key", maxValueDepth)
		}
		var key any = tupleEnd{}
		for i := len(v.items) - 1; i >= 0; i-- {
			// Tuples that share their parts can be exponentially larger than the memory that they take.
			if isType[*tuple](v.items[i]) {
				refuse("a tuple in a tuple as a key")
			}
			head, ok := hashKey(v.items[i])
			if !ok {
				return nil, false
			}
			key = tupleKey{head, key}
		}
		return key, true
	}
	return nil, false
}
