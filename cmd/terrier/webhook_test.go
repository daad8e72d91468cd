package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/app"
	"terrier/internal/dbtest"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// hooked is an installation with a receiver, for commands that are run inside the test.
type hooked struct {
	*app.App
	t        *testing.T
	root     ledger.Caller
	receiver *httptest.Server
	bodies   chan string
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	h := &hooked{t: t, bodies: make(chan string, 100),
		root: ledger.Caller{Subject: &access.Subject{Username: "root", Superuser: true}, RequestID: uuid.NewString()}}
	h.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.bodies <- string(body)
		if r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	t.Cleanup(h.receiver.Close)
	config := app.Config{DatabaseURL: dbtest.New(t), SecretKey: strings.Repeat("k", 64), BaseURL: "http://terrier.test",
		EgressAllow: "127.0.0.1/32", WebhookTimeout: 5 * time.Second}
	for name, value := range map[string]string{"DATABASE_URL": config.DatabaseURL, "SECRET_KEY": config.SecretKey,
		"EGRESS_ALLOW": config.EgressAllow, "BASE_URL": config.BaseURL} {
		t.Setenv("TERRIER_"+name, value)
	}
	var err error
	if h.App, err = app.New(t.Context(), config, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// work starts a worker and waits until it is known to be alive.
func (h *hooked) work() {
	h.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Work(ctx) }()
	h.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	})
	h.until("a worker is alive", func() bool {
		n, err := h.WorkersAlive(h.t.Context())
		return err == nil && n > 0
	})
}

