package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/webhook"
)

// TestOperators runs each operator against each kind of value, plain and negated: a leaf
// that can't be evaluated never fires.
func TestOperators(t *testing.T) {
	const yes, no, broken = "fires", "does not fire", "is broken"
	for _, c := range []struct{ actual, op, value, want string }{
		{`"a"`, "eq", `"a"`, yes},
		{`"a"`, "eq", `"A"`, no},
		{`"1"`, "eq", `1`, no},
		{`1`, "eq", `1.0`, yes},
		{`10`, "eq", `1e1`, yes},
		{`0.1`, "eq", `0.10`, yes},
		{`0`, "eq", `-0`, yes},
		{`9007199254740993`, "eq", `9007199254740992`, no},
		{`9007199254740993`, "eq", `9007199254740993.0`, yes},
		{`99999999999999999999`, "eq", `99999999999999999999`, yes},
		{`1e999999999`, "eq", `1`, no},
		{`1e-999999999`, "eq", `0.0`, no},
		{`1`, "eq", `true`, no},
		{`0`, "eq", `false`, no},
		{`true`, "eq", `true`, yes},
		{`false`, "eq", `null`, no},
		{`null`, "eq", `null`, yes},
		{`null`, "eq", `""`, no},
		{``, "eq", `null`, yes},
		{``, "eq", `"a"`, no},
		{`[1,2]`, "eq", `[1.0,2]`, yes},
		{`[1,2]`, "eq", `[2,1]`, no},
		{`[]`, "eq", `[]`, yes},
		{`[1]`, "eq", `1`, no},
		{`1`, "eq", `[1]`, no},
		{`{"a":1,"b":[2]}`, "eq", `{"b":[2.0],"a":1}`, yes},
		{`{"a":1}`, "eq", `{"a":1,"b":null}`, no},
		{`{"a":1}`, "eq", `1`, no},
		{`{"value":"active","label":"Active"}`, "eq", `"active"`, yes},
		{`{"value":"active","label":"Active"}`, "eq", `"Active"`, no},
		{`{"value":"active","label":"Active"}`, "eq", `{"value":"active","label":"Active"}`, yes},
		{`{"value":"active"}`, "eq", `"active"`, no},
		{`{"value":"active","label":"Active","id":1}`, "eq", `"active"`, no},
		{`{"id":3}`, "eq", `3`, no},

		{`5`, "gt", `4.9`, yes},
		{`5`, "gt", `5`, no},
		{`5`, "gte", `5.0`, yes},
		{`5`, "gte", `6`, no},
		{`-5`, "lt", `-4.5`, yes},
		{`5`, "lt", `5`, no},
		{`5`, "lte", `5`, yes},
		{`5`, "lte", `4`, no},
		{`9007199254740993`, "gt", `9007199254740992`, yes},
		{`{"value":1000,"label":"1G"}`, "gte", `1000`, yes},
		{`"2026-03-01T00:00:00.000000Z"`, "gt", `"2026-02"`, yes},
		{`"a"`, "lt", `"b"`, yes},
		{`"b"`, "lte", `"a"`, no},
		{`"10"`, "gt", `9`, broken},
		{`10`, "gt", `"9"`, broken},
		{`true`, "gt", `0`, broken},
		{`null`, "lt", `1`, broken},
		{``, "gte", `1`, broken},
		{`[2]`, "lte", `1`, broken},
		{`{"a":2}`, "gt", `1`, broken},
		{`1e999999999`, "gt", `1`, broken},

		{`"b"`, "in", `["a","b"]`, yes},
		{`"c"`, "in", `["a","b"]`, no},
		{`"c"`, "in", `[]`, no},
		{`1`, "in", `["1",1.0]`, yes},
		{`1`, "in", `[true]`, no},
		{`null`, "in", `["a",null]`, yes},
		{``, "in", `[null]`, yes},
		{``, "in", `["a"]`, no},
		{`[1]`, "in", `[1,[1]]`, yes},
		{`["a"]`, "in", `["a"]`, no},
		{`{"value":"active","label":"Active"}`, "in", `["planned","active"]`, yes},

		{`["a","b"]`, "contains", `"b"`, yes},
		{`["a","b"]`, "contains", `"c"`, no},
		{`[1,2]`, "contains", `2.0`, yes},
		{`[true]`, "contains", `1`, no},
		{`[null]`, "contains", `null`, yes},
		{`[[1]]`, "contains", `[1]`, yes},
		{`[{"value":"a","label":"A"}]`, "contains", `"a"`, yes},
		{`[]`, "contains", `"a"`, no},
		{`"prod-1"`, "contains", `"prod"`, yes},
		{`"prod-1"`, "contains", `"Prod"`, no},
		{`"a"`, "contains", `""`, yes},
		{`null`, "contains", `"a"`, no},
		{``, "contains", `"a"`, no},
		{`"a1"`, "contains", `1`, broken},
		{`12`, "contains", `1`, broken},
		{`true`, "contains", `true`, broken},
		{`{"a":1}`, "contains", `"a"`, broken},

		{`"lis-1"`, "regex", `"lis-\\d"`, yes},
		{`"lis-1"`, "regex", `"is"`, no}, // bound to the beginning
		{`"lis-1"`, "regex", `".*-1$"`, yes},
		{`"lis-1"`, "regex", `"x|lis"`, yes},
		{`"lis-1"`, "regex", `"x|is"`, no},
		{`"a\nb"`, "regex", `"(?m)^b"`, no},
		{`"LIS"`, "regex", `"(?i)lis"`, yes},
		{`{"value":"active","label":"Active"}`, "regex", `"act"`, yes},
		{`5`, "regex", `"5"`, broken},
		{`null`, "regex", `""`, broken},
		{``, "regex", `""`, broken},
		{`["a"]`, "regex", `"a"`, broken},
		{`true`, "regex", `"true"`, broken},
	} {
		data := `{"x":` + c.actual + `}`
		if c.actual == "" {
			data = `{}`
		}
		for _, negate := range []bool{false, true} {
			text := fmt.Sprintf(`{"attr":"x","op":%q,"value":%s,"negate":%v}`, c.op, c.value, negate)
			v := parse(t, text).Match(&webhook.Event{Data: []byte(data)})
			want := webhook.Verdict{Fires: (c.want == yes) != negate && c.want != broken, Broken: c.want == broken}
			if v.Fires != want.Fires || v.Broken != want.Broken || (v.Reason == "") != v.Fires {
				t.Errorf("%s on %s says %+v, but it %s", text, data, v, c.want)
			}
		}
	}
}

