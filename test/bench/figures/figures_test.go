package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i) // 100 down to 1
	}
	for _, test := range []struct {
		values []float64
		part   float64
		want   float64
	}{{nil, 0.99, 0}, {[]float64{7}, 0.5, 7}, {[]float64{2, 1}, 0.5, 1}, {hundred, 0.5, 50}, {hundred, 0.95, 95}, {hundred, 0.99, 99},
		{hundred, 1, 100}, {hundred, 0, 1}} {
		if got := Percentile(test.values, test.part); got != test.want {
			t.Errorf("percentile %v of %d values is %v, want %v", test.part, len(test.values), got, test.want)
		}
	}
	if hundred[0] != 100 {
		t.Error("the values were put in order where they stood")
	}
	if got, want := PercentilesOf(hundred), (&Percentiles{100, 50, 95, 99, 100}); *got != *want {
		t.Errorf("percentiles are %v, want %v", got, want)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		value float64
		goal  Goal
		want  string
	}{
		{"no goal", 0.1, Goal{}, ""},
		{"just enough", 0.8, AtLeast(0.8), "reached"},
		{"less", 0.79, AtLeast(0.8), "missed"},
		{"near the gate", 0.61, AtLeast(0.8), "missed"},
		{"below the gate", 0.59, AtLeast(0.8), "MISSED CLEARLY"},
		{"limit kept", 2, AtMost(2), "reached"},
		{"limit broken", 2.1, AtMost(2), "missed"},
		{"limit broken by far", 7.1, AtMost(2), "MISSED CLEARLY"},
		{"a gate of its own", 9, Goal{Value: 2, AtMost: true, Gate: 12}, "missed"},
	} {
		row := Row{Case: "x", Value: test.value, Goal: test.goal}
		if got := row.Verdict(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		clearly := len((&Result{Rows: []Row{row}}).Missed()) == 1
		if clearly != (test.want == "MISSED CLEARLY") {
			t.Errorf("%s: among the missed: %v", test.name, clearly)
		}
	}
}

// TestVerdictOnASlowMachine: an absolute figure is clearly missed only if the other side was clearly faster.
func TestVerdictOnASlowMachine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		absolute bool
		bare     float64
		want     string
	}{
		{"the other side is fast", true, 20, "MISSED CLEARLY"},
		{"the other side is as slow", true, 90, "missed"},
		{"there is no other side", true, 0, "MISSED CLEARLY"},
		{"a ratio is judged as it is", false, 90, "MISSED CLEARLY"},
	} {
		row := Row{Case: "x", Value: 200, Goal: AtMost(50), Absolute: test.absolute, Bare: Side{Figure: test.bare}}
		if got := row.Verdict(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func sample() *Result {
	return &Result{
		Started: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC), Commit: "abc123", Machine: Machine{"A <fast> one", 2, 24, "1.26", "15.1"},
		Sizes: Sizes{Records: 1_000_000, Rounds: 5, Connections: 4, User: "superuser"},
		Rows: []Row{
			{Case: "get", What: "get one", Unit: "/s", Terrier: Side{Figure: 5664, Go: 119, PostgreSQL: 96}, Bare: Side{Figure: 7313},
				Value: 0.77, Low: 0.7, High: 0.82, Goal: AtLeast(0.7)},
			{Case: "bulk", What: "many", Unit: "s", Absolute: true, Terrier: Side{Figure: 1.5}, Bare: Side{Figure: 0.1}, Value: 1.5,
				Low: 1.2, High: 1.7, Goal: AtMost(1)},
			{Case: "latency", What: "soon", Unit: "ms", Against: "idle", Value: 2, Low: 2, High: 2,
				Terrier: Side{Figure: 20, FromDue: PercentilesOf([]float64{5, 10, 20}), FromCommit: PercentilesOf([]float64{1, 3, 9})},
				Bare:    Side{Figure: 10, FromDue: PercentilesOf([]float64{1, 2, 3})}},
			{Case: "growth", What: "more", Unit: "ms", Points: []Point{{1000, 0.5}, {1_000_000, 2}}, Value: 4, Low: 4, High: 4},
		},
		Statements: []Statements{{"get", 2, 1, 1, 1}},
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := sample().Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"abc123", "Go 1.26", "5,664/s", "0.70–0.82", "119 / 96.0", "≥ 0.7", "reached", "1.50 s", "≤ 1",
		"missed", "1,000,000", "from commit", "idle", "9.00", "in round trips"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not show %q:\n%s", want, &out)
		}
	}
}

func TestResultIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "latest.json")
	if r, err := Read(file); r != nil || err != nil {
		t.Fatalf("nothing is kept, but: %v, %v", r, err)
	}
	want := sample()
	if err := want.Write(file); err != nil {
		t.Fatal(err)
	}
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, wrote %+v", got, want)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	rate := func(value, low, high float64) Row {
		return Row{Unit: "/s", Value: value, Low: low, High: high}
	}
	limit := func(value float64) Row { return Row{Unit: "ms", Value: value, Low: value, High: value} }
	named := func(name string, r Row) Row { r.Case = name; return r }
	then := &Result{Rows: []Row{named("faster", rate(0.5, 0.4, 0.6)), named("noise", rate(0.5, 0.4, 0.6)),
		named("slower", rate(0.5, 0.4, 0.6)), named("longer", limit(10)), named("gone", limit(1))}}
	now := &Result{Rows: []Row{named("faster", rate(0.8, 0.7, 0.9)), named("noise", rate(0.55, 0.5, 0.7)),
		named("slower", rate(0.3, 0.2, 0.35)), named("longer", limit(12)), named("new", limit(3))}}
	want := []Change{
		{Case: "faster", Then: 0.5, Now: 0.8, Beyond: true, Improve: true},
		{Case: "noise", Then: 0.5, Now: 0.55, Improve: true},
		{Case: "slower", Then: 0.5, Now: 0.3, Beyond: true},
		{Case: "longer", Then: 10, Now: 12, Beyond: true},
		{Case: "new", Now: 3, New: true},
		{Case: "gone", Then: 1, Gone: true},
	}
	if got := Compare(then, now); !reflect.DeepEqual(got, want) {
		t.Errorf("changes are\n%+v, want\n%+v", got, want)
	}
	then.Machine.Cores = 64
	var out bytes.Buffer
	if err := PrintComparison(&out, then, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"another machine", "64 cores", "+60 %", "better", "within the spread", "-40 %", "WORSE", "+20 %",
		"new", "not measured this time: gone"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the comparison does not show %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "other sizes") {
		t.Error("the sizes are the same")
	}
}

// element is an element of the picture.
type element struct {
	name  string
	attrs map[string]string
}

func parse(t *testing.T, raw []byte) (all []element, text string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, text
		}
		if err != nil {
			t.Fatalf("the picture is not XML: %v\n%s", err, raw)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{x.Name.Local, map[string]string{}}
			for _, a := range x.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			text += string(x)
		}
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	raw := sample().SVG()
	elements, text := parse(t, raw)
	for _, want := range []string{"A <fast> one", "0.77", "1.50 s", "3.00 · 9.00 · 9.00 ms", "latency, idle", "0.50 · 2.00 ms",
		"prefers-color-scheme: dark"} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(raw), "%!") {
		t.Errorf("a format is wrong:\n%s", raw)
	}
	count := func(name, class string) (n int) {
		for _, e := range elements {
			if e.name == name && e.attrs["class"] == class {
				n++
			}
		}
		return n
	}
	for _, test := range []struct {
		name, class string
		want        int
	}{{"rect", "terrier", 1}, {"rect", "missed", 1}, {"line", "goal", 2}, {"circle", "terrier", 5}, {"circle", "bare", 3}} {
		if got := count(test.name, test.class); got != test.want {
			t.Errorf("the picture has %d %s of class %s, want %d", got, test.name, test.class, test.want)
		}
	}
	if elements, _ := parse(t, (&Result{}).SVG()); len(elements) == 0 {
		t.Error("a result without rows has no picture")
	}
}

func TestAxis(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		axis axis
		v    float64
		want float64
	}{
		{axis{from: 0, to: 2}, 0, plotFrom},
		{axis{from: 0, to: 2}, 1, (plotFrom + plotTo) / 2.0},
		{axis{from: 0, to: 2}, 9, plotTo},
		{axis{from: 1, to: 100, log: true}, 10, (plotFrom + plotTo) / 2.0},
		{axis{from: 1, to: 100, log: true}, 0, plotFrom},
	} {
		if got := test.axis.at(test.v); got != test.want {
			t.Errorf("%v on %+v is at %v, want %v", test.v, test.axis, got, test.want)
		}
	}
}
