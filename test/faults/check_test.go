package main

import (
	"encoding/json"
	"io"
	"net/netip"
	"testing"
	"time"
)

func ptr(s string) *string { return &s }

// testWorld returns a world for checks of facts that a test made up.
func testWorld() *world { return &world{timeline: newTimeline(), report: newReport(io.Discard)} }

func (w *world) wantViolation(t *testing.T, kind string, want bool) {
	t.Helper()
	if got := w.counts[kind] > 0; got != want {
		t.Errorf("violation of %q: %v, want %v (%v)", kind, got, want, w.counts)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	c := &change{Data: `{"status": {"value": "active", "label": "Active"}, "facility": "F1", "latitude": 45.5}`,
		Pre: ptr(`{"status": "planned"}`), Post: ptr(`{"status": "active"}`)}
	for text, want := range map[string][2]bool{ // fires, broken
		`null`:                                  {true, false},
		`{"attr": "status", "value": "active"}`: {true, false},
		`{"attr": "status", "value": "active", "negate": true}`:                                            {false, false},
		`{"attr": "status", "op": "in", "value": ["planned"]}`:                                             {false, false},
		`{"attr": "status", "op": "changed"}`:                                                              {true, false},
		`{"attr": "latitude", "op": "gt", "value": 30}`:                                                    {true, false},
		`{"attr": "facility", "op": "gt", "value": 5}`:                                                     {false, true},
		`{"attr": "facility", "op": "gt", "value": 5, "negate": true}`:                                     {false, true},
		`{"or": [{"attr": "facility", "op": "gt", "value": 5}, {"attr": "status", "value": "active"}]}`:    {true, true},
		`{"and": [{"attr": "latitude", "op": "gt", "value": 30}, {"attr": "status", "value": "retired"}]}`: {false, false},
	} {
		var condition any
		if err := json.Unmarshal([]byte(text), &condition); err != nil {
			t.Fatal(err)
		}
		if fires, broken := judge(condition, c); fires != want[0] || broken != want[1] {
			t.Errorf("%s: %v, %v, want %v", text, fires, broken, want)
		}
	}
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	row := func(action string, id, version int64, name string) *change {
		return &change{Action: action, Kind: "dcim.site", Object: id, Version: version, Post: ptr(`{"name": "` + name + `"}`)}
	}
	two := []want{{action: "create", kind: "dcim.site", name: "a", version: 1}, {action: "create", kind: "dcim.site", name: "b", version: 1}}
	for name, tc := range map[string]struct {
		op   op
		rows []*change
		same bool
	}{
		"all of it":  {op{want: two}, []*change{row("create", 1, 1, "a"), row("create", 2, 1, "b")}, true},
		"half of it": {op{want: two}, []*change{row("create", 1, 1, "a")}, false},
		"more":       {op{want: two[:1]}, []*change{row("create", 1, 1, "a"), row("create", 2, 1, "b")}, false},
		"another version": {op{want: []want{{action: "update", kind: "dcim.site", id: 1, version: 2}}},
			[]*change{row("update", 1, 3, "a")}, false},
		"any version":      {op{want: []want{{action: "update", kind: "dcim.site", id: 1}}}, []*change{row("update", 1, 3, "a")}, true},
		"what was refused": {op{outcome: refused}, []*change{row("create", 1, 1, "a")}, false},
	} {
		if problem := differ(&tc.op, tc.rows); (problem == "") != tc.same {
			t.Errorf("%s: %q", name, problem)
		}
	}
}

func TestCheckRequests(t *testing.T) {
	t.Parallel()
	created := want{action: "create", kind: "dcim.site", name: "a", version: 1}
	row := &change{Request: "r1", Action: "create", Kind: "dcim.site", Object: 1, Version: 1,
		Post: ptr(`{"name": "a", "description": "c1-1"}`)}
	for name, tc := range map[string]struct {
		ops  []*op
		rows []*change
		bad  bool
	}{
		"acknowledged and there": {[]*op{{mark: "c1-1", outcome: acknowledged, request: "r1", want: []want{created}}}, []*change{row}, false},
		"acknowledged and lost":  {[]*op{{mark: "c1-1", outcome: acknowledged, request: "r1", want: []want{created}}}, nil, true},
		"refused and there":      {[]*op{{mark: "c1-1", outcome: refused, request: "r1"}}, []*change{row}, true},
		"no answer, happened":    {[]*op{{mark: "c1-1", want: []want{created}}}, []*change{row}, false},
		"no answer, happened, the mark is the name": {
			[]*op{{mark: "c1-1", want: []want{{action: "create", kind: "dcim.device", name: "c1-1", version: 1}}}},
			[]*change{{Request: "r1", Action: "create", Kind: "dcim.device", Object: 1, Version: 1,
				Post: ptr(`{"name": "c1-1", "description": ""}`)}}, false},
		"no answer, did not": {[]*op{{mark: "c1-1", want: []want{created}}}, nil, false},
		"no answer, half of it": {[]*op{{mark: "c1-1", want: []want{created, {action: "create", kind: "dcim.site", name: "b"}}}},
			[]*change{row}, true},
		"asked for by nobody": {nil, []*change{row}, true},
		"happened twice": {[]*op{{mark: "c1-1", outcome: acknowledged, request: "r0", want: []want{created}}},
			[]*change{row, {Request: "r0", Action: "create", Kind: "dcim.site", Object: 2, Version: 1, Post: row.Post}}, true},
	} {
		w := testWorld()
		w.checkRequests(&facts{changes: tc.rows}, tc.ops)
		if (w.total() > 0) != tc.bad {
			t.Errorf("%s: %d violations", name, w.total())
		}
	}
}

func TestCheckChains(t *testing.T) {
	t.Parallel()
	chain := func(versions ...int64) (rows []*change) {
		var before *string
		for i, v := range versions {
			post := ptr(`{"n": ` + itoa(i) + `}`)
			action := "update"
			if i == 0 {
				action = "create"
			}
			rows = append(rows, &change{Kind: "dcim.site", Object: 1, Version: v, Action: action, Pre: before, Post: post,
				At: time.UnixMicro(int64(i))})
			before = post
		}
		return rows
	}
	torn := chain(1, 2, 3)
	torn[2].Pre = ptr(`{}`)
	backwards := chain(1, 2, 3)
	backwards[2].At = backwards[1].At
	for name, tc := range map[string]struct {
		rows []*change
		bad  bool
	}{"whole": {chain(1, 2, 3), false}, "gap": {chain(1, 3), true}, "twice": {chain(1, 2, 2), true}, "torn": {torn, true},
		"backwards": {backwards, true},
		"headless":  {chain(2), true}} {
		w := testWorld()
		w.checkChains(&facts{changes: tc.rows})
		w.wantViolation(t, gapless, tc.bad)
		if t.Failed() {
			t.Log(name)
		}
	}
}

// TestSeen: a version counts from the moment when it may be visible until the next one must be.
func TestSeen(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	one, two := &hookVersion{from: at(10), until: at(11)}, &hookVersion{from: at(20), until: at(22)}
	h := &hookHistory{versions: []*hookVersion{one, two}}
	for _, tc := range []struct {
		from, to int
		want     []*hookVersion
	}{
		{5, 9, []*hookVersion{nil}}, {9, 10, []*hookVersion{one, nil}}, {12, 19, []*hookVersion{one}}, {19, 20, []*hookVersion{two, one}},
		{21, 21, []*hookVersion{two, one}}, {23, 30, []*hookVersion{two}}, {15, 30, []*hookVersion{two, one}},
	} {
		got := h.seen(at(tc.from), at(tc.to))
		if len(got) != len(tc.want) {
			t.Errorf("between %d and %d: %d versions, want %d", tc.from, tc.to, len(got), len(tc.want))
			continue
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("between %d and %d: another version at %d", tc.from, tc.to, i)
			}
		}
	}
}

