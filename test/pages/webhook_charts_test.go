package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

// TestWebhookCharts: the charts cover the time that was chosen, and a bar leads to the deliveries of its webhook and time. Somebody who may
// not see deliveries gets no links.
func TestWebhookCharts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	id := create(t, s, "/api/extras/webhooks/", obj{"name": "charted", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9/"})
	now := time.Now().UTC()
	for ago, durations := range map[time.Duration]string{0: "{0,0,0,4}", 12 * time.Hour: "{0,0,0,0,0,4}", 5 * 24 * time.Hour: "{}",
		20 * 24 * time.Hour: "{0,0,0,0,0,0,0,0,0,4}", 31 * 24 * time.Hour: "{}"} {
		if _, err := s.DB.Exec(t.Context(), "INSERT INTO extras_tally VALUES ($1, $2, 3, 1, 9, $3::text::bigint[])",
			now.Add(-ago).Truncate(time.Minute), id, durations); err != nil {
			t.Fatal(err)
		}
	}
	path := fmt.Sprintf("%s%d/", hooks, id)
	for query, want := range map[string][]string{
		"":           {"Requests per half hour: 6 successful, 2 failed.", "99 % at most 8 ms", `>24 h</a>`},
		"?range=1h":  {"Requests per minute: 3 successful, 1 failed.", "99 % at most 4 ms", "data-clock"},
		"?range=24h": {"Requests per half hour: 6 successful, 2 failed."},
		"?range=7d":  {"Requests per 3 hours: 9 successful, 3 failed.", "data-day"},
		"?range=30d": {"Requests per 12 hours: 12 successful, 4 failed.", "99 % at most 32 ms"},
		"?range=1y":  {"Requests per half hour: 6 successful, 2 failed."},
	} {
		shows(t, b.get(t, path+query).Want(t, http.StatusOK), want...)
	}
	shows(t, b.get(t, path+"?range=7d").Want(t, http.StatusOK), `?range=7d#chart-title" aria-current="true"`)

	// The list has the last day of each webhook that the caller may see.
	other := create(t, s, "/api/extras/webhooks/", obj{"name": "other", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9/"})
	if _, err := s.DB.Exec(t.Context(), "INSERT INTO extras_tally VALUES ($1, $2, 5, 0, 9)", now.Truncate(time.Minute), other); err != nil {
		t.Fatal(err)
	}
	create(t, s, "/api/extras/webhooks/", obj{"name": "silent", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9/", "enabled": false})
	list := b.get(t, hooks).Want(t, http.StatusOK)
	shows(t, list, `role="img"><title>6 successful, 2 failed</title><path class="good"`, `<title>5 successful, 0 failed</title>`,
		`data-label="Last 24 hours"><span class="nothing">`, `data-label="State"><span class="badge state-healthy">Healthy</span>`,
		`<span class="badge state-disabled">Disabled</span>`)

	step := now.Truncate(30 * time.Minute).Format(time.RFC3339)
	deliveries := "/extras/deliveries/?finished_at__gte=" + url.QueryEscape(step) + "&amp;finished_at__lt="
	page := string(b.get(t, path).Want(t, http.StatusOK).Raw)
	_, rest, found := strings.Cut(page, deliveries)
	link, _, _ := strings.Cut(rest, `"`)
	if link = strings.ReplaceAll(deliveries+link, "&amp;", "&"); !found || !strings.HasSuffix(link, fmt.Sprintf("&webhook_id=%d", id)) {
		t.Fatalf("a bar leads to %s", link)
	}
	b.get(t, link).Want(t, http.StatusOK)
	s.User(t, "narrow", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}})
	hides(t, login(t, s, "narrow").get(t, path).Want(t, http.StatusOK), "/extras/deliveries/")
}

// TestWebhooksAreListedWithoutSlowHistories: the column of requests says that it took too long, and the list is shown.
func TestWebhooksAreListedWithoutSlowHistories(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/webhooks/", obj{"name": "inventory sync", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9/"})
	other, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Rollback(context.Background()) })
	if _, err := other.Exec(t.Context(), "LOCK TABLE extras_tally"); err != nil {
		t.Fatal(err)
	}
	shows(t, b.get(t, "/extras/webhooks/").Want(t, http.StatusOK), ">inventory sync</a>",
		`data-label="Last 24 hours"><span class="slow">took too long to load</span>`)
}