// TestMatch: how paths are followed and what a reason says.
func TestMatch(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{`{"attr":"status","value":"active"}`, ""},
		{`{"attr":"status.value","value":"active"}`, ""},
		{`{"attr":"status.label","value":"Active"}`, ""},
		{`{"attr":"status","value":"planned"}`, `status is "active", not "planned"`},
		{`{"attr":"status","value":"active","negate":true}`, `status is "active", and must not be "active"`},
		{`{"attr":"stauts","value":"active"}`, `stauts is missing, not "active"`},
		{`{"attr":"region.slug","value":"pt"}`, ""},
		{`{"attr":"region.id","value":3}`, ""},
		{`{"attr":"tenant","value":null}`, ""},
		{`{"attr":"tenant.slug","value":null}`, ""},
		{`{"attr":"tenant.slug","value":"x"}`, `tenant.slug is missing, not "x"`},
		{`{"attr":"tags.slug","op":"contains","value":"prod"}`, ""},
		{`{"attr":"tags.slug","op":"contains","value":"lab"}`, `tags.slug is ["prod", "eu"], which does not contain "lab"`},
		{`{"attr":"tags.slug","op":"contains","value":"eu","negate":true}`, `tags.slug is ["prod", "eu"], and must not contain "eu"`},
		{`{"attr":"no_tags.slug","value":[]}`, ""},
		{`{"attr":"no_tags.slug","op":"contains","value":"a","negate":true}`, ""},
		{`{"attr":"tags.colour","op":"contains","value":"a"}`, `tags.colour is missing, which does not contain "a"`},
		{`{"attr":"racks.units.n","value":[1,2,3]}`, ""},
		{`{"attr":"modes","op":"contains","value":"b"}`, ""},
		{`{"attr":"modes","value":["a","b"]}`, ""},
		{`{"attr":"custom_fields.owner","value":"net"}`, ""},
		{`{"attr":"custom_fields.big","op":"gt","value":9007199254740992}`, ""},
		{`{"attr":"asn_count","op":"gt","value":20}`, `asn_count is 12, not greater than 20`},
		{`{"attr":"asn_count","op":"gte","value":20}`, `asn_count is 12, not at least 20`},
		{`{"attr":"asn_count","op":"lt","value":2}`, `asn_count is 12, not less than 2`},
		{`{"attr":"asn_count","op":"lte","value":2}`, `asn_count is 12, not at most 2`},
		{`{"attr":"slug","op":"in","value":["a","b"]}`, `slug is "lis", not one of ["a", "b"]`},
		{`{"attr":"slug","op":"regex","value":"is"}`, `slug is "lis", which does not match "is"`},
		{`{"attr":"slug","op":"regex","value":"li","negate":true}`, `slug is "lis", and must not match "li"`},
		{`{"attr":"snapshots.prechange.status","value":"planned"}`, ""},
		{`{"attr":"snapshots.postchange.tags","op":"contains","value":"EU"}`, ""},
		{`{"attr":"snapshots.prechange","value":null,"negate":true}`, ""},

		{`{"attr":"status","op":"changed"}`, ""},
		{`{"attr":"tags","op":"changed"}`, ""},
		{`{"attr":"region","op":"changed"}`, `region did not change, it is 3`},
		{`{"attr":"region","op":"changed","negate":true}`, ""},
		{`{"attr":"status","op":"changed","negate":true}`, `status changed from "planned" to "active", and must not change`},
		{`{"attr":"custom_fields.owner","op":"changed"}`, `custom_fields.owner did not change, it is "net"`},
		{`{"attr":"custom_fields.unset","op":"changed"}`, `custom_fields.unset did not change, it is null`},

		{`{"and":[{"attr":"slug","value":"a"},{"attr":"name","value":"Lisbon"},{"attr":"asn_count","value":1}]}`,
			`slug is "lis", not "a"; asn_count is 12, not 1`},
		{`{"or":[{"attr":"slug","value":"a"},{"attr":"name","value":"Lisbon"}]}`, ""},
		{`{"or":[{"attr":"slug","value":"a"},{"and":[{"attr":"name","value":"Lisbon"},{"attr":"name","value":"b"}]}]}`,
			`slug is "lis", not "a"; name is "Lisbon", not "b"`},
		{`{"and":[{"or":[{"attr":"slug","value":"a"},{"attr":"slug","value":"lis"}]},{"attr":"slug","value":"b"}]}`, `slug is "lis", not "b"`},
		{`{"and":[` + strings.Repeat(`{"attr":"slug","value":1},`, 6) + `{"attr":"slug","value":1}]}`,
			strings.Repeat(`slug is "lis", not 1; `, 5) + "and 2 more"},
		{`{"attr":"slug","value":"` + strings.Repeat("é", 50) + `"}`, `slug is "lis", not "` + strings.Repeat("é", 29) + "…"},
	} {
		v := parse(t, c.text).Match(site())
		if v.Broken || v.Fires != (c.reason == "") || v.Reason != c.reason {
			t.Errorf("%s says %+v, want %q", c.text, v, c.reason)
		}
	}
}