// TestDuplicates: a request that belongs to no attempt is a duplicate. So are two attempts of one round.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	start := time.Now()
	attemptAt := func(s int) *attempt {
		return &attempt{Delivery: 1, Started: start.Add(time.Duration(s) * time.Second), Milliseconds: 5}
	}
	receiptAt := func(s int) *receipt {
		return &receipt{delivery: 1, at: start.Add(time.Duration(s)*time.Second + time.Millisecond), status: 200}
	}
	broken := receiptAt(0)
	broken.reset = true
	for name, tc := range map[string]struct {
		rounds   int64
		attempts []*attempt
		receipts []*receipt
		want     int
		bad      bool
	}{
		"once":              {1, []*attempt{attemptAt(0)}, []*receipt{receiptAt(0)}, 0, false},
		"retried":           {2, []*attempt{attemptAt(0), attemptAt(9)}, []*receipt{receiptAt(0), receiptAt(9)}, 0, false},
		"killed":            {1, []*attempt{attemptAt(50)}, []*receipt{receiptAt(0), receiptAt(50)}, 1, false},
		"without a kill":    {1, []*attempt{attemptAt(50)}, []*receipt{receiptAt(30), receiptAt(50)}, 1, true},
		"claimed twice":     {1, []*attempt{attemptAt(0), attemptAt(0)}, []*receipt{receiptAt(0), receiptAt(0)}, 1, true},
		"broken connection": {1, []*attempt{attemptAt(0)}, []*receipt{broken, receiptAt(0)}, 0, false},
	} {
		f := &facts{attempts: map[int64][]*attempt{1: tc.attempts}, hooks: map[int64]*hookHistory{0: {}},
			deliveries: map[int64]*delivery{1: {Round: tc.rounds}}}
		w := testWorld()
		unrecorded, _ := f.match(tc.receipts)
		if got := w.checkDuplicates(f, unrecorded, []*inFlight{{at: start.Add(time.Second), deliveries: []int64{1}}}); got != tc.want {
			t.Errorf("%s: %d duplicates, want %d", name, got, tc.want)
		}
		w.wantViolation(t, once, tc.bad)
	}
}

