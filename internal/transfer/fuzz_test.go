package transfer_test

import (
	"errors"
	"testing"
	"time"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// fuzzTime is generous: the fuzzer instruments the code and keeps all cores busy.
const fuzzTime = 5 * time.Second

// FuzzParse: every text is read or refused, in time, in words for people, and the fields' own parsers can handle what
// was read.
func FuzzParse(f *testing.F) {
	reg := registry(f)
	defs := customs(f, reg)
	widget := reg.Type("trial.widget")
	for n, text := range []string{
		"id,name,region,tags,words,rules,cf_multiselect,secret\n3,'=x,europe#3,\"a,b\",\"\"\"x\"\"\",{},'one,s\n",
		`[{"id": 3, "name": "x", "region": {"id": 3, "slug": "europe"}, "size": {"value": "small"}, "custom_fields": {"text": null}}]`,
		"- id: 3\n  name: x\n  region: {id: 3, slug: europe}\n  tags: [a, b]\n  motto: |-\n    a\n    b\n",
		"- &a [*a]\n", "? [a]\n: {b: !!x c}\n", "name;region.slug\r\n'null;\"a\"\"b\"\r\n",
	} {
		for i := range transfer.Formats {
			f.Add(uint8(i+n), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		start := time.Now()
		rows, err := transfer.Parse(widget, defs, transfer.Formats[int(which)%len(transfer.Formats)], text, nil)
		if took := time.Since(start); took > fuzzTime {
			t.Fatalf("Parse took %v", took)
		}
		if err != nil {
			problem, ok := errors.AsType[*fault.Error](err)
			if !ok || problem.Error() == "" || problem.Items != nil && len(problem.Items) != len(rows) {
				t.Fatalf("%d rows and %T: %v", len(rows), err, err)
			}
		}
		for _, row := range rows {
			for i, field := range widget.All() {
				if given, ok := row.Input[widget.Infos()[i].Name]; ok {
					_, _ = record.ParseValue(field, widget.Infos()[i], given)
				}
			}
		}
	})
}
