package transfer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/record"
	"terrier/internal/transfer"
)

// TestRoundTrip exports random records of every type and parses what an import reads with the fields' own parsers: a
// new record made from it equals the exported one.
func TestRoundTrip(t *testing.T) {
	reg := registry(t)
	for _, typ := range reg.Types() {
		var defs []*record.Custom
		if typ.Name == widget.Name { // one type shows custom fields
			defs = customs(t, reg)
		}
		for _, format := range transfer.Formats {
			t.Run(typ.Key()+"/"+string(format), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					w := &world{t: t, defs: defs}
					rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.Values { return w.record(t, typ) }), 0, 2).Draw(t, "rows")
					text := export(t, typ, defs, format, rows)
					parsed, err := transfer.Parse(typ, defs, format, text, nil)
					if err != nil {
						t.Fatalf("%v\n%s", err, text)
					}
					if len(parsed) != len(rows) {
						t.Fatalf("%d rows went out, %d came back:\n%s", len(rows), len(parsed), text)
					}
					for i, v := range rows {
						if parsed[i].ID != typ.FormatID(v.ID()) {
							t.Fatalf("the id %d came back as %q", v.ID(), parsed[i].ID)
						}
						w.compare(v, parsed[i].Input, text)
					}
				})
			})
		}
	}
}

func export(t rapid.TB, typ *record.Type, defs []*record.Custom, f transfer.Format, rows []record.Values) []byte {
	var b bytes.Buffer
	w := transfer.NewWriter(&b, typ, defs, f, &record.Printer{Base: "https://terrier.example"})
	err := w.Begin()
	for _, v := range rows {
		if err == nil {
			err = w.Write(v)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// world remembers every record that was referred to, so that attributes can be looked up as the ledger does.
type world struct {
	t     *rapid.T
	defs  []*record.Custom
	known map[string][]record.Link
}

var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
	"＝1+1", "＋1", "－1", "＠x", "a;=1+1", "a;'=1", "a; ''＝1", ";@x;-y", "';=", `a;"=1`,
	"=1+1", "+49 30", "-5", "-x", "@x", "\tx", "'", "''", "'tis", "'=x", "null", "'null", "true", "yes", "007", "1e5", "~", "a#3", "#3",
	"a, b", `"q"`, "a\r\nb", "a\nb\n\n c", "a \nb", "# no comment", "key: value", "- x", "2026-01-02", "\u2028", "\u0085", "\ufeff",
	"€", "*x", "&x", "<<", "#7"}))

// draw makes a value that the field accepts.
func (w *world) draw(t *rapid.T, f record.Field) any {
	info := f.Info()
	if info.Null && rapid.Bool().Draw(t, "null") {
		return nil
	}
	if ref, ok := record.ReferenceOf(f); ok && ref.Many {
		return w.links(t, ref.Target)
	} else if ok && ref.Target != nil {
		return w.link(t, ref.Target)
	}
	if f.Column().Storage == record.NoStorage {
		return readOnly(t, info)
	}
	switch x := f.(type) {
	case record.File:
		return x.Folder + "/0123456789abcdef/" + rapid.StringMatching(`[\p{L}0-9._-]{1,9}`).Draw(t, "file")
	case record.Choice:
		return rapid.SampledFrom(x.Of).Draw(t, "choice").Value
	case record.Bool:
		return rapid.Bool().Draw(t, "bool")
	case record.NumberChoice:
		return rapid.SampledFrom(x.Of).Draw(t, "choice").Value
	case record.Int:
		lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
		if x.Min != nil {
			lowest = *x.Min
		}
		if x.Max != nil {
			highest = *x.Max
		}
		return rapid.Int64Range(lowest, highest).Draw(t, "int")
	case record.Decimal:
		n := rapid.Float64Range(max(x.Min, -1e6), min(x.Max, 1e6)).Draw(t, "decimal")
		if x.Step > 0 {
			n = x.Min + math.Floor((n-x.Min)/x.Step)*x.Step
		}
		return must(x.Parse(strconv.FormatFloat(n, 'f', -1, 64)))
	case record.Measure:
		return must(x.Parse(strconv.FormatFloat(rapid.Float64Range(0, x.Max).Draw(t, "measure"), 'f', x.Places, 64)))
	case record.Time:
		return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "time")).UTC()
	case record.UUID:
		return "0190a1b2-0000-7000-8000-000000000001"
	case record.JSON:
		v := anyJSON(3).Draw(t, "json")
		if _, isObject := v.(map[string]any); x.Object && !isObject {
			v = map[string]any{"value": v}
		}
		if v != nil {
			return must(x.Parse(v))
		}
		return nil
	case record.CustomFields:
		return w.custom(t)
	case record.List:
		return items(t, x, texts)
	case record.Actions:
		return items(t, x, rapid.SampledFrom(x.Of.Words))
	case record.ObjectTypes:
		return items(t, x, rapid.SampledFrom([]string{"dcim.site", "dcim.region"}))
	case record.Slug:
		return rapid.StringMatching(`[-a-zA-Z0-9_]{1,8}`).Draw(t, "slug")
	}
	if len(info.Choices) > 0 {
		return rapid.SampledFrom(info.Choices).Draw(t, "choice").Value
	}
	number := json.Number(strconv.FormatInt(rapid.Int64Range(1, 40).Draw(t, "number"), 10))
	for _, in := range []any{texts.Draw(t, "text"), "abcdef", "x@example.com", "00:1B:44:11:3A:B7", "50:06:01:60:3C:E0:1A:2B",
		"2026-01-31", number, []any{number}} {
		if v, err := f.Parse(in); err == nil {
			return v
		}
	}
	panic("no text is good enough for " + info.Name)
}

