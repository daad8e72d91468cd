package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

const (
	tasks        = "/system/tasks/"
	deliveryList = "/extras/deliveries/"
	evil         = `<script>alert(1)</script>`
)

// office is a server with a webhook A for sites and B for sites and regions, and the seven unsent deliveries that the
// creation of three sites and a region made for them.
type office struct {
	s     *apitest.Server
	admin browser
	a, b  int64
	sites []int64
}

// holdHook notes that a webhook is held, as workers do.
const holdHook = `INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_step)
	VALUES ($1, 'held', now(), 'why', 5, 5, now(), 0, '10 s')`

func newOffice(t *testing.T, change ...func(*app.Config)) office {
	t.Helper()
	o := office{s: apitest.New(t, change...)}
	o.admin = login(t, o.s, "admin")
	hook := func(name string, types ...string) int64 {
		return create(t, o.s, "/api/extras/webhooks/", obj{"name": name, "payload_url": "https://receiver.example/",
			"content_types": types, "type_create": true, "type_update": true})
	}
	o.a, o.b = hook("A "+evil, "dcim.site"), hook("B", "dcim.site", "dcim.region")
	for i := range 3 {
		o.sites = append(o.sites, create(t, o.s, "/api/dcim/sites/", obj{"name": fmt.Sprint("S", i, evil), "slug": fmt.Sprint("s", i)}))
	}
	create(t, o.s, "/api/dcim/regions/", obj{"name": "R", "slug": "r"})
	return o
}

func (o office) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := o.s.DB.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// fail does what a worker does if the receiver's answer is no success.
func (o office) fail(t *testing.T, where string) {
	t.Helper()
	o.exec(t, "UPDATE extras_delivery SET state = 'failed', finished_at = now(), reason = 'The receiver answered 500 "+evil+
		".', status_code = 500, attempt_count = 1, tries = 1 WHERE "+where)
}

// attempt records one request with its answer for each failed delivery.
func (o office) attempt(t *testing.T) {
	t.Helper()
	o.exec(t, `INSERT INTO extras_attempt SELECT id, changed_at, finished_at, 12, 'POST', 'https://receiver.example/hook',
		'{"X-Hook-Sequence":["1"]}', '{"sent":"<script>alert(2)</script>"}',
		500, '{"Server":["<b>canary-header</b>"]}', '<script>alert(3)</script> canary-answer', true, '' FROM extras_delivery
			WHERE state = 'failed'`)
}

// of is the page of a delivery, by webhook and site.
func (o office) of(t *testing.T, webhook int64, n int) string {
	t.Helper()
	found := list(t, o.s, fmt.Sprintf("/api/extras/deliveries/?webhook_id=%d&object_type=dcim.site&object_id=%d&event=created",
		webhook, o.sites[n]))
	return deliveryList + found.Results[0]["id"].(string) + "/"
}

func (o office) states(t *testing.T, state string) int64 {
	t.Helper()
	return number(t, o.s, "SELECT count(*) FROM extras_delivery WHERE state = $1", state)
}

func grant(constraints any, kind string, actions ...string) apitest.Grant {
	return apitest.Grant{Types: []string{"extras." + kind}, Actions: actions, Constraints: constraints}
}

func (o office) user(t *testing.T, name string, grants ...apitest.Grant) browser {
	t.Helper()
	o.s.User(t, name, grants...)
	return login(t, o.s, name)
}

