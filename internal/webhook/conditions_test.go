package webhook_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/webhook"
)

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) *webhook.Conditions {
	t.Helper()
	c, err := webhook.ParseConditions([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

func TestNoConditions(t *testing.T) {
	for _, text := range []string{"", "  \n", "null", " null ", "{}", " { } "} {
		c, err := webhook.ParseConditions([]byte(text))
		if c != nil || err != nil {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		if v := c.Match(site()); v != (webhook.Verdict{Fires: true}) {
			t.Errorf("no conditions say %+v", v)
		}
	}
}

// TestRefused: an error says where it is and what to do.
func TestRefused(t *testing.T) {
	deep := strings.Repeat(`{"and":[`, 16) + `{"attr":"a","value":1}` + strings.Repeat("]}", 16)
	many := `{"or":[` + strings.Repeat(`{"attr":"a","value":1},`, 100) + `{"attr":"a","value":1}]}`
	for _, c := range []struct{ text, want string }{
		{`{`, "conditions must be JSON: unexpected EOF"},
		{`{} {}`, "conditions must be JSON: something follows the JSON"},
		{`[]`, `conditions: [] is not a condition; write an object such as {"attr": "status", "value": "active"}`},
		{`[{"attr":"a","value":1}]`, `conditions: [{"attr": "a", "value": 1}] is not a condition`},
		{`"x"`, `conditions: "x" is not a condition`},
		{`{"attr":"a"}`, `value: is required; write null to ask for nothing`},
		{`{"value":1}`, `attr: is required`},
		{`{"attr":"","value":1}`, `attr: must be the name of an attribute, such as "status" or "site.slug", not ""`},
		{`{"attr":"a..b","value":1}`, `attr: must be the name`},
		{`{"attr":"` + strings.Repeat("a", 201) + `","value":1}`, `attr: must be the name`},
		{`{"attr":7,"value":1}`, `attr: must be the name of an attribute, such as "status" or "site.slug", not 7`},
		{`{"attr":"snapshots","value":1}`, `attr: snapshots are read as snapshots.prechange.…`},
		{`{"attr":"snapshots.before.x","value":1}`, `attr: snapshots are read as`},
		{`{"attr":"a","value":1,"op":"equals"}`,
			`op: "equals" is not an operator; use one of eq, gt, gte, lt, lte, in, contains, regex, changed`},
		{`{"attr":"a","value":1,"op":null}`, `op: null is not an operator`},
		{`{"attr":"a","value":1,"op":""}`, `op: "" is not an operator`},
		{`{"attr":"a","value":1,"negate":"yes"}`, `negate: must be true or false, not "yes"`},
		{`{"attr":"a","value":1,"operator":"eq"}`, `operator: is not known; a condition has attr, value, op and negate`},
		{`{"and":[{"attr":"a","value":1},{"attr":"a","value":1,"op":"equals"}]}`, `and[1].op: "equals" is not an operator`},
		{`{"or":[{"and":[{"attr":"a","value":1},7]}]}`, `or[0].and[1]: 7 is not a condition`},
		{`{"or":[{"and":[{}]}]}`, `or[0].and[0]: an empty object is not a condition; write {"attr": …, "value": …}`},
		{`{"and":[]}`, `and: must be a list of one or more conditions`},
		{`{"and":{"attr":"a","value":1}}`, `and: must be a list of one or more conditions`},
		{`{"and":[{"attr":"a","value":1}],"or":[{"attr":"a","value":1}]}`, `conditions: "and" must be the only key of its object`},
		{`{"or":[{"attr":"a","value":1}],"negate":true}`, `conditions: "or" must be the only key of its object`},
		{`{"attr":"a","value":[1],"op":"gt"}`, `value: gt needs a number or a text, not [1]`},
		{`{"attr":"a","value":true,"op":"lte"}`, `value: lte needs a number or a text, not true`},
		{`{"attr":"a","value":null,"op":"lt"}`, `value: lt needs a number or a text, not null`},
		{`{"attr":"a","value":"x","op":"in"}`, `value: in needs a list, not "x"`},
		{`{"attr":"a","value":5,"op":"regex"}`, `value: regex needs a text, not 5`},
		{`{"attr":"a","value":"(","op":"regex"}`, "value: \"(\" is not a regular expression: missing closing ): `(`"},
		{`{"attr":"a","value":")|(","op":"regex"}`, `value: ")|(" is not a regular expression`},
		{`{"attr":"a","value":"(?=x)","op":"regex"}`, `value: "(?=x)" is not a regular expression`},
		{`{"attr":"a","value":"` + strings.Repeat("x", 501) + `","op":"regex"}`,
			`value: a regular expression may have 500 bytes at most, not 501`},
		{`{"attr":"a","value":"(?:abcabcabc){1000}","op":"regex"}`,
			"value: regular expressions may have 2000 states at most, which are used up here; repeat less"},
		{`{"or":[{"attr":"a","value":"a{999}","op":"regex"},{"attr":"a","value":"a{1000}b?","op":"regex"}]}`,
			"or[1].value: regular expressions may have 2000 states at most"},
		{`{"attr":"a","value":1e999999999}`, `value: The number 1e999999999 is out of range.`},
		{`{"attr":"a","value":1,"op":"changed"}`, `value: changed takes no value; leave it out`},
		{`{"attr":"a","value":null,"op":"changed"}`, `value: changed takes no value; leave it out`},
		{`{"attr":"snapshots.prechange.a","op":"changed"}`, `attr: changed compares both snapshots; write "a"`},
		{deep, "conditions may be nested 16 deep at most"},
		{many, "or[100]: there may be 100 conditions at most"},
		{`{"attr":"a","value":"` + strings.Repeat("x", 64<<10) + `"}`, "conditions may have 65536 bytes at most"},
	} {
		_, err := webhook.ParseConditions([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\nsays %v\nwant %s", c.text, err, c.want)
		}
	}
	parse(t, strings.Repeat(`{"and":[`, 15)+`{"attr":"a","value":1}`+strings.Repeat("]}", 15)) // the greatest depth allowed
}

// TestSavedConditions: conditions that can't be read are never true and say why; others are read as before.
func TestSavedConditions(t *testing.T) {
	e := site()
	if v := webhook.SavedConditions([]byte(`{"attr": "slug", "op": "soundslike", "value": "lis"}`)).Match(e); v.Fires || !v.Broken ||
		!strings.Contains(v.Reason, "soundslike") {
		t.Errorf("an operator of another version: %+v", v)
	}
	for text, fires := range map[string]bool{``: true, `{}`: true, `{"attr": "slug", "value": "lis"}`: true,
		`{"attr": "slug", "value": "x"}`: false} {
		if v := webhook.SavedConditions([]byte(text)).Match(e); v.Fires != fires || v.Broken {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

// TestLongText: a simple expression reads long texts, up to a limit.
func TestLongText(t *testing.T) {
	c := parse(t, `{"attr":"name","op":"regex","value":"a+!$","negate":true}`)
	for length, want := range map[int]webhook.Verdict{
		8_000:     {Reason: `name is "` + strings.Repeat("a", 59) + `…, and must not match "a+!$"`},
		1_000_000: {Broken: true, Reason: `name is "` + strings.Repeat("a", 59) + `…, which is too long for this regex`},
	} {
		if v := c.Match(&webhook.Event{Data: []byte(`{"name":"` + strings.Repeat("a", length) + `!"}`)}); v != want {
			t.Errorf("%d letters: %+v", length, v)
		}
	}
}

// TestParseSurvives: any text is understood or refused.
func TestParseSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`{}[]",:.\ andorttvluegixcqhp019eE+-*()|?`))).Draw(t, "text")
		if c, err := webhook.ParseConditions([]byte(text)); err == nil {
			c.Match(site())
		}
	})
}

func FuzzConditions(f *testing.F) {
	for _, text := range []string{`{"attr":"status","value":"active"}`,
		`{"or":[{"attr":"tags.slug","op":"contains","value":"x"},{"and":[{"attr":"region","op":"changed"}]}]}`,
		`{"attr":"snapshots.prechange.name","op":"regex","value":"L(is|ag)","negate":true}`, `{"attr":"asn_count","op":"gte","value":1e2}`} {
		f.Add(text, `{"status":{"value":"active","label":"x"},"asn_count":1}`)
	}
	f.Fuzz(func(t *testing.T, text, data string) {
		c, err := webhook.ParseConditions([]byte(text))
		if err != nil {
			if c != nil || !strings.Contains(err.Error(), ":") && !strings.Contains(err.Error(), "bytes") {
				t.Fatalf("%v, %v", c, err)
			}
			return
		}
		e := site()
		e.Data = []byte(data)
		v := c.Match(e)
		if (v.Fires && !v.Broken) != (v.Reason == "") {
			t.Fatalf("%s says %+v", text, v)
		}
	})
}