// readOnly makes a value as the store reads it for a field without a column, which no import accepts.
func readOnly(t *rapid.T, info record.Info) any {
	switch info.Type {
	case "integer":
		return rapid.Int64Range(0, 9).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "bool")
	case "string":
		return texts.Draw(t, "text")
	}
	return nil
}

func items(t *rapid.T, f record.Field, from *rapid.Generator[string]) any {
	list := []any{}
	for _, s := range rapid.SliceOfN(from, 0, 4).Draw(t, "list") {
		if _, err := f.Parse([]any{s}); err == nil {
			list = append(list, s)
		}
	}
	for _, s := range []string{"view", "dcim.site"} {
		if _, err := f.Parse(list); err != nil { // it may not be empty
			list = []any{s}
		}
	}
	return must(f.Parse(list))
}

func must(v any, err error) any {
	if err != nil {
		panic(err)
	}
	return v
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Map(texts.Filter(storable), func(s string) any { return s }), rapid.SampledFrom([]any{
		true, nil, json.Number("1.50"), json.Number("-0"), json.Number("1e5"), json.Number("123456789012345678901234567890"), "x"}))
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) any {
		return rapid.SliceOfN(anyJSON(depth-1), 0, 3).Draw(t, "items")
	}), rapid.Custom(func(t *rapid.T) any {
		keys := rapid.OneOf(texts.Filter(storable), rapid.StringN(150, 1500, -1).Filter(storable))
		return rapid.MapOfN(keys, anyJSON(depth-1), 0, 3).Draw(t, "members")
	}))
}

func storable(s string) bool { _, err := record.EncodeJSON(s); return err == nil }

func (w *world) custom(t *rapid.T) any {
	kept := map[string]any{}
	for _, def := range w.defs {
		value := rapid.OneOf(anyJSON(1), rapid.SampledFrom([]any{"2026-01-31", "2026-01-31T10:00:00Z", json.Number("7"),
			json.Number("1.25"), "https://x/y",
			[]any{}, []any{"one", " padded "}}), rapid.Map(rapid.SampledFrom(choices), func(s string) any { return s })).Draw(t, def.Name)
		if v, err := def.Parse(value); err == nil {
			kept[def.Name] = v
		} else {
			kept[def.Name] = nil
		}
	}
	return must(record.CustomFields{}.Parse(kept))
}

// link refers to a record whose brief fields are valid, with a lookup value that others share where the type allows
// it. No id is that of a text such as #7: the ledger refuses #7 if it is both the name of one record and the id of another.
func (w *world) link(t *rapid.T, target *record.Type) record.Link {
	link := record.Link{ID: rapid.Int64Range(10, 1e6).Draw(t, "id")}
	for _, i := range target.BriefIndex() {
		f, info := target.All()[i], target.Infos()[i]
		v := w.draw(t, f)
		for info.Unique && w.taken(target, len(link.Brief), v) {
			v = fmt.Sprint(v, "-", len(w.known[target.Key()]))
		}
		link.Brief = append(link.Brief, v)
	}
	for w.taken(target, -1, link.ID) {
		link.ID++
	}
	if w.known == nil {
		w.known = map[string][]record.Link{}
	}
	w.known[target.Key()] = append(w.known[target.Key()], link)
	return link
}