func TestTasksOfNobody(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	shows(t, login(t, s, "admin").get(t, tasks).Want(t, http.StatusOK), "There are no webhooks", "terrier serve --worker",
		"Nothing has failed", `href="/system/tasks/" aria-current="page"`)
	s.User(t, "stranger", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	stranger := login(t, s, "stranger")
	stranger.get(t, tasks).Want(t, http.StatusForbidden)
	hides(t, stranger.get(t, "/"), tasks)
}

func TestTasks(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.fail(t, fmt.Sprintf("webhook_id = %d AND object_type = 'dcim.region'", o.b))
	o.exec(t, "UPDATE extras_delivery SET retry_at = now() + interval '90 minutes' WHERE state = 'failed'")
	o.fail(t, fmt.Sprintf("webhook_id = %d AND object_id = %d", o.a, o.sites[0]))
	o.exec(t, "UPDATE extras_delivery SET queued_at = now() - interval '190 seconds' WHERE state = 'queued' AND webhook_id = $1", o.a)
	o.exec(t, "INSERT INTO extras_tally SELECT date_trunc('minute', now() - n * interval '1 minute'), $1, 10, 5, 600 FROM "+
		"unnest(ARRAY[0, 1, 60]) AS n", o.a)
	o.exec(t, "INSERT INTO extras_worker VALUES ('alive', 'host-one', '1.2.3', now(), now(), 5, true), ('gone', 'host-two', '1', "+
		"now(), now() - interval '1 minute', 0, false)")
	page := o.admin.get(t, tasks).Want(t, http.StatusOK)
	t.Run("the number on a link is how many the list has", func(t *testing.T) {
		// Deliveries outlive their webhook, and some callers see only part of them.
		o.exec(t, "UPDATE extras_delivery SET webhook_id = 999 WHERE webhook_id = $1 AND object_id = $2 AND object_type = 'dcim.site'",
			o.b, o.sites[2])
		narrow := o.user(t, "narrow", grant(obj{"object_type": "dcim.region"}, "delivery", "view"), grant(nil, "webhook", "view"))
		for who, want := range map[browser]string{
			o.admin: fmt.Sprintf("%d-queued 2, %d-retrying 0, %d-failed 1, %d-queued 2, %d-retrying 1, %d-failed 0, 0-queued 5, "+
				"0-retrying 1, 0-failed 1", o.a, o.a, o.a, o.b, o.b, o.b),
			narrow: fmt.Sprintf("%d-queued 0, %d-retrying 0, %d-failed 0, %d-queued 0, %d-retrying 1, %d-failed 0, 0-queued 0, "+
				"0-retrying 1, 0-failed 0", o.a, o.a, o.a, o.b, o.b, o.b),
		} {
			var got []string
			for _, link := range regexp.MustCompile(`id="queue-(\d+-[a-z]+)" href="([^"]+)" aria-label="(\d+) `).
				FindAllStringSubmatch(text(who.get(t, tasks).Want(t, http.StatusOK)), -1) {
				got = append(got, link[1]+" "+link[3])
				listed := who.get(t, html.UnescapeString(link[2])).Want(t, http.StatusOK)
				if link[3] == "0" {
					shows(t, listed, "Nothing matches")
				} else {
					shows(t, listed, "of "+link[3]+"</p>")
				}
				api := list(t, o.s, "/api"+html.UnescapeString(link[2]))
				if who == o.admin && fmt.Sprint(api.Count) != link[3] {
					t.Errorf("%s: the API counts %d", link[0], api.Count)
				}
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
			}
		}
		shows(t, o.admin.get(t, tasks), "Other and deleted webhooks")
		o.exec(t, "UPDATE extras_delivery SET webhook_id = $1 WHERE webhook_id = 999", o.b)
		hides(t, o.admin.get(t, tasks), "Other and deleted webhooks")
	})
	t.Run("requests are counted apart, and lead nowhere", func(t *testing.T) {
		shows(t, page, "Requests of the last 15 min",
			`<td class="num">20</td><td class="num">10</td><td class="num">2.0</td><td class="num">40 ms</td>`)
		hides(t, page, "finished_at__gte")
		if n := strings.Count(string(page.Raw), `<td class="num">3 min</td>`); n != 2 {
			t.Errorf("3 min are the age of the oldest of A and of all: %d", n)
		}
	})
	t.Run("workers", func(t *testing.T) {
		shows(t, page, "host-one", "1.2.3", "Takes no jobs: its clock differs", "No worker takes jobs.") // it is the only one
		hides(t, page, "host-two", "No worker is running")
	})
	t.Run("failed for good", func(t *testing.T) {
		if n := strings.Count(text(page), `id="failed-0`); n != 1 {
			t.Errorf("%d failed deliveries are listed, want one: the other is retried automatically", n)
		}
		link := regexp.MustCompile(`id="all-failed" href="([^"]+)"`).FindStringSubmatch(text(page))
		shows(t, o.admin.get(t, html.UnescapeString(link[1])).Want(t, http.StatusOK), "of 1</p>")
		hides(t, page, "Retrying (")
		shows(t, page, "S0&lt;script&gt;", `action="`+o.of(t, o.a, 0)+`retry/"`, `<option value="`+fmt.Sprint(o.b)+`">B</option>`)
		hides(t, page, evil)
	})
	t.Run("the live part alone", func(t *testing.T) {
		part := o.admin.get(t, tasks, live("tasks-live")...).Want(t, http.StatusOK)
		shows(t, part, "queues-title", "host-one", "failed-title")
		hides(t, part, "<html", "live-toggle", "retry-webhook", "hx-trigger")
	})
	t.Run("paused", func(t *testing.T) {
		shows(t, page, `hx-trigger="every 3s"`, `hx-get="/system/tasks/?live=off"`)
		for _, a := range []apitest.Answer{o.admin.get(t, tasks+"?live=off"), o.admin.get(t, tasks+"?live=off", live("tasks")...)} {
			shows(t, a, "Resume refreshing", "queues-title")
			hides(t, a, "hx-trigger", "Pause refreshing")
		}
	})
	t.Run("a held webhook", func(t *testing.T) {
		o.exec(t, holdHook, o.b)
		shows(t, o.admin.get(t, tasks), `state-held`, `state-healthy`)
	})
	t.Run("a paused webhook", func(t *testing.T) {
		o.s.Do(t, apitest.Call{Method: "POST", Path: fmt.Sprintf("/api/extras/webhooks/%d/pause/", o.b), Token: o.s.Admin}).Want(t, http.StatusOK)
		shows(t, o.admin.get(t, tasks), `state-paused`, `state-healthy`)
	})
	t.Run("who sees what", func(t *testing.T) {
		see := grant(nil, "delivery", "view")
		hooks := o.user(t, "hooks", grant(nil, "webhook", "view"))
		a := hooks.get(t, tasks).Want(t, http.StatusOK)
		shows(t, a, "queues-title", "host-one")
		hides(t, a, "failed-title", deliveryList, "retry")
		looks := o.user(t, "looks", see, grant(nil, "webhook", "view"))
		a = looks.get(t, tasks).Want(t, http.StatusOK)
		shows(t, a, "failed-title", deliveryList)
		hides(t, a, "retry/", "retry-webhook")
		o.exec(t, "UPDATE extras_delivery SET retry_at = NULL")
		partly := o.user(t, "partly", see, grant(nil, "webhook", "view"), grant(obj{"name": "B"}, "webhook", "change"))
		a = partly.get(t, tasks).Want(t, http.StatusOK)
		if n := strings.Count(string(a.Raw), `id="retry-0`); n != 1 {
			t.Errorf("%d buttons for one failed delivery of B", n)
		}
		blind := o.user(t, "blind", see, grant(obj{"name": "none"}, "webhook", "view")).get(t, tasks).Want(t, http.StatusOK)
		shows(t, blind, "Other and deleted webhooks", "failed-title")
		hides(t, blind, "There are no webhooks")
		shows(t, o.user(t, "blinder", grant(obj{"name": "none"}, "webhook", "view")).get(t, tasks).Want(t, http.StatusOK),
			"There are no webhooks that you may see.")
		hides(t, a, `action="`+o.of(t, o.a, 0)+`retry/"`)
	})
}

// TestRetryingShown: a delivery that waits for an automatic retry is called so wherever it is shown, with the number
// and time of the retry; one that has failed for good is called failed.
func TestRetryingShown(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec(t, "UPDATE extras_webhook SET max_retries = 10")
	o.fail(t, "TRUE")
	o.exec(t, "UPDATE extras_delivery SET tries = 3, retry_at = now() + interval '90 minutes' WHERE webhook_id = $1", o.a)
	change := list(t, o.s, fmt.Sprintf("/api/extras/object-changes/?changed_object_type=dcim.site&changed_object_id=%d",
		o.sites[0])).Results[0]["id"]
	const retrying, failed = `state-retrying">Retrying (3 of 10, in 1 h 29 min)`, `state-failed">Failed`
	for name, path := range map[string]string{"list": deliveryList, "change": fmt.Sprintf("/extras/object-changes/%v/", change),
		"change log": fmt.Sprintf("/dcim/sites/%d/changelog/", o.sites[0])} {
		t.Run(name, func(t *testing.T) { shows(t, o.admin.get(t, path).Want(t, http.StatusOK), retrying, failed) })
	}
	of := func(hook int64) string { return fmt.Sprintf("/extras/webhooks/%d/", hook) }
	for path, shown := range map[string][2]string{o.of(t, o.a, 0): {retrying, "h1>x"},
		of(o.a): {"Retrying (3 of 10, in 1 h 29 min)", failed}, o.of(t, o.b, 0): {failed, "Retrying ("}, of(o.b): {">Failed<", "Retrying ("}} {
		a := o.admin.get(t, path).Want(t, http.StatusOK)
		shows(t, a, shown[0])
		hides(t, a, shown[1])
	}
	t.Run("to those who may not see the webhook", func(t *testing.T) {
		posts := o.user(t, "posts", grant(nil, "delivery", "view"))
		shows(t, posts.get(t, deliveryList), "Retrying (in 1 h 29 min)")
	})
	t.Run("filter", func(t *testing.T) {
		shows(t, o.admin.get(t, deliveryList+"?retrying=true"), "of 3</p>", `name="retrying" id="f_retrying"`)
		shows(t, o.admin.get(t, deliveryList+"?retrying=false&state=failed"), "of 4</p>")
	})
}

// TestDeliveryNames: lists of deliveries show the record's name, even after it is deleted; callers who may see
// neither the record nor the change see its number.
func TestDeliveryNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.fail(t, "TRUE")
	o.s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/dcim/sites/%d/", o.sites[0]), Token: o.s.Admin}).
		Want(t, http.StatusNoContent)
	path := o.of(t, o.b, 0)
	number := fmt.Sprintf("dcim.site %d", o.sites[0])
	looks := o.user(t, "looks", grant(nil, "delivery", "view"), grant(nil, "webhook", "view"))
	for _, place := range []string{deliveryList, tasks, path, fmt.Sprintf("/extras/webhooks/%d/", o.b)} {
		a := o.admin.get(t, place).Want(t, http.StatusOK)
		shows(t, a, "S0&lt;script&gt;")
		hides(t, a, evil, number)
		hides(t, looks.get(t, place).Want(t, http.StatusOK), "S0&lt;script&gt;")
	}
	shows(t, looks.get(t, deliveryList), number)
	found := o.admin.get(t, deliveryList+"?q=s0").Want(t, http.StatusOK)
	shows(t, found, "of 2</p>", "The search looked at the newest 50000")
	shows(t, looks.get(t, deliveryList+"?q=s0"), "Nothing matches")
	hides(t, o.admin.get(t, deliveryList), "The search looked at")
}

