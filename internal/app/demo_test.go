package app

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/internal/demo"
	"terrier/internal/doctor"
	"terrier/internal/record"
	"terrier/internal/store"
)

// tiny is large enough for every list to have records, and small enough for every run of the tests.
var tiny = demo.Size{Sites: 2, Racks: 1, Edits: 2}

// newDemo returns an app whose register has a demo network of the 90 days before a moment.
func newDemo(t *testing.T, size demo.Size, moment time.Time) *App {
	t.Helper()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	cfg.ChangelogRetention, cfg.DeliveryRetention = 90, 30
	a, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	days := 0
	if err := a.demo(t.Context(), size, moment, func(n int) { days = n }); err != nil || days != DemoDays {
		t.Fatalf("after %d days: %v", days, err)
	}
	return a
}

// TestDemo: every list of the network has records, the changes are of 90 days and of several people, each webhook is in another state, and
// the doctor finds nothing wrong. A register that has records is refused.
func TestDemo(t *testing.T) {
	t.Parallel()
	a := newDemo(t, tiny, time.Now())
	checkDemoRecords(t, a)
	checkDemoWebhooks(t, a)
	if err := a.Demo(t.Context(), "small", func(int) { t.Error("it began") }); err == nil || !strings.Contains(err.Error(), "not empty") ||
		!strings.Contains(err.Error(), "terrier migrate") {
		t.Errorf("the second time: %v", err)
	}
	report, err := Doctor(t.Context(), a.cfg, nil, doctor.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status == doctor.Fail && r.Name != "workers" { // none runs here
			t.Errorf("doctor: %+v", r)
		}
	}
}

func checkDemoRecords(t *testing.T, a *App) {
	t.Helper()
	apps := []string{"dcim", "ipam", "tenancy", "virtualization"}
	others := []string{"users.user", "users.group", "users.permission", "users.token", "extras.tag", "extras.customfield",
		"extras.configcontext", store.ConditionErrorType}
	for _, typ := range a.Registry.Types() {
		if (slices.Contains(apps, typ.App) || slices.Contains(others, typ.Key())) && countOf(t, a, typ) == 0 {
			t.Errorf("%s: no records", typ.Key())
		}
	}
	days, people := map[string]bool{}, map[string]bool{}
	for _, c := range rowsOf(t, a, store.ChangeType) {
		at := c.Get("time").(time.Time)
		days[at.Format(time.DateOnly)], people[c.Text("user_name")] = true, true
		if at.After(a.now()) {
			t.Fatalf("%s has not happened yet", at)
		}
	}
	if len(days) < DemoDays-10 || len(people) < 8 { // some of the first days have no changes, depending on the hour
		t.Errorf("%d days, %d people", len(days), len(people))
	}
}

func checkDemoWebhooks(t *testing.T, a *App) {
	t.Helper()
	states := map[string]string{}
	for _, h := range rowsOf(t, a, store.WebhookType) {
		switch {
		case !h.Bool("enabled"):
			states[h.Text("name")] = "disabled"
		case h.Get("paused_at") != nil:
			states[h.Text("name")] = "paused"
		case h.Get("held_since") != nil:
			states[h.Text("name")] = "held"
		case h.Get("failing_since") != nil:
			states[h.Text("name")] = "failing"
		default:
			states[h.Text("name")] = "healthy"
		}
		for _, since := range []string{"held_since", "failing_since"} {
			if at, ok := h.Get(since).(time.Time); ok && time.Since(at) < 22*time.Hour {
				t.Errorf("%s: %s %v, want a day ago or more", h.Text("name"), since, at)
			}
		}
		// Only the held one has no receiver: the others go to the test listener.
		want := "http://localhost:9000/"
		if states[h.Text("name")] == "held" {
			want = "https://dns.example/"
		}
		if url := h.Text("payload_url"); !strings.HasPrefix(url, want) {
			t.Errorf("%s is sent to %s, want %s", h.Text("name"), url, want)
		}
	}
	want := "map[CMDB:failing Chat:healthy DNS:held Monitoring:paused Tickets:disabled]"
	if got := fmt.Sprint(states); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	outcomes := map[string]int{}
	for _, d := range rowsOf(t, a, store.DeliveryType) {
		state := d.Text("state")
		if d.Get("retry_at") != nil {
			state = "retried"
		}
		outcomes[state]++
	}
	if outcomes["successful"] < 20 || outcomes["failed"] < 5 || outcomes["queued"] < 3 || outcomes["retried"] == 0 {
		t.Errorf("deliveries: %v", outcomes)
	}
}

// TestDemoIsTheSame: two registers of one size and hour have the same changes and deliveries, and so the same records. Only token keys
// differ.
func TestDemoIsTheSame(t *testing.T) {
	t.Parallel()
	size, least := tiny, 500
	if os.Getenv("TERRIER_LONG") != "" {
		size, least = demo.Sizes["small"], 3000
	}
	now := time.Now()
	first, second := story(t, newDemo(t, size, now)), story(t, newDemo(t, size, now))
	if len(first) < least || len(first) != len(second) {
		t.Fatalf("%d and %d", len(first), len(second))
	}
	for i, line := range first {
		if line != second[i] {
			t.Fatalf("%s\nand\n%s", line, second[i])
		}
	}
}

// TestDemoSizes: the sizes have about as many records as the help says.
func TestDemoSizes(t *testing.T) {
	needsLong(t)
	for size, want := range map[string]int64{"small": 5_000, "medium": 18_000, "large": 117_000} {
		began := time.Now()
		a, records := newDemo(t, demo.Sizes[size], began), int64(0)
		took := time.Since(began)
		for _, typ := range a.Registry.Types() {
			if !typ.ReadOnly {
				records += countOf(t, a, typ)
			}
		}
		t.Logf("%s: %d records and %d changes in %s", size, records, countOf(t, a, a.Registry.Type(store.ChangeType)), took)
		if records < want*9/10 || records > want*11/10 {
			t.Errorf("%s: %d records, want about %d", size, records, want)
		}
		checkDemoRecords(t, a)
		checkDemoWebhooks(t, a)
	}
}

func needsLong(t *testing.T) {
	t.Helper()
	if os.Getenv("TERRIER_LONG") == "" {
		t.Skip("TERRIER_LONG is not set: make long-demo")
	}
}

func countOf(t *testing.T, a *App, typ *record.Type) int64 {
	t.Helper()
	page, err := a.Ledger.List(t.Context(), operator(), typ, store.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.Count
}

// story returns the change log and the deliveries as texts, in their order.
func story(t *testing.T, a *App) (lines []string) {
	t.Helper()
	for _, c := range rowsOf(t, a, store.ChangeType) {
		if !slices.Contains([]string{"users.token", store.WebhookHealthType}, c.Text("changed_object_type")) {
			lines = append(lines, fmt.Sprint(c.Get("time"), c.Text("user_name"), c.Text("request_id"), c.Text("action"),
				c.Text("changed_object_type"), c.Int("changed_object_id"), c.Text("object_repr"), string(c.Raw("postchange_data"))))
		}
	}
	for _, d := range rowsOf(t, a, store.DeliveryType) {
		lines = append(lines, fmt.Sprint(d.ID(), d.Text("state"), d.Get("status_code"), d.Text("reason"), d.Get("finished_at"),
			d.Int("attempt_count")))
	}
	return lines
}

func rowsOf(t *testing.T, a *App, key string) []record.Values {
	t.Helper()
	rows, err := a.all(t.Context(), key, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