// TestMatch checks that a request belongs to the attempt that had started when it arrived, even if the previous one, whose connection was
// broken, ended a moment ago.
func TestMatch(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }
	first, second := &attempt{Started: at(0), Milliseconds: 5}, &attempt{Started: at(100), Milliseconds: 5}
	f := &facts{attempts: map[int64][]*attempt{1: {first, second}}}
	broken, repeatedAtOnce, good := &receipt{delivery: 1, at: at(1), reset: true}, &receipt{delivery: 1, at: at(3), reset: true},
		&receipt{delivery: 1, at: at(101)}
	unrecorded, repeated := f.match([]*receipt{broken, repeatedAtOnce, good})
	if first.receipt != repeatedAtOnce || second.receipt != good || len(unrecorded) != 0 || repeated != 1 {
		t.Errorf("the attempts got %v and %v, %d are left over, %d repeated", first.receipt, second.receipt, len(unrecorded), repeated)
	}
}

// TestCompareAddresses: an address that was given is there, and has one record.
func TestCompareAddresses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stored []string
		bad    bool
	}{"given": {[]string{"10.0.0.1"}, false}, "and one without an answer": {[]string{"10.0.0.1", "10.0.0.2"}, false},
		"lost": {[]string{"10.0.0.2"}, true}, "twice": {[]string{"10.0.0.1", "10.0.0.1"}, true},
		"twice without an answer": {[]string{"10.0.0.1", "10.0.0.2", "10.0.0.2"}, true}} {
		g := &given{to: map[netip.Addr]string{}}
		g.note(netip.MustParseAddr("10.0.0.1"), "c1-1")
		w := testWorld()
		w.compareAddresses(tc.stored, g)
		w.wantViolation(t, givenOnce, tc.bad)
		if t.Failed() {
			t.Log(name)
		}
	}
}