func TestDeliveryPage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.of(t, o.a, 0)
	t.Run("queued", func(t *testing.T) {
		a := o.admin.get(t, path).Want(t, http.StatusOK)
		shows(t, a, `hx-trigger="every 2s"`, "Queued", "Nothing was sent yet", "The change")
		hides(t, a, `id="redeliver"`)
		part := o.admin.get(t, path, live("delivery")...)
		shows(t, part, `hx-trigger="every 2s"`)
		hides(t, part, "<html")
		hides(t, o.admin.get(t, path+"?live=off"), "hx-trigger")
	})
	t.Run("why it waits", func(t *testing.T) {
		hides(t, o.admin.get(t, path), "The webhook is")
		o.exec(t, holdHook, o.a)
		shows(t, o.admin.get(t, path), "The webhook is held. The delivery is sent when the receiver is back.")
		o.s.Do(t, apitest.Call{Method: "POST", Path: fmt.Sprintf("/api/extras/webhooks/%d/pause/", o.a), Token: o.s.Admin}).Want(t, http.StatusOK)
		shows(t, o.admin.get(t, path), "The webhook is paused")
		o.s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/extras/webhooks/%d/", o.a), Token: o.s.Admin,
			Body: obj{"enabled": false}}).Want(t, http.StatusOK)
		shows(t, o.admin.get(t, path), "The webhook is disabled")
	})
	o.fail(t, "TRUE")
	o.attempt(t)
	t.Run("failed", func(t *testing.T) {
		a := o.admin.get(t, path).Want(t, http.StatusOK)
		shows(t, a, "Attempt 1", "https://receiver.example/hook", "X-Hook-Sequence", "Answered 500 after 12 ms", "canary-answer",
			"canary-header", "Only the beginning is kept", "Body as sent",
			"{\n  &#34;sent&#34;: ", `id="redeliver"`, fmt.Sprintf(`href="/dcim/sites/%d/"`, o.sites[0]),
			`href="/extras/object-changes/?request_id=`)
		hides(t, a, "hx-trigger", "<script>alert", "<b>canary", "Body as received")
	})
	t.Run("a retry is ahead", func(t *testing.T) {
		o.exec(t, "UPDATE extras_delivery SET retry_at = now() + interval '30 minutes'")
		shows(t, o.admin.get(t, path), "Automatic retry", "In 29 min.")
	})
	t.Run("the same body is shown once", func(t *testing.T) {
		o.exec(t, "INSERT INTO extras_attempt SELECT delivery_id, changed_at, started_at + interval '1 second', milliseconds, method, "+
			"target, request_headers, request_body, NULL, '{}', '', false, 'no route' FROM extras_attempt")
		o.exec(t, "UPDATE extras_delivery SET attempt_count = 2")
		a := o.admin.get(t, path)
		shows(t, a, "The same body as in attempt 2.", "no route", "There was no response")
		if one, two := strings.Index(text(a), `id="attempt-1"`), strings.Index(text(a), `id="attempt-2"`); two < 0 || one < two {
			t.Errorf("the newest attempt is not the first: %d, %d", one, two)
		}
	})
	t.Run("who sees what", func(t *testing.T) {
		looks := o.user(t, "looks", grant(nil, "delivery", "view"), grant(nil, "webhook", "view"))
		a := looks.get(t, path).Want(t, http.StatusOK)
		shows(t, a, "you need permission to change the webhook", "(2 attempts)", "dcim.site ")
		hides(t, a, "canary", "receiver.example", `id="redeliver"`, "/dcim/sites/", "/extras/object-changes/")
		posts := o.user(t, "posts", grant(nil, "delivery", "view")).get(t, path).Want(t, http.StatusOK)
		shows(t, posts, "A &lt;script&gt;")
		hides(t, posts, "canary", `id="redeliver"`, "/extras/webhooks/")
		elsewhere := o.user(t, "elsewhere", grant(nil, "delivery", "view"), grant(nil, "webhook", "view"),
			grant(obj{"name": "B"}, "webhook", "change"))
		hides(t, elsewhere.get(t, path).Want(t, http.StatusOK), "canary", `id="redeliver"`)
		shows(t, elsewhere.get(t, o.of(t, o.b, 0)).Want(t, http.StatusOK), "canary", `id="redeliver"`)
		narrow := o.user(t, "narrow", grant(obj{"webhook__name": "B"}, "delivery", "view"), grant(nil, "webhook", "view", "change"))
		narrow.get(t, path).Want(t, http.StatusNotFound)
		for _, who := range []browser{looks, elsewhere} {
			who.post(t, path+"retry/", url.Values{}).Want(t, http.StatusForbidden)
		}
		narrow.post(t, path+"retry/", url.Values{}).Want(t, http.StatusNotFound)
		if n := o.states(t, "queued"); n != 0 {
			t.Errorf("%d were queued", n)
		}
	})
	t.Run("the record and the webhook are gone", func(t *testing.T) {
		for _, gone := range []string{fmt.Sprintf("/api/dcim/sites/%d/", o.sites[0]), fmt.Sprintf("/api/extras/webhooks/%d/", o.a)} {
			o.s.Do(t, apitest.Call{Method: "DELETE", Path: gone, Token: o.s.Admin}).Want(t, http.StatusNoContent)
		}
		o.exec(t, "UPDATE extras_delivery SET retry_at = NULL") // as a worker does
		a := o.admin.get(t, path).Want(t, http.StatusOK)
		shows(t, a, "(deleted webhook)", "S0&lt;script&gt;", "canary-answer")
		hides(t, a, fmt.Sprintf(`href="/dcim/sites/%d/"`, o.sites[0]), `id="redeliver"`)
		shows(t, o.admin.get(t, tasks).Want(t, http.StatusOK), "(deleted webhook)")
	})
}

func TestRetryOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.of(t, o.b, 1)
	o.admin.post(t, path+"retry/", url.Values{}).Want(t, http.StatusBadRequest)
	o.fail(t, "TRUE")
	a := o.admin.post(t, path+"retry/", url.Values{}).Want(t, http.StatusSeeOther)
	if to := a.Header.Get("Location"); to != path || o.states(t, "queued") != 1 {
		t.Errorf("led to %s, %d queued", to, o.states(t, "queued"))
	}
	if got := note(t, o.admin, a); got != "Queued the delivery to B again." {
		t.Errorf("the note says %q", got)
	}
	o.fail(t, "TRUE")
	for next, want := range map[string]string{tasks: tasks, "https://evil.test/": path, "//evil.test/": path} {
		if to := o.admin.post(t, path+"retry/", url.Values{"next": {next}}).Want(t, http.StatusSeeOther).Header.Get("Location"); to != want {
			t.Errorf("%s led to %s", next, to)
		}
		o.fail(t, "TRUE")
	}
	o.admin.post(t, deliveryList+"00000000-0000-7000-8000-000000000000/retry/", url.Values{}).Want(t, http.StatusNotFound)
	o.admin.post(t, deliveryList+"x/retry/", url.Values{}).Want(t, http.StatusNotFound)
}

