package layer_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/layer"
)

func TestLay(t *testing.T) {
	for _, c := range []struct{ name, under, over, want string }{
		{"another key", `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{"the same key", `{"a":1}`, `{"a":2}`, `{"a":2}`},
		{"objects are merged at every depth", `{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"d":3,"e":4}}}`, `{"a":{"b":{"c":1,"d":3,"e":4}}}`},
		{"lists are replaced", `{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		{"an empty list replaces", `{"a":[1,2]}`, `{"a":[]}`, `{"a":[]}`},
		{"null replaces", `{"a":{"b":1}}`, `{"a":null}`, `{"a":null}`},
		{"an empty object replaces", `{"a":{"b":1}}`, `{"a":{}}`, `{"a":{}}`},
		{"an empty object inside replaces", `{"a":{"b":{"c":1},"d":2}}`, `{"a":{"b":{}}}`, `{"a":{"b":{},"d":2}}`},
		{"an object replaces a value", `{"a":1}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		{"a value replaces an object", `{"a":{"b":1}}`, `{"a":0}`, `{"a":0}`},
		{"nothing over something", `{"a":1}`, `{}`, `{"a":1}`},
		{"numbers keep their digits", `{}`, `{"a":12345678901234567890.10}`, `{"a":12345678901234567890.10}`},
		{"signs of markup stay", `{}`, `{"a":"<b>&"}`, `{"a":"<b>&"}`},
	} {
		stack := layer.NewStack([]layer.Source{{Data: json.RawMessage(c.under)}, {Data: json.RawMessage(c.over)}})
		got, err := stack.Merge(nil, nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s over %s is %s (%v), want %s", c.name, c.over, c.under, got, err, c.want)
		}
		own, err := layer.NewStack([]layer.Source{{Data: json.RawMessage(c.under)}}).Merge(nil, json.RawMessage(c.over))
		if err != nil || string(own) != c.want {
			t.Errorf("%s: own %s over %s is %s (%v), want %s", c.name, c.over, c.under, own, err, c.want)
		}
	}
}

func TestMatching(t *testing.T) {
	stack := layer.NewStack([]layer.Source{
		{Selectors: [][]int64{nil, nil}},
		{Selectors: [][]int64{{9, 1}, nil}},
		{Selectors: [][]int64{{1}, {5}}},
		{Selectors: [][]int64{nil, {7, 5}}},
	})
	for _, c := range []struct {
		name string
		has  [][]int64
		want []int
	}{
		{"has nothing", [][]int64{nil, nil}, []int{0}},
		{"has what one selector names", [][]int64{{1}, nil}, []int{0, 1}},
		{"has what both name", [][]int64{{1}, {5}}, []int{0, 1, 2, 3}},
		{"one of several is enough", [][]int64{{2, 9}, {6, 7}}, []int{0, 1, 3}},
		{"has something else", [][]int64{{3}, {4}}, []int{0}},
		{"the same ids for other selectors", [][]int64{{5}, {1}}, []int{0}},
	} {
		if got := stack.Matching(c.has); !slices.Equal(got, c.want) {
			t.Errorf("%s: matched %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAbove(t *testing.T) {
	parents := map[int64]int64{3: 2, 2: 1, 8: 9, 9: 8}
	for id, want := range map[int64][]int64{3: {3, 2, 1}, 1: {1}, 7: {7}} {
		if got := layer.Above(parents, id); !slices.Equal(got, want) {
			t.Errorf("above %d: %v, want %v", id, got, want)
		}
	}
	if got := layer.Above(parents, 8); len(got) > 5 {
		t.Errorf("a cycle has no end: %v", got)
	}
}

func TestBrokenDataIsAnError(t *testing.T) {
	if _, err := layer.NewStack([]layer.Source{{Data: json.RawMessage(`{"a"`)}}).Merge(nil, nil); err == nil {
		t.Error("broken data of a source was taken")
	}
	if _, err := layer.NewStack(nil).Merge(nil, json.RawMessage(`[1]`)); err == nil {
		t.Error("a list was taken as the own object")
	}
}

// reference is a context as people describe it: with a name for each selector.
type reference struct {
	weight    int
	name      string
	selectors [3][]int64
	data      map[string]any
}

// plain works out a result in the plainest way: rule by rule, without keeping anything.
func plain(contexts []reference, has [3][]int64, own map[string]any) map[string]any {
	contexts = slices.Clone(contexts)
	slices.SortFunc(contexts, func(a, b reference) int { return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.name, b.name)) })
	result := map[string]any{}
	for _, c := range contexts {
		all := true
		for n, named := range c.selectors {
			holds := len(named) == 0
			for _, id := range named {
				for _, mine := range has[n] {
					holds = holds || id == mine
				}
			}
			all = all && holds
		}
		if all {
			result = plainLay(result, c.data).(map[string]any)
		}
	}
	return plainLay(result, own).(map[string]any)
}

// plainLay returns what is at a place after over was laid on under there. The outermost object is never replaced as a whole.
func plainLay(under, over map[string]any) any {
	result := map[string]any{}
	for key := range under {
		result[key] = under[key]
	}
	for key, now := range over {
		before, was := under[key]
		if was && isObject(before) && isObject(now) && len(now.(map[string]any)) > 0 {
			result[key] = plainLay(before.(map[string]any), now.(map[string]any))
		} else {
			result[key] = now
		}
	}
	return result
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// values are JSON values that share keys, so that objects meet at several depths.
func values(depth int) *rapid.Generator[any] {
	simple := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.IntRange(0, 3), func(n int) any { return float64(n) }),
		rapid.Map(rapid.SliceOfN(rapid.IntRange(0, 2), 0, 2), func(ns []int) any {
			list := []any{}
			for _, n := range ns {
				list = append(list, float64(n))
			}
			return list
		}))
	if depth == 0 {
		return simple
	}
	return rapid.OneOf(simple, rapid.Map(objects(depth-1), func(m map[string]any) any { return m }))
}

func objects(depth int) *rapid.Generator[map[string]any] {
	return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), values(depth), 0, 3)
}

// TestMergeIsAsThePlainRulesSay: one stack, asked for many things, gives what the rules give for each alone.
func TestMergeIsAsThePlainRulesSay(t *testing.T) {
	ids := rapid.SliceOfN(rapid.Int64Range(1, 4), 0, 2)
	rapid.Check(t, func(t *rapid.T) {
		var contexts []reference
		for i := range rapid.IntRange(0, 8).Draw(t, "contexts") {
			c := reference{weight: rapid.IntRange(0, 2).Draw(t, "weight"), name: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "name"), i),
				data: objects(3).Draw(t, "data")}
			for n := range c.selectors {
				c.selectors[n] = ids.Draw(t, "named")
			}
			contexts = append(contexts, c)
		}
		sorted := slices.SortedFunc(slices.Values(contexts), func(a, b reference) int {
			return cmp.Or(a.weight-b.weight, cmp.Compare(a.name, b.name))
		})
		sources := make([]layer.Source, len(sorted))
		for i, c := range sorted {
			sources[i] = layer.Source{Selectors: c.selectors[:], Data: encoded(t, c.data)}
		}
		stack := layer.NewStack(sources)
		for range 12 {
			has := [3][]int64{ids.Draw(t, "has"), ids.Draw(t, "has"), ids.Draw(t, "has")}
			var own json.RawMessage
			object := objects(2).Draw(t, "own")
			if len(object) > 0 || rapid.Bool().Draw(t, "empty own") {
				own = encoded(t, object)
			}
			raw, err := stack.Merge(has[:], own)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			if want := plain(contexts, has, object); !reflect.DeepEqual(got, want) {
				t.Fatalf("merged %v, want %v", got, want)
			} else if text := encoded(t, want); string(raw) != string(text) {
				t.Fatalf("merged %s, want the keys in their order: %s", raw, text)
			}
		}
	})
}

func encoded(t *rapid.T, v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