// until waits for something.
func (h *hooked) until(what string, holds func() bool) {
	h.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(30 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-end:
			h.t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func (h *hooked) create(key string, in ledger.Input) record.Values {
	h.t.Helper()
	rows, err := h.Ledger.Create(h.t.Context(), h.root, h.Registry.Type(key), []ledger.Input{in})
	if err != nil {
		h.t.Fatal(err)
	}
	return rows[0]
}

func (h *hooked) hook(name, path string) record.Values {
	h.t.Helper()
	return h.create("extras.webhook", ledger.Input{"name": name, "content_types": []any{"dcim.site"},
		"payload_url": h.receiver.URL + path, "type_create": true,
		"additional_headers": "X-Kind: {{ model }}", "secret": "s3cret"})
}

func (h *hooked) site(n int) record.Values {
	h.t.Helper()
	return h.create("dcim.site", ledger.Input{"name": fmt.Sprintf("Site %d", n), "slug": fmt.Sprintf("site-%d", n)})
}

// run runs a command for webhooks as if it were typed, and returns what it printed with its error.
func (h *hooked) run(args ...string) (says string, err error) {
	h.t.Helper()
	return runCommand(h.t, "", append([]string{"webhook"}, args...)...)
}

// runCommand runs a command as if it were typed, and returns what it printed with its error.
func runCommand(t *testing.T, in string, args ...string) (says string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = run(t.Context(), args, streams{strings.NewReader(in), &out, &out})
	if err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String(), err
}

// want runs a command and looks for texts in its output.
func (h *hooked) want(works bool, args []string, texts ...string) {
	h.t.Helper()
	says, err := h.run(args...)
	for _, text := range texts {
		if !strings.Contains(says, text) || (err == nil) != works {
			h.t.Errorf("terrier webhook %s says\n%swithout %q (%v)", strings.Join(args, " "), says, text, err)
		}
	}
}

func TestWebhookCommands(t *testing.T) {
	h := newHooked(t)
	h.want(false, []string{"test", "Room"}, `there are no webhooks yet, so there is no "Room"`)
	room := h.hook("Chat room", "/room")
	h.hook("Bad", "/bad")
	h.want(true, []string{"list"}, "Chat room", "healthy", "dcim.site", h.receiver.URL+"/room")
	h.want(false, []string{"test", "chat"}, `no webhook "chat"; did you mean "Chat room"`)
	h.want(false, []string{"test", "char-rom"}, `no webhook "char-rom"; did you mean "Chat room"`)
	h.want(false, []string{"test", "zzzzzz"}, "terrier webhook list")
	h.want(false, []string{"preview", "Chat room"}, "no change yet", "--record dcim.site/3")
	h.want(false, []string{"test", "Chat room"}, "queued test delivery", "no worker is alive", "terrier worker")

	site := h.site(1)
	h.want(true, []string{"preview", "Chat room"}, "POST /room HTTP/1.1\n", "Host: 127.0.0.1:", "X-Kind: site\n", "X-Hook-Signature: ",
		"User-Agent: Terrier", `"display":"Site 1"`)
	h.want(true, []string{"preview", fmt.Sprint(room.ID()), "--record", fmt.Sprintf("dcim.site/%d", site.ID())}, "would not be notified",
		"type_update", "X-Hook-Delivery: (made", `"event":"updated"`)
	h.want(true, []string{"preview", "Chat room", "--json"}, `"fires": true`, `"http_method": "POST"`, `"X-Kind": [`, `\"display\":\"Site 1\"`)
	h.want(false, []string{"preview", "Bad", "--record", "dcim.site/99"}, "no dcim.site with the id 99")
	h.want(false, []string{"preview", "Bad", "--record", "site"}, "dcim.site/3")
	h.want(false, []string{"test", "Bad", "--change", "99"}, "no change with the id 99")
	h.want(false, []string{"test", "Bad", "--change", "1", "--record", "dcim.site/1"}, "can't be used together")

	h.want(true, []string{"replay", "Bad", "--dry-run"}, `1 of 1 changes match "Bad"`, "1  already queued")
	h.work()
	for range 3 { // the test, and the change to both
		<-h.bodies
	}
	h.want(true, []string{"test", "Chat room"}, "queued test delivery", "the receiver answered 200 in ")
	if body := <-h.bodies; !strings.Contains(body, `"model":"site"`) || !strings.Contains(body, "Site 1") ||
		!strings.Contains(body, "command line") {
		t.Errorf("the test was %s", body)
	}
	h.want(false, []string{"test", "Bad"}, "the test failed in ", "answered 418")
	<-h.bodies

	h.want(false, []string{"replay", "Chat room"}, "1  sent before, to be sent again", "--yes", "--dry-run")
	h.want(false, []string{"replay", "Chat room", "--type", "dcim.region"}, "is not notified of changes to dcim.region, only to dcim.site")
	for _, flags := range [][]string{{"--until", "1h"}, {"--since", time.Now().Add(time.Hour).Format(time.RFC3339)},
		{"--object", "99"}, {"--action", "delete"}} {
		h.want(true, append([]string{"replay", "Chat room", "--yes"}, flags...), "none of 0 changes matches")
	}
	h.want(true, []string{"replay", "Chat room", "--yes", "--since", "1h", "--type", "dcim.site", "--object", fmt.Sprint(site.ID()),
		"--action", "create"}, `queued 1 delivery to "Chat room"`)
	if body := <-h.bodies; !strings.Contains(body, "Site 1") || !strings.Contains(body, `"username":"root"`) {
		t.Errorf("what was replayed is %s", body)
	}
	fresh := h.hook("Fresh", "/fresh")
	h.want(true, []string{"replay", "Fresh", "--yes"}, "1  not sent yet, to be sent now", "queued 1 delivery")
	<-h.bodies
	if _, err := h.Ledger.Act(t.Context(), h.root, h.Registry.Action("POST extras.webhook/pause"), fresh.ID(), ledger.Input{}); err != nil {
		t.Fatal(err)
	}
	h.want(false, []string{"test", "Fresh"}, "resume it first")
	h.want(true, []string{"list"}, "paused")
	if _, err := h.Store.Pool().Exec(t.Context(), `WITH holds AS (UPDATE extras_webhook SET hold_on_failure = TRUE WHERE id = $1)
		INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_step)
		VALUES ($1, 'held', now(), 'why', 5, 5, now(), 0, '10 s')
		ON CONFLICT (webhook_id) DO UPDATE SET state = excluded.state`, room.ID()); err != nil {
		t.Fatal(err)
	}
	h.want(true, []string{"list"}, "Chat room  held")
	h.want(true, []string{"replay", "Chat room", "--dry-run"}, "The webhook is held: they wait until it is not.")
}

// TestWebhookCommandsOfUnknownTypes: a webhook that names a type unknown to this program is listed with a mark, and
// is tested, previewed and replayed with its other types.
func TestWebhookCommandsOfUnknownTypes(t *testing.T) {
	h := newHooked(t)
	h.hook("Chat room", "/room")
	name := func(types string) {
		t.Helper()
		db, err := pgx.Connect(t.Context(), os.Getenv("TERRIER_DATABASE_URL"))
		if err == nil {
			_, err = db.Exec(t.Context(), "UPDATE extras_webhook SET content_types = $1", types)
			err = errors.Join(err, db.Close(t.Context()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	name("{dcim.gone}")
	h.want(true, []string{"list"}, "Chat room", "dcim.gone (unknown type)")
	h.want(false, []string{"test", "Chat room"}, "knows none of the webhook's object types")
	h.want(false, []string{"preview", "Chat room"}, "no change yet")
	h.want(true, []string{"replay", "Chat room", "--dry-run"}, "none of 0 changes matches")
	name("{dcim.gone,dcim.site}")
	h.want(false, []string{"test", "Chat room"}, "queued test delivery", "no worker is alive")
	h.site(1)
	h.want(true, []string{"preview", "Chat room"}, "POST /room HTTP/1.1\n", `"display":"Site 1"`)
	h.want(true, []string{"replay", "Chat room", "--dry-run", "--type", "dcim.gone"}, "none of 0 changes matches")
}

// TestWebhookTestIsPatient: it waits as long as the receiver may take, and a little longer.
func TestWebhookTestIsPatient(t *testing.T) {
	h := newHooked(t)
	h.hook("Slow", "/slow")
	h.site(1)
	t.Setenv("TERRIER_WEBHOOK_TIMEOUT", "1s")
	db, err := pgx.Connect(t.Context(), os.Getenv("TERRIER_DATABASE_URL"))
	if err == nil { // it seems alive but takes no jobs
		_, err = db.Exec(t.Context(), "INSERT INTO extras_worker VALUES ('busy', 'h', '1', now(), now(), 5)")
		err = errors.Join(err, db.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	h.want(false, []string{"test", "Slow"}, "queued test delivery", "no outcome within 6s")
}

// lines passes each written line to a test.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l <- line
	}
	return len(p), nil
}

func TestWebhookTail(t *testing.T) {
	h := newHooked(t)
	h.hook("Bad", "/bad")
	h.hook("Good", "/good")
	h.work()
	h.want(true, []string{"test", "Good"}, "answered 200") // before: one of the last
	ctx, stop := context.WithCancel(t.Context())
	printed, ended := make(lines, 100), make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"webhook", "tail"}, streams{strings.NewReader(""), printed, printed})
	}()
	expect := func(texts ...string) {
		t.Helper()
		select {
		case line := <-printed:
			for _, text := range texts {
				if !strings.Contains(line, text) || strings.Contains(line, "\x1b") {
					t.Errorf("the line %q is without %q", line, text)
				}
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no line with %q", texts)
		}
	}
	expect("successful", "200", "Good", "created", "test.site 0", " ms ")
	h.want(false, []string{"test", "Bad"}, "418")
	expect("failed", "418", "Bad", "test.site 0", "The receiver answered 418")
	// An old delivery that is sent again is shown.
	retry, all := h.Registry.Action("POST extras.deliveries/retry"), ledger.Input{"filter": ledger.Input{}}
	if _, err := h.Ledger.Act(t.Context(), h.root, retry, 0, all); err != nil {
		t.Fatal(err)
	}
	expect("failed", "418", "Bad")
	// A delivery that is retried automatically is not called failed, and a record has its name.
	bad, err := h.Webhook(t.Context(), "Bad")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Ledger.Update(t.Context(), h.root, h.Registry.Type(store.WebhookType),
		[]ledger.Edit{{ID: bad.ID, Input: ledger.Input{"max_retries": "10"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Ledger.Act(t.Context(), h.root, retry, 0, all); err != nil {
		t.Fatal(err)
	}
	// On a busy machine the second retry may be there before the first was looked at.
	expect("retrying", "418", "Bad", "test.site 0 ", "retry ", " of 10 at ")
	h.want(true, []string{"list"}, "RETRYING  FAILED")
	stop()
	if err := <-ended; err != nil || len(printed) > 0 {
		t.Errorf("an interrupted tail: %v, and %d more lines", err, len(printed))
	}
	h.want(false, []string{"tail", "nobody"}, "no webhook")
}

func TestComplaintsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	complain(&out, errors.New("the test failed: \x1b]0;owned\x07 \x9b31m\nsee above"))
	if got := out.String(); got != "terrier: the test failed: \\x1b]0;owned\\x07 \\x9b31m\nsee above\n" {
		t.Errorf("%q", got)
	}
}

func TestParsePast(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 2, 3, 4, 5, 6, 0, time.FixedZone("", 3600))
	for text, want := range map[string]time.Time{
		"2h": now.Add(-2 * time.Hour), "3d": now.Add(-3 * day), "2025-01-31": time.Date(2025, 1, 31, 0, 0, 0, 0, now.Location()),
		"2025-01-31T08:00:00.5Z": time.Date(2025, 1, 31, 8, 0, 0, 5e8, time.UTC),
		"":                       {}, "yesterday": {}, "-2h": {}, "2025-02-30": {}, "08:00": {},
	} {
		got, err := parsePast(text, now)
		if !got.Equal(want) || (err != nil) != want.IsZero() {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2025, 2, 3, 4, 5, 6, 0, time.UTC)
	clock := func() time.Time { return now }
	work := func(terminal bool, step time.Duration) string {
		out.Reset()
		p := newProgress(screen{Writer: &out, terminal: terminal}, "changes", 100, clock)
		for done := int64(10); done <= 100; done += 10 {
			now = now.Add(step)
			if err := p.show(done); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := work(true, 60*time.Millisecond); strings.Count(got, "\r") != 6 || strings.Contains(got, "\n") ||
		!strings.HasSuffix(got, "100 of 100 changes\x1b[K\r\x1b[K") {
		t.Errorf("ten steps in 0.6 s on a terminal: %q", got)
	}
	if got := work(false, 60*time.Millisecond); got != "" {
		t.Errorf("ten quick steps off a terminal: %q", got)
	}
	if got := work(false, 3*time.Second); strings.Count(got, "\n") != 5 ||
		!strings.HasPrefix(got, "20 %  20 of 100 changes, about 24s left\n") || strings.ContainsAny(got, "\r\x1b█") {
		t.Errorf("ten slow steps off a terminal: %q", got)
	}
}

func TestReplayThatWasStopped(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 2, 3, 4, 5, 6, 7000, time.UTC)
	err := webhookReplayCommand{}.stopped(app.Replayed{Changes: 1000, Matching: 900, New: 890, Existing: 1, Waiting: 9, Reached: at},
		context.Canceled)
	for _, text := range []string{"interrupted after 1000 changes", "891 deliveries", "--since 2025-02-03T04:05:06.000007Z"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is without %q", err, text)
		}
	}
	err = webhookReplayCommand{}.stopped(app.Replayed{Changes: 1000, New: 891, Reached: at}, errors.New("Try again in a few minutes."))
	if want := "stopped after 1000 changes: 891 deliveries queued so far; continue with --since 2025-02-03T04:05:06.000007Z: Try " +
		"again in a few minutes."; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if back, parseErr := parsePast("2025-02-03T04:05:06.000007Z", time.Now()); parseErr != nil || !back.Equal(at) {
		t.Errorf("what it says is read as %s, %v", back, parseErr)
	}
}

// TestTailGoesBack: it looks for the last outcomes at most twice.
func TestTailGoesBack(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		ended time.Duration // how long ago each of two did
		looks int
	}{{0, 1}, {20 * time.Minute, 2}, {1000 * day, 2}} {
		looks := 0
		at := time.Now().Add(-row.ended)
		got, err := (&tail{look: func(since time.Time, limit int) ([]app.Ended, error) {
			looks++
			if at.Before(since) {
				return nil, nil
			}
			return make([]app.Ended, min(limit, 2)), nil
		}}).last(2)
		if err != nil || len(got) != 2 || looks != row.looks {
			t.Errorf("%s ago: %d found in %d looks, %v", row.ended, len(got), looks, err)
		}
	}
}