// TestSendAgain: the page of any delivery that has ended offers to send it again, to those who may.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.of(t, o.b, 1)
	const button = `redeliver/"><button class="btn btn-primary btn-sm" id="redeliver">Send again</button>`
	looks := o.user(t, "looks", grant(nil, "delivery", "view"), grant(nil, "webhook", "view"))
	hides(t, o.admin.get(t, path), button)
	o.admin.post(t, path+"redeliver/", url.Values{}).Want(t, http.StatusBadRequest)
	for _, end := range []string{"state = 'successful', status_code = 200, finished_at = now()",
		"state = 'failed', reason = 'x', finished_at = now()",
		"state = 'failed', reason = 'x', finished_at = now(), retry_at = now() + interval '1 hour'"} {
		o.exec(t, "UPDATE extras_delivery SET "+end)
		shows(t, o.admin.get(t, path), `action="`+path+button)
		hides(t, looks.get(t, path).Want(t, http.StatusOK), button)
		looks.post(t, path+"redeliver/", url.Values{}).Want(t, http.StatusForbidden)
		a := o.admin.post(t, path+"redeliver/", url.Values{}).Want(t, http.StatusSeeOther)
		if to := a.Header.Get("Location"); to != path || o.states(t, "queued") != 1 {
			t.Errorf("after %s: led to %s, %d queued", end, to, o.states(t, "queued"))
		}
		if got := note(t, o.admin, a); got != "Queued the delivery to B again." {
			t.Errorf("the note says %q", got)
		}
	}
}

