package webhooks_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/app"
	"terrier/internal/webhook"
	"terrier/internal/webhook/gallery"
	"terrier/test/install"
)

// TestPreviewIsWhatArrives previews every queued delivery of fifty random webhooks, and compares it with what a
// worker then sends, byte by byte and header by header.
func TestPreviewIsWhatArrives(t *testing.T) {
	t.Parallel()
	const webhooks = 50
	w := newWorld(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	drawn := map[int64]object{}
	for n := range webhooks {
		fields := drawHook(draw)
		if n == 0 { // one at least fails
			maps.Copy(fields, object{"type_delete": true, "body_template": failsWhenDeleted})
		}
		path := fmt.Sprintf("/%d?n=%d", n, n)
		drawn[w.hook(path, fields)] = fields
	}
	w.drawChanges(draw)

	previews := w.previews()
	w.Work()
	install.Within(t, 2*time.Minute, "every delivery should end", func() bool {
		return w.number("SELECT count(*) FROM extras_delivery WHERE state = 'queued'") == 0
	})
	received := map[string]receipt{}
	for _, r := range w.receiver.all() {
		received[r.delivery()] = r
	}
	sent, failed := 0, 0
	for id, p := range previews {
		hook := drawn[p.webhook]
		if p.Error != "" {
			failed++
			if d := w.delivery(id); d.State.Value != "failed" || d.Reason != p.Error {
				t.Errorf("%v: the preview failed with %q, the delivery is %s with %q", hook, p.Error, d.State.Value, d.Reason)
			}
			continue
		}
		r, arrived := received[id]
		if !arrived {
			t.Errorf("%v: delivery %s did not arrive", hook, id)
			continue
		}
		sent++
		if difference := p.against(w.receiver.URL, r); difference != "" {
			t.Errorf("%v: %s", hook, difference)
		}
		if difference := timely(r, hook); difference != "" {
			t.Errorf("%v: %s", hook, difference)
		}
	}
	t.Logf("%d requests and %d failures were previewed", sent, failed)
	if len(received) != sent || sent < webhooks || failed == 0 {
		t.Errorf("%d requests arrived, %d were previewed, and %d failures", len(received), sent, failed)
	}
}

// trouble is in the names of records: what breaks JSON, HTML, headers or templates when it is not quoted.
var trouble = []string{"plain", `"quoted" \ and 'single'`, "<script>alert(1)</script>&amp;", "Zürich – 東京 🐕",
	"{{ data.id }}{% if %}", "  spaces  inside  "}

const failsWhenDeleted = "{{ event }}\n{{ 1 // (0 if event == 'deleted' else 1) }}"

func drawHook(draw *rand.Rand) object {
	one := func(texts ...string) string { return texts[draw.IntN(len(texts))] }
	yes := func() bool { return draw.IntN(2) == 0 }
	bodies := []string{"", "", "{{ event }} {{ data.name }}", "{{ data | tojson }}", "{{ data.name | upper }}\r\n\t{{ snapshots.prechange }}",
		"{% for key, value in (snapshots.postchange or {}).items() %}{{ key }}={{ value }}\n{% endfor %}", failsWhenDeleted}
	for _, g := range gallery.All() {
		bodies = append(bodies, g.Body)
	}
	headers := []string{"", "X-Who: {{ username }}", "Authorization: Bearer abc\nX-Model: {{ model }}/{{ data.id }}",
		"User-Agent: ours/1\nAccept: */*",
		"X-Name: {{ data.name }}", "X-Request: {{ request_id }}\nx-lower: {{ event }}\nX-Empty: {{ data.nothing }}"}
	events := draw.IntN(7) + 1
	hook := object{"http_method": one("GET", "POST", "PUT", "PATCH", "DELETE"),
		"http_content_type":  one("application/json", "text/plain; charset=utf-8", "application/x-www-form-urlencoded"),
		"additional_headers": one(headers...), "body_template": one(bodies...),
		"type_create": events&1 != 0, "type_update": events&2 != 0, "type_delete": events&4 != 0}
	if yes() {
		hook["content_types"] = []string{"dcim.site", "dcim.region"}
	}
	if yes() {
		const standard = "whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2lnbmluZyBrZXk="
		hook["secret"] = one("short", standard, standard, "päss wörd")
		hook["standard_headers"] = hook["secret"] == standard && yes()
		if yes() {
			hook["previous_secret"] = "the one before"
		}
	}
	return hook
}

// drawChanges makes sites and regions and changes them, so that there is every event.
func (w *world) drawChanges(draw *rand.Rand) {
	w.t.Helper()
	for i, name := range trouble {
		region := fmt.Sprintf("region-%d", i)
		w.do(http.MethodPost, "/api/dcim/regions/", object{"name": name, "slug": region})
		s := w.site(object{"name": name, "comments": "one\ntwo\t" + name, "region": object{"slug": region}})
		s.update(object{"status": []string{"planned", "retired"}[draw.IntN(2)], "description": trouble[draw.IntN(len(trouble))]})
		if draw.IntN(2) == 0 || i == 0 {
			s.delete()
		}
	}
}

// previewed is what the preview of a delivery says.
type previewed struct {
	app.Preview
	webhook int64
}

// previews asks an app on the same database for each delivery there is, by its change and its webhook.
func (w *world) previews() map[string]previewed {
	w.t.Helper()
	a, err := app.New(w.t.Context(), app.Config{DatabaseURL: w.database, SecretKey: w.Settings["SECRET_KEY"],
		BaseURL: w.Settings["BASE_URL"], Listen: "127.0.0.1:0",
		EgressAllow: w.Settings["EGRESS_ALLOW"], WebhookTimeout: 10 * time.Second}, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	defer a.Close()
	rows, err := w.db.Query(w.t.Context(), "SELECT id, change_id, webhook_id FROM extras_delivery")
	if err != nil {
		w.t.Fatal(err)
	}
	type sent struct{ ID, Change, Webhook int64 }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sent])
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]previewed{}
	for _, d := range all {
		p, err := a.PreviewWebhook(w.t.Context(), d.Webhook, app.Sample{Change: d.Change})
		if err != nil {
			w.t.Fatal(err)
		}
		if p.Delivery != a.FormatDelivery(d.ID) || !p.Fires {
			w.t.Errorf("the preview of delivery %s is of %q, fires: %v (%s)", a.FormatDelivery(d.ID), p.Delivery, p.Fires, p.Reason)
		}
		out[a.FormatDelivery(d.ID)] = previewed{p, d.Webhook}
	}
	return out
}