// TestBroken: a part that can't be evaluated is reported and never makes a webhook fire.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		text, reason string
		fires        bool
	}{
		{`{"attr":"name","op":"gt","value":5}`, `name is "Lisbon", and gt can't compare it with 5`, false},
		{`{"attr":"units","op":"lt","value":5}`, `units is missing, and lt can't compare it with 5`, false},
		{`{"attr":"asn_count","op":"regex","value":"1"}`, `asn_count is 12, and regex needs a text`, false},
		{`{"attr":"asn_count","op":"contains","value":1}`, `asn_count is 12, and contains can't look for 1 in it`, false},
		{`{"attr":"slug.x","value":null}`, `slug.x can't be followed beyond "lis"`, false},
		{`{"attr":"snapshots.prechange.status.value","value":"x","negate":true}`,
			`snapshots.prechange.status.value can't be followed beyond "planned" (snapshots hold references by id, choices by value and ` +
				`tags by name)`, false},
		{`{"attr":"snapshots.prechange.tags.slug","op":"contains","value":"x"}`,
			`snapshots.prechange.tags.slug can't be followed beyond "Prod" (snapshots hold references by id, choices by value and ` +
				`tags by name)`, false},
		{`{"attr":"region.slug","op":"changed"}`,
			`region.slug can't be followed beyond 3 (snapshots hold references by id, choices by value and tags by name)`, false},
		{`{"attr":"asn_count","op":"changed"}`, `the snapshots hold no asn_count, so changed can't compare it`, false},
		{`{"attr":"asn_count","op":"changed","negate":true}`, `the snapshots hold no asn_count, so changed can't compare it`, false},
		{`{"or":[{"attr":"name","op":"gt","value":5},{"attr":"slug","value":"lis"}]}`, `name is "Lisbon", and gt can't compare it with 5`, true},
		{`{"or":[{"attr":"slug","value":"lis"},{"attr":"name","op":"gt","value":5,"negate":true}]}`,
			`name is "Lisbon", and gt can't compare it with 5`, true},
		{`{"and":[{"attr":"slug","value":"x"},{"attr":"name","op":"gt","value":5}]}`,
			`name is "Lisbon", and gt can't compare it with 5; slug is "lis", not "x"`, false},
		{`{"and":[{"attr":"slug","value":"lis"},{"attr":"name","op":"gt","value":5,"negate":true}]}`,
			`name is "Lisbon", and gt can't compare it with 5`, false},
		{`{"and":[` + strings.Repeat(`{"attr":"asn_count","op":"regex","value":"1"},`, 6) + `{"attr":"slug","value":1}]}`,
			strings.Repeat(`asn_count is 12, and regex needs a text; `, 5) + `slug is "lis", not 1; and 1 more`, false},
	} {
		if v := parse(t, c.text).Match(site()); !v.Broken || v.Fires != c.fires || v.Reason != c.reason {
			t.Errorf("%s says %+v, want %q", c.text, v, c.reason)
		}
	}
	for _, text := range []string{`{"attr":"a","value":null}`, `{"attr":"a","value":1,"negate":true}`,
		`{"attr":"a","op":"changed","negate":true}`} {
		e := &webhook.Event{Data: []byte(`{"a":`), Prechange: []byte(`[`), Postchange: []byte(`{"a":1}`)}
		if v := parse(t, text).Match(e); v.Fires || !v.Broken || !strings.Contains(v.Reason, "can't be read") {
			t.Errorf("%s on what is no JSON says %+v", text, v)
		}
	}
}

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		name, pre, post string
		want            bool
	}{
		{"created with a value", ``, `{"x":{"y":"a"}}`, true},
		{"created with a blank text", ``, `{"x":{"y":""}}`, true},
		{"created with null", ``, `{"x":{"y":null}}`, false},
		{"created without", ``, `{"x":{}}`, false},
		{"deleted with a value", `{"x":{"y":"a"}}`, ``, true},
		{"deleted with null", `{"x":{"y":null}}`, `null`, false},
		{"another value", `{"x":{"y":"a"}}`, `{"x":{"y":"b"}}`, true},
		{"another kind", `{"x":{"y":"1"}}`, `{"x":{"y":1}}`, true},
		{"another writing of a number", `{"x":{"y":1}}`, `{"x":{"y":1.0}}`, false},
		{"set", `{"x":{"y":null}}`, `{"x":{"y":1}}`, true},
		{"cleared", `{"x":{"y":1}}`, `{"x":{"y":null}}`, true},
		{"absent, then null", `{"x":{}}`, `{"x":{"y":null}}`, false},
		{"another order", `{"x":{"y":[1,2]}}`, `{"x":{"y":[2,1]}}`, true},
		{"another shape", `{"x":5}`, `{"x":{"y":5}}`, true},
		{"another shape again", `{"x":{"y":5}}`, `{"x":5}`, true},
	} {
		e := &webhook.Event{Prechange: []byte(c.pre), Postchange: []byte(c.post)}
		if v := parse(t, `{"attr":"x.y","op":"changed"}`).Match(e); v.Fires != c.want || v.Broken {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestDecodedOnce: a second match does not decode the text again.
func TestDecodedOnce(t *testing.T) {
	e := site()
	both := parse(t, `{"and":[{"attr":"slug","value":"lis"},{"attr":"status","op":"changed"}]}`)
	if v := both.Match(e); !v.Fires {
		t.Fatal(v)
	}
	e.Data, e.Prechange, e.Postchange = []byte("?"), []byte("?"), []byte("?")
	if v := both.Match(e); !v.Fires {
		t.Error(v)
	}
	e = site()
	e.Prechange, e.Postchange = []byte("?"), []byte("?")
	if v := parse(t, `{"attr":"slug","value":"lis"}`).Match(e); !v.Fires {
		t.Errorf("snapshots are read without need: %+v", v)
	}
}

// tree is a condition that can be turned into its opposite.
type tree struct {
	leaf   string // without negate
	negate bool
	or     bool
	of     []tree
}

func (n tree) text(opposite bool) string {
	if n.of == nil {
		return fmt.Sprintf(`{%s,"negate":%v}`, n.leaf, n.negate != opposite)
	}
	parts := make([]string, len(n.of))
	for i, m := range n.of {
		parts[i] = m.text(opposite)
	}
	name := "and"
	if n.or != opposite {
		name = "or"
	}
	return fmt.Sprintf(`{%q:[%s]}`, name, strings.Join(parts, ","))
}

func drawTree(leaves []string, depth int) *rapid.Generator[tree] {
	return rapid.Custom(func(t *rapid.T) tree {
		n := tree{negate: rapid.Bool().Draw(t, "negate"), or: rapid.Bool().Draw(t, "or")}
		if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			n.leaf = rapid.SampledFrom(leaves).Draw(t, "leaf")
			return n
		}
		n.of = rapid.SliceOfN(drawTree(leaves, depth-1), 1, 3).Draw(t, "of")
		return n
	})
}

// TestOpposites: De Morgan's laws apply, and with a broken part a condition and its opposite may both be silent but
// never both fire.
func TestOpposites(t *testing.T) {
	sound := []string{`"attr":"slug","value":"lis"`, `"attr":"slug","value":"x"`, `"attr":"asn_count","op":"gt","value":5`,
		`"attr":"tags.slug","op":"contains","value":"lab"`, `"attr":"status","op":"changed"`, `"attr":"region","op":"changed"`,
		`"attr":"nothing","value":null`}
	broken := append([]string{`"attr":"slug","op":"gt","value":5`, `"attr":"slug.x","value":5`}, sound...)
	rapid.Check(t, func(t *rapid.T) {
		leaves := sound
		if rapid.Bool().Draw(t, "broken") {
			leaves = broken
		}
		n := drawTree(leaves, 3).Draw(t, "tree")
		e := site()
		one, other := parse(t, n.text(false)).Match(e), parse(t, n.text(true)).Match(e)
		switch {
		case one.Broken != other.Broken:
			t.Fatalf("only one is broken: %+v, %+v", one, other)
		case one.Fires && other.Fires, !one.Broken && one.Fires == other.Fires:
			t.Fatalf("%s says %+v, the opposite %+v", n.text(false), one, other)
		}
	})
}