func TestRetryAll(t *testing.T) {
	t.Parallel()
	// Unknown filters are refused here even if lists ignore them.
	o := newOffice(t, func(c *app.Config) { c.StrictFilters = false })
	retry := deliveryList + "retry/"
	shows(t, o.admin.get(t, retry).Want(t, http.StatusOK), "nothing to send again")
	see := grant(nil, "delivery", "view")
	elsewhere := o.user(t, "elsewhere", see, grant(nil, "webhook", "view"), grant(obj{"name": "B"}, "webhook", "change"))
	for _, c := range []struct {
		who    browser
		filter string
		want   int64
		says   string
	}{
		{o.admin, "", 7, "7 deliveries"}, {o.admin, "?webhook_id=", 7, "7 deliveries"},
		{o.admin, fmt.Sprintf("?webhook_id=%d", o.a), 3, "A &lt;script&gt;"},
		{o.admin, fmt.Sprintf("?webhook_id=%d&webhook_id=%d", o.a, o.b), 7, "&lt;/script&gt; or B"},
		{o.admin, "?object_type=dcim.region", 1, "1 delivery<"}, {o.admin, "?webhook_id=999", 0, "Webhook is #999"},
		{elsewhere, "", 4, "4 deliveries"}, {elsewhere, fmt.Sprintf("?webhook_id=%d", o.a), 0, "nothing to send again"},
	} {
		t.Run(c.filter, func(t *testing.T) {
			o.fail(t, "TRUE")
			a := c.who.get(t, retry+c.filter).Want(t, http.StatusOK)
			shows(t, a, c.says)
			hides(t, a, evil)
			if n := o.states(t, "queued"); n != 0 {
				t.Fatalf("asking has queued %d", n)
			}
			action := retry + c.filter
			if c.want > 0 {
				_, rest, _ := strings.Cut(text(a), `<form class="form-buttons" method="post" action="`)
				action, _, _ = strings.Cut(rest, `"`)
				shows(t, a, fmt.Sprintf("<strong>%d deliver", c.want))
			}
			done := c.who.post(t, action, url.Values{}).Want(t, http.StatusSeeOther)
			if n := o.states(t, "queued"); n != c.want {
				t.Errorf("%d are queued, want %d", n, c.want)
			}
			if got := note(t, c.who, done); !strings.HasPrefix(got, fmt.Sprintf("Queued %d deliver", c.want)) {
				t.Errorf("the note says %q", got)
			}
		})
	}
	o.fail(t, "TRUE")
	for _, bad := range []string{"?webhok_id=1", "?q=%00", "?state=lost", "?webhook_id=x", "?limit=1", "?a;b"} {
		o.admin.get(t, retry+bad).Want(t, http.StatusBadRequest)
		o.admin.post(t, retry+bad, url.Values{}).Want(t, http.StatusBadRequest)
	}
	looks := o.user(t, "looks", see, grant(nil, "webhook", "view", "add", "delete"))
	blind := o.user(t, "blind", grant(nil, "webhook", "view", "change"))
	for _, who := range []browser{looks, blind} {
		who.get(t, retry).Want(t, http.StatusForbidden)
		who.post(t, retry, url.Values{}).Want(t, http.StatusForbidden)
	}
	hides(t, blind.get(t, tasks), "retry-webhook")
	if n := o.states(t, "queued"); n != 0 {
		t.Errorf("%d were queued", n)
	}
}