// The headers that depend on the moment, and those that the sender adds.
var (
	timed  = []string{"X-Hook-Timestamp", "Webhook-Timestamp", "Webhook-Signature", "X-Hook-Signature", "X-Hook-Signature-Previous"}
	framed = []string{"Content-Length", "Accept-Encoding", "Host"}
)

// against returns how a request differs from its preview, or "".
func (p previewed) against(receiver string, r receipt) string {
	if p.Request.Method != r.method || p.Request.URL != receiver+r.path {
		return fmt.Sprintf("%s %s was previewed, %s %s arrived", p.Request.Method, p.Request.URL, r.method, r.path)
	}
	if string(p.Request.Body) != r.body {
		return fmt.Sprintf("the body\n%q was previewed,\n%q arrived", p.Request.Body, r.body)
	}
	left := func(h http.Header) http.Header {
		h = h.Clone()
		for _, name := range slices.Concat(timed, framed) {
			h.Del(name)
		}
		if p.Request.Header.Get("User-Agent") == "" {
			h.Del("User-Agent")
		}
		return h
	}
	previewed, arrived := left(p.Request.Header), left(r.header)
	if !maps.EqualFunc(previewed, arrived, slices.Equal) {
		return fmt.Sprintf("the headers\n%q were previewed,\n%q arrived", previewed, arrived)
	}
	for _, name := range timed {
		if len(p.Request.Header[name]) != len(r.header[name]) {
			return fmt.Sprintf("%s is only in one of them: %q, %q", name, p.Request.Header[name], r.header[name])
		}
	}
	return ""
}

// timely returns what is wrong with the headers that depend on the time: they must be current, and signed.
func timely(r receipt, hook object) string {
	seconds, err := strconv.ParseInt(r.header.Get("X-Hook-Timestamp"), 10, 64)
	if at := time.Unix(seconds, 0); err != nil || at.Sub(r.at).Abs() > install.Patience {
		return fmt.Sprintf("X-Hook-Timestamp is %q at %v", r.header.Get("X-Hook-Timestamp"), r.at)
	}
	if hook["standard_headers"] != true {
		return ""
	}
	var secrets []string
	for _, name := range []string{"secret", "previous_secret"} {
		if secret, ok := hook[name].(string); ok {
			secrets = append(secrets, secret)
		}
	}
	for name, want := range webhook.StandardHeaders(r.delivery(), time.Unix(seconds, 0), []byte(r.body), secrets...) {
		if got := r.header[http.CanonicalHeaderKey(name)]; !slices.Equal(got, want) {
			return fmt.Sprintf("%s is %q, want %q", name, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	return ""
}