// taken reports whether a known record has a value, at a position of its brief form or as its id.
func (w *world) taken(target *record.Type, at int, v any) bool {
	return slices.ContainsFunc(w.known[target.Key()], func(l record.Link) bool {
		return at < 0 && l.ID == v || at >= 0 && l.Brief[at] == v
	})
}

func (w *world) links(t *rapid.T, target *record.Type) []record.Link {
	links := []record.Link{}
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		links = append(links, w.link(t, target))
	}
	return links
}

func (w *world) record(t *rapid.T, typ *record.Type) record.Values {
	v := typ.NewValues()
	v.SetID(rapid.Int64Range(1, 1e6).Draw(t, "id"))
	for i, f := range typ.All() {
		if f.Column().Storage == record.NoStorage {
			continue
		}
		if _, secret := f.(record.Secret); secret {
			v.SetAt(i, record.Plain("hidden-secret"))
		} else {
			v.SetAt(i, w.draw(t, f))
		}
	}
	for i, f := range typ.All() {
		switch x := f.(type) {
		case record.Count:
			v.SetAt(i, int64(3))
		case record.Computed:
			v.SetAt(i, x.Of(v))
		}
	}
	return v
}

// compare makes a new record of an input.
func (w *world) compare(v record.Values, input map[string]any, text []byte) {
	if bytes.Contains(text, []byte("hidden-secret")) {
		w.t.Fatalf("a secret went out:\n%s", text)
	}
	for i, f := range v.Type().All() {
		info := v.Type().Infos()[i]
		given, ok := input[info.Name]
		if _, secret := f.(record.Secret); secret || info.ReadOnly {
			if ok {
				w.t.Fatalf("%s came back", info.Name)
			}
			continue
		}
		got := info.Default
		if ok {
			var err error
			if got, err = record.ParseValue(f, info, given); err != nil {
				w.t.Fatalf("%s: %#v: %v\n%s", info.Name, given, err, text)
			}
		}
		if _, custom := f.(record.CustomFields); custom {
			w.compareCustom(v.At(i).(json.RawMessage), got.(json.RawMessage), text)
			continue
		}
		if got = w.resolve(f, got); !record.SameValue(got, v.At(i)) {
			w.t.Fatalf("%s: %#v went out and %#v came back, given %#v\n%s", info.Name, v.At(i), got, given, text)
		}
	}
}

func (w *world) compareCustom(before, after json.RawMessage, text []byte) {
	want, got := map[string]json.RawMessage{}, map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(after))
	dec.UseNumber()
	if err := dec.Decode(&got); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(before, &want); err != nil {
		w.t.Fatal(err)
	}
	for _, def := range w.defs {
		var back json.RawMessage
		given, ok := got[def.Name]
		if ok {
			parsed, err := def.Parse(given)
			if err != nil {
				w.t.Fatalf("cf_%s: %#v: %v\n%s", def.Name, given, err, text)
			}
			back = must(record.EncodeJSON(parsed)).(json.RawMessage)
		} else if back = def.Default; back == nil {
			back = json.RawMessage("null")
		}
		if !record.SameValue(want[def.Name], back) {
			w.t.Fatalf("cf_%s: %s went out and %s came back\n%s", def.Name, want[def.Name], back, text)
		}
	}
}

// resolve returns the one record that attributes describe.
func (w *world) resolve(f record.Field, v any) any {
	switch x := v.(type) {
	case record.Link:
		return w.find(record.TargetOf(f), x)
	case []record.Link:
		out := make([]record.Link, len(x))
		for i, link := range x {
			out[i] = w.find(record.TargetOf(f), link)
		}
		return out
	}
	return v
}

func (w *world) find(target *record.Type, link record.Link) record.Link {
	if link.Match == nil {
		return link
	}
	var found []record.Link
	for _, l := range w.known[target.Key()] {
		if link.Named != nil && link.Named.Numbers(target, l) || len(link.Match) > 0 && fits(target, l, link.Match) {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("%d records of %s match %v", len(found), target.Key(), link.Match)
	}
	return found[0]
}

func fits(target *record.Type, l record.Link, match []record.Predicate) bool {
	for _, p := range match {
		got := any(l.ID)
		if p.Field != nil {
			got = l.Brief[slices.Index(target.Brief, p.Field.Info().Name)]
		}
		if !record.SameValue(got, p.Values[0]) {
			return false
		}
	}
	return true
}