func TestChangePage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	create(t, o.s, "/api/extras/webhooks/", obj{"name": "Broken " + evil, "payload_url": "https://receiver.example/",
		"content_types": []string{"dcim.site"}, "type_create": true, "type_update": true,
		"conditions": obj{"attr": "name", "op": "gt", "value": 5}})
	o.s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/dcim/sites/%d/", o.sites[0]), Token: o.s.Admin,
		Body: obj{"facility": evil}}).Want(t, http.StatusOK)
	path := func() string { return "/extras/object-changes/" + lastChange(t, o.s) + "/" }
	t.Run("an update", func(t *testing.T) {
		a := o.admin.get(t, path()).Want(t, http.StatusOK)
		shows(t, a, "What changed", "<ins>&lt;script&gt;", "fields are unchanged", "state-queued", "A &lt;script&gt;", "Not notified",
			"Broken &lt;script&gt;", "can&#39;t compare it with 5",
			fmt.Sprintf(`href="/dcim/sites/%d/"`, o.sites[0]), "There are none.")
		hides(t, a, evil)
		changed, _, _ := strings.Cut(text(a), "fields are unchanged")
		if strings.Contains(changed, `<th scope="row">slug</th>`) {
			t.Error("what did not change stands among what did")
		}
	})
	t.Run("who sees what", func(t *testing.T) {
		see := grant(nil, "objectchange", "view")
		at := apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}}
		logs := o.user(t, "logs", see, at)
		a := logs.get(t, path()).Want(t, http.StatusOK)
		hides(t, a, "Notified webhooks", "Broken", "/extras/deliveries/", "/users/users/")
		posts := o.user(t, "posts", see, at, grant(nil, "delivery", "view"))
		a = posts.get(t, path()).Want(t, http.StatusOK)
		shows(t, a, "Notified webhooks", "/extras/deliveries/")
		hides(t, a, "Broken", `href="/extras/webhooks/`)
	})
	t.Run("others of the request", func(t *testing.T) {
		many(t, o.s, "/api/dcim/sites/", 23, site)
		a := o.admin.get(t, path()).Want(t, http.StatusOK)
		shows(t, a, "What was created", "20 of 22.", "All changes of this request", "empty or set by every change")
	})
	t.Run("gone", func(t *testing.T) {
		o.s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/dcim/sites/%d/", o.sites[0]), Token: o.s.Admin}).
			Want(t, http.StatusNoContent)
		a := o.admin.get(t, path()).Want(t, http.StatusOK)
		shows(t, a, "What was deleted", "<del>s0</del>", "No webhook was notified")
		hides(t, a, fmt.Sprintf(`href="/dcim/sites/%d/"`, o.sites[0]))
	})
	t.Run("a test of a webhook", func(t *testing.T) {
		o.admin.post(t, fmt.Sprintf("/extras/webhooks/%d/test/", o.b), url.Values{}).Want(t, http.StatusSeeOther)
		id := number(t, o.s, "SELECT max(id) FROM extras_objectchange WHERE object_type = 'test.site'")
		shows(t, o.admin.get(t, fmt.Sprintf("/extras/object-changes/%d/", id)).Want(t, http.StatusOK), "Test of webhook", "state-queued",
			"test.site")
	})
}
