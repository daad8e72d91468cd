package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// TestMain lets the test program run as one of its own child processes, as main does.
func TestMain(m *testing.M) {
	if isChild() {
		if err := child(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestRun runs every case on a small register; in CI only the most important ones and the count of statements. It does not judge speed. It
// checks that both sides still answer and write the same, which every comparison depends on, and that nothing is lost or sent twice.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, user := range []string{superuser, member} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			json, kept := filepath.Join(dir, "bench.json"), filepath.Join(dir, "results", "kept.json")
			args := []string{"--quick", "--records", "1500", "--rounds", "1", "--round", "20ms", "--jobs", "200", "--queued", "200",
				"--deliveries", "1500", "--types", "3", "--devices", "200", "--mixed", "1s", "--user", user,
				"--json", json, "--svg", filepath.Join(dir, "bench.svg"), "--kept", kept}
			if user == member {
				args = append(args, "--only", "list,get,create,create-1,notified") // the others work as for the superuser
			} else {
				args = append(args, "--keep")
			}
			o, err := parseFlags(args)
			if err != nil {
				t.Fatal(err)
			}
			if user == superuser {
				o.only = strings.Join(superusersCases(), ",")
			}
			var out bytes.Buffer
			if err := run(t.Context(), o, &out); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			r, err := figures.Read(json)
			if err != nil || r == nil {
				t.Fatalf("the result was not written: %v", err)
			}
			if picture, err := os.ReadFile(o.svg); err != nil || !bytes.HasPrefix(picture, []byte("<svg")) {
				t.Errorf("there is no picture: %v", err)
			}
			if k, err := figures.Read(kept); err != nil || (k != nil) != o.keep {
				t.Errorf("kept: %v, %v", k, err)
			}
			checkRows(t, r, user == superuser)
		})
	}
}

var inCI = os.Getenv("CI") != ""

// superusersCases returns what TestRun measures as superuser.
func superusersCases() []string {
	if inCI {
		return []string{"statements", "list", "get", "create", "create-1", "notified", "deliveries"}
	}
	return caseNames()
}

// quickRows and otherRows are what a quick run measures, and what it leaves out.
var (
	quickRows = []string{"search-rare", "search-none", "search-common", "search-page", "search-exact", "search-status", "search-two-none",
		"search-two-many", "deep", "count", "types-start", "types-openapi", "types-openapi-gzip", "types-menu", "types-home", "types-list",
		"types-memory", "types-setup", "token", "login", "flood", "readers-texts", "bulk", "create-10", "drip", "deliveries", "latency-1000",
		"fairness", "fairness-p99", "fairness-backlog", "fairness-backlog-p99", "queued-create", "queued-latency", "growth-page",
		"growth-search", "devices-create", "devices-delete", "allocation-1", "allocation-16", "kept-page", "kept-failed", "kept-one",
		"kept-object", "kept-request", "kept-since", "kept-hour", "kept-retry", "kept-drop"}
	otherRows = []string{"search-create", "search-bulk", "search-patch", "search-patch-status", "search-mixed", "metrics-get",
		"metrics-deliver", "sequencer", "latency-10", "latency-100", "idle", "lone", "fleet-devices", "fleet-interfaces", "fleet-first",
		"fleet-deep", "fleet-device-id", "fleet-without", "fleet-create", "fleet-delete", "contexts-50", "prefixes-first",
		"prefixes-insert"}
)

func checkRows(t *testing.T, r *figures.Result, all bool) {
	t.Helper()
	var names []string
	for _, row := range r.Rows {
		if row.Value <= 0 || row.Terrier.Figure <= 0 || row.Low > row.Value || row.High < row.Value {
			t.Errorf("%s was not measured: %+v", row.Case, row)
		}
		if row.Unit == "/s" && (row.Terrier.Go <= 0 || row.Terrier.PostgreSQL <= 0 || row.Bare.Go <= 0) {
			t.Errorf("%s has no processor time: %+v", row.Case, row)
		}
		names = append(names, row.Case)
	}
	want := []string{"list", "get", "create", "create-1", "notified"}
	if all {
		if !inCI {
			want = slices.Concat(want, quickRows, otherRows)
		}
		for _, s := range r.Statements {
			if strings.Contains(s.What, "webhook") && s.Statements-1 != s.BareStatements {
				t.Errorf("%s: Terrier makes %d statements besides authentication, and what claims to make the same makes %d", s.What,
					s.Statements-1, s.BareStatements)
			}
		}
	}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("%s was not measured: %v", name, names)
		}
	}
}

// TestMissedIsMeasuredAgain checks that one slow moment of the machine does not fail a check. Two do if they affect the same row.
func TestMissedIsMeasuredAgain(t *testing.T) {
	t.Parallel()
	type values = [2]float64 // of the rows of a try
	for _, test := range []struct {
		tries []values
		check bool
		want  values
		again [2]bool
	}{
		{[]values{{0.9, 0.7}}, true, values{0.9, 0.7}, [2]bool{}},
		{[]values{{0.1, 0.9}, {0.9, 0.8}}, true, values{0.9, 0.9}, [2]bool{true, false}},
		{[]values{{0.1, 0.9}, {0.9, 0.1}}, true, values{0.9, 0.9}, [2]bool{true, false}},
		{[]values{{0.1, 0.9}, {0.2, 0.8}}, true, values{0.2, 0.9}, [2]bool{true, false}},
		{[]values{{0.1, 0.2}, {0.8, 0.3}}, true, values{0.8, 0.3}, [2]bool{true, true}},
		{[]values{{0.1, 0.9}}, false, values{0.1, 0.9}, [2]bool{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{o: options{check: test.check}, out: io.Discard}
			began, tries := time.Now(), 0
			rows, err := b.measure(t.Context(), work{"x", func(*bench, context.Context) (rows []figures.Row, _ error) {
				for _, v := range test.tries[tries] {
					rows = append(rows, figures.Row{Value: v, Goal: figures.AtLeast(0.8)})
				}
				tries++
				return rows, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			got, again := values{rows[0].Value, rows[1].Value}, [2]bool{rows[0].Again, rows[1].Again}
			if tries != len(test.tries) || got != test.want || again != test.again {
				t.Errorf("%v: %d tries, %v, again %v", test.tries, tries, got, again)
			}
			if waited := time.Since(began); waited != time.Duration(tries-1)*beforeAgain {
				t.Errorf("%v: the second try came after %v", test.tries, waited)
			}
		})
	}
}

// TestErrorIsNotTriedAgain checks that an error, unlike slowness, fails at once.
func TestErrorIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b, tries, wrong := &bench{o: options{check: true}, out: io.Discard}, 0, errors.New("1 events arrived twice")
	_, err := b.measure(t.Context(), work{"x", func(*bench, context.Context) ([]figures.Row, error) {
		tries++
		return nil, wrong
	}})
	if tries != 1 || !errors.Is(err, wrong) {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args string
		want string // in the error; none for ""
	}{
		{"", ""},
		{"--quick --check", ""},
		{"--records 999", "--records"},
		{"--user guest", "--user"},
		{"--only list,gte", "gte"},
		{"--rounds 0", "--rounds"},
		{"--devices 199", "--devices"},
		{"--keep --only list", "--keep"},
	} {
		_, err := parseFlags(strings.Fields(test.args))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v", test.args, err)
		}
	}
	o, err := parseFlags([]string{"--records", "5000", "--quick"})
	if err != nil || o.records != 5000 || o.jobs != quick.jobs {
		t.Errorf("--quick does not yield to a size that was given: %+v, %v", o, err)
	}
	for _, test := range []struct {
		args string
		want bool
	}{{"", true}, {"--quick", false}, {"--quick --only get,fleet", true}, {"--only get", false}} {
		o, err := parseFlags(strings.Fields(test.args))
		if err != nil || o.wants("fleet") != test.want || !o.wants("get") {
			t.Errorf("%q measures the fleet: %t, get: %t, %v", test.args, o.wants("fleet"), o.wants("get"), err)
		}
	}
	if got := steps(25_000); !slices.Equal(got, []int{1000, 10_000, 25_000}) {
		t.Errorf("the register grows by %v", got)
	}
}

// TestMissingEvents checks that a flight fails if an event was not sent, or was sent twice.
func TestMissingEvents(t *testing.T) {
	t.Parallel()
	p, err := runReceiver(t.Context(), settings{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.end(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{receiver: receiver{&gauge.Process{Address: p.address}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // do not wait for missing events
	for _, test := range []struct {
		sent []string
		want string // in the error; none for ""
	}{
		{[]string{"event 1", "event 2", "event 3"}, ""},
		{[]string{"event 2"}, "2 of 3 events have not arrived"},
		{nil, "3 of 3 events have not arrived"},
		{[]string{"event 1", "event 2", "event 3", "event 2"}, "1 events arrived twice"},
	} {
		for _, name := range test.sent {
			answer, err := http.Post(b.receiver.url(healthyPath), "application/json", strings.NewReader(`{"data":{"name":"`+name+`"}}`))
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.arrivals(ctx, []string{"event 1", "event 2", "event 3"})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v: %v", test.sent, err)
		}
	}
}

func TestNameIn(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"display":"event 7","name":"event 7"},"x":"name"}`: "event 7",
		`{"data":{"name":"Other"}}`:                                  "",
		`{"data":{"region":{"name":"R"},"name":"event 12"}}`:         "event 12",
	} {
		if got := nameIn([]byte(body)); got != want {
			t.Errorf("%s names %q, want %q", body, got, want)
		}
	}
}
