package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

func TestRetry(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	d := p.of(t, p.a, 0)
	retry := deliveryAt(d) + "retry/"
	round := func() string {
		return one[string](t, p.s, `SELECT d.state || ' ' || d.round || ' ' || d.tries || ' ' || (SELECT count(*) FROM river_job j
			WHERE j.id = d.job_id AND j.queue = 'webhook_' || d.webhook_id AND j.state = 'available'
			AND j.args = jsonb_build_object('delivery', d.id, 'round', d.round)) FROM extras_delivery d WHERE d.request_id = $1
				AND d.webhook_id = $2`, d["request_id"], p.a)
	}
	t.Run("what waits is not sent again", func(t *testing.T) {
		w := writtenBy(t, p.s, func() {
			wantDetail(t, p.admin.do(t, "POST", retry, nil), http.StatusBadRequest, "Only a failed delivery can be retried: this one is queued.")
		})
		if w != (written{}) || round() != "queued 1 0 1" {
			t.Errorf("wrote %+v, it is %s", w, round())
		}
	})
	t.Run("nor what has arrived", func(t *testing.T) {
		exec(t, p.s, "UPDATE extras_delivery SET state = 'successful'")
		wantDetail(t, p.admin.do(t, "POST", retry, nil), http.StatusBadRequest, "Only a failed delivery can be retried: this one is successful.")
	})
	t.Run("a failed one is queued in its next round", func(t *testing.T) {
		for n := 2; n < 4; n++ {
			p.fail(t, "TRUE")
			w := writtenBy(t, p.s, func() {
				got := p.admin.do(t, "POST", retry, nil).Want(t, http.StatusAccepted).Object(t)
				if got["id"] != d["id"] || got["state"].(obj)["value"] != "queued" || got["reason"] != "" || got["status_code"] != nil ||
					got["finished_at"] != nil || got["retry_at"] != nil || got["time"] != d["time"] || got["queued_at"] == d["queued_at"] ||
					got["attempt_count"] != 1.0 {
					t.Errorf("%v", got)
				}
			})
			if w != (written{jobs: 1}) || round() != fmt.Sprintf("queued %d 0 1", n) {
				t.Errorf("wrote %+v, it is %s", w, round())
			}
		}
	})
	t.Run("one that waits for its own retry", func(t *testing.T) {
		p.fail(t, "TRUE")
		exec(t, p.s, "UPDATE extras_delivery SET retry_at = now() + interval '1 hour'")
		if got := p.admin.do(t, "POST", retry, nil).Want(t, http.StatusAccepted).Object(t); got["retry_at"] != nil {
			t.Errorf("%v", got)
		}
	})
	t.Run("one that is being retried automatically right now", func(t *testing.T) {
		for _, state := range []string{"running", "available"} { // and then its worker dies
			exec(t, p.s, "UPDATE extras_delivery SET state = 'failed', retry_at = now()")
			exec(t, p.s, "UPDATE river_job SET state = $1::text::river_job_state", state)
			w := writtenBy(t, p.s, func() {
				if state == "available" {
					p.admin.do(t, "POST", retry, nil).Want(t, http.StatusAccepted)
					return
				}
				wantDetail(t, p.admin.do(t, "POST", retry, nil), http.StatusBadRequest,
					"Only a failed delivery can be retried: this one is being sent right now.")
				if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": obj{"id": d["id"]}}).Want(t, http.StatusOK).
					Object(t)["count"]; got != 0.0 {
					t.Errorf("count %v", got)
				}
			})
			if w != (written{}) {
				t.Errorf("wrote %+v, it is %s", w, round())
			}
		}
	})
	t.Run("one whose webhook is gone keeps what is known of it", func(t *testing.T) {
		p := newPost(t)
		d := p.of(t, p.a, 0)
		p.fail(t, "TRUE")
		before := one[int64](t, p.s, "SELECT count(*) FROM extras_delivery WHERE webhook_id <> $1", p.a)
		p.admin.do(t, "DELETE", fmt.Sprintf("%s%d/", webhooks, p.a), nil).Want(t, http.StatusNoContent)
		wantDetail(t, p.admin.do(t, "POST", deliveryAt(d)+"retry/", nil), http.StatusBadRequest,
			"The webhook was deleted, so there is no receiver to send this to.")
		if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": obj{}, "dry_run": true}).Want(t, http.StatusOK).
			Object(t)["count"]; got != float64(before) {
			t.Errorf("count %v, want %d", got, before)
		}
	})
	t.Run("who may", func(t *testing.T) {
		view := func(constraints any) apitest.Grant {
			return apitest.Grant{Types: []string{"extras.delivery"}, Actions: []string{"view"}, Constraints: constraints}
		}
		change := func(constraints any) apitest.Grant {
			return apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view", "change"}, Constraints: constraints}
		}
		_, looks := newActor(t, p.s, "looks", view(nil),
			apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view", "add", "delete"}})
		_, may := newActor(t, p.s, "may", view(nil), change(nil))
		_, blind := newActor(t, p.s, "blind", change(nil))
		_, elsewhere := newActor(t, p.s, "elsewhere", view(nil), change(obj{"name": "B"}))
		_, narrow := newActor(t, p.s, "narrow", view(obj{"webhook__name": "B"}), change(nil))
		for _, row := range []struct {
			name     string
			who      actor
			one, all int
			count    float64 // of seven failed ones
		}{
			{"may see deliveries, not change webhooks", looks, 403, 403, 0},
			{"with a read-only token", actor{p.s, p.s.TokenOf(t, "may", true)}, 403, 403, 0},
			{"may change webhooks, not see deliveries", blind, 403, 403, 0},
			{"may change another webhook", elsewhere, 403, 200, 4},
			{"may see others", narrow, 404, 200, 4},
			{"may", may, 202, 200, 7},
		} {
			t.Run(row.name, func(t *testing.T) {
				p.fail(t, "TRUE")
				row.who.do(t, "POST", retry, nil).Want(t, row.one)
				p.fail(t, "TRUE")
				w := writtenBy(t, p.s, func() {
					a := row.who.do(t, "POST", deliveries+"retry/", obj{"filter": obj{}}).Want(t, row.all)
					if row.all == 200 && a.Object(t)["count"] != row.count {
						t.Errorf("%s", a.Raw)
					}
				})
				if w != (written{jobs: int64(row.count)}) || one[int64](t, p.s,
					"SELECT count(*) FROM extras_delivery WHERE state = 'queued'") != int64(row.count) {
					t.Errorf("wrote %+v", w)
				}
			})
		}
	})
}

// TestRetryAll: the filters of the list, as JSON. Of seven deliveries, the four to B have failed, and one of the
// three to A was successful.
func TestRetryAll(t *testing.T) {
	t.Parallel()
	// an ignored filter would send what it should leave out
	for name, strict := range map[string]bool{"strict filters": true, "loose filters": false} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t, func(c *app.Config) { c.StrictFilters = strict })
			failed := fmt.Sprintf("webhook_id = %d", p.b)
			p.fail(t, failed)
			exec(t, p.s, "UPDATE extras_delivery SET state = 'successful' WHERE webhook_id = $1 AND object_id = $2", p.a, p.sites[0])
			d := p.of(t, p.b, 0)
			for _, row := range []struct {
				name   string
				filter any
				count  float64
			}{
				{"all", obj{}, 4}, {"webhook", obj{"webhook_id": p.b}, 4}, {"webhook as text", obj{"webhook_id": fmt.Sprint(p.b)}, 4},
				{"another webhook", obj{"webhook_id": p.a}, 0}, {"webhooks", obj{"webhook_id": []int64{p.a, p.b}}, 4},
				{"one", obj{"id": d["id"]}, 1}, {"type", obj{"object_type": "dcim.region"}, 1},
				{"object", obj{"object_type": "dcim.site", "object_id": p.sites[1]}, 1}, {"request", obj{"request_id": d["request_id"]}, 1},
				{"state", obj{"state": "failed"}, 4}, {"a state that can't be", obj{"state": "queued"}, 0},
				{"time", obj{"time__gte": d["time"]}, 4}, {"later", obj{"time__gt": "2999-01-01"}, 0},
				{"reason", obj{"reason__ic": "answered"}, 4}, {"not this one", obj{"id__n": d["id"]}, 3},
			} {
				t.Run(row.name, func(t *testing.T) {
					p.fail(t, failed)
					for _, dry := range []bool{true, false} {
						w := writtenBy(t, p.s, func() {
							if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": row.filter, "dry_run": dry}).Want(t, http.StatusOK).
								Object(t)["count"]; got != row.count {
								t.Errorf("dry run %t: count %v, want %v", dry, got, row.count)
							}
						})
						want := written{jobs: int64(row.count)}
						if dry {
							want = written{}
						}
						if w != want || len(p.list(t, "state=queued")) != 2+int(want.jobs) {
							t.Errorf("dry run %t wrote %+v", dry, w)
						}
					}
				})
			}
			p.fail(t, failed)
			for _, row := range []struct {
				name  string
				body  any
				field string
			}{
				{"nothing", nil, "filter"}, {"no filter", obj{}, "filter"}, {"no filter, dry", obj{"dry_run": true}, "filter"},
				{"null", obj{"filter": nil}, "filter"}, {"a list", obj{"filter": []any{}}, "filter"}, {"a text", obj{"filter": "all"}, "filter"},
				{"an unknown filter", obj{"filter": obj{"webhok_id": 1}}, "webhok_id"},
				{"an unknown one beside a good one", obj{"filter": obj{"webhook_id": p.b, "nothing": 1}}, "nothing"},
				{"a control", obj{"filter": obj{"limit": 1}}, "limit"},
				{"a bad value", obj{"filter": obj{"webhook_id": "x"}}, "webhook_id"}, {"a bad id", obj{"filter": obj{"id": 1}}, "id"},
				{"null as a value", obj{"filter": obj{"webhook_id": nil}}, "webhook_id"},
				{"an object as a value", obj{"filter": obj{"webhook_id": obj{}}}, "webhook_id"},
				{"a list in a list", obj{"filter": obj{"webhook_id": []any{[]any{}}}}, "webhook_id"},
				{"a dry run of no kind", obj{"filter": obj{}, "dry_run": "yes"}, "dry_run"},
				{"a dry run of null", obj{"filter": obj{}, "dry_run": nil}, "dry_run"},
				{"many", []any{obj{"filter": obj{}}}, "non_field_errors"},
			} {
				t.Run(row.name, func(t *testing.T) {
					w := writtenBy(t, p.s, func() {
						if errs := p.admin.do(t, "POST", deliveries+"retry/", row.body).Want(t, http.StatusBadRequest).Object(t); errs[row.field] == nil {
							t.Errorf("%v", errs)
						}
					})
					if w != (written{}) || len(p.list(t, "state=failed")) != 4 {
						t.Errorf("a refused request wrote %+v", w)
					}
				})
			}
		})
	}
}

// TestPause: a pause is a note about a webhook, no change: it makes no version and no row in the log. Deliveries wait
// meanwhile.
func TestPause(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	place := at(webhooks, p.a)
	before := p.admin.get(t, place).Want(t, http.StatusOK)
	var first any
	for _, row := range []struct {
		action string
		paused bool
	}{{"resume", false}, {"pause", true}, {"pause", true}, {"resume", false}, {"resume", false}, {"pause", true}} {
		w := writtenBy(t, p.s, func() {
			a := p.admin.do(t, "POST", place+row.action+"/", nil).Want(t, http.StatusOK)
			got := a.Object(t)
			if (got["paused_at"] != nil) != row.paused || row.paused && !timestamp.MatchString(fmt.Sprint(got["paused_at"])) {
				t.Errorf("after %s: paused_at is %v", row.action, got["paused_at"])
			}
			if row.paused && first != nil && got["paused_at"] != first {
				t.Errorf("paused again, paused_at went from %v to %v", first, got["paused_at"])
			}
			if first = got["paused_at"]; a.Header.Get("ETag") != before.Header.Get("ETag") ||
				got["last_updated"] != before.Object(t)["last_updated"] {
				t.Errorf("after %s: %s %v", row.action, a.Header.Get("ETag"), got["last_updated"])
			}
			if read := p.admin.get(t, place).Object(t); read["paused_at"] != got["paused_at"] {
				t.Errorf("read: %v", read["paused_at"])
			}
		})
		if w != (written{}) {
			t.Errorf("%s wrote %+v", row.action, w)
		}
	}
	t.Run("what happens meanwhile waits", func(t *testing.T) {
		w := writtenBy(t, p.s, func() { p.admin.create(t, sites, site("meanwhile")) })
		if w != (written{1, 2, 2, 0}) {
			t.Errorf("wrote %+v", w)
		}
	})
	t.Run("a change of the webhook keeps it", func(t *testing.T) {
		if got := p.admin.patch(t, webhooks, p.a, obj{"max_retries": 3, "paused_at": nil}); got["paused_at"] != first {
			t.Errorf("%v", got["paused_at"])
		}
	})
	wantDetail(t, p.admin.do(t, "POST", at(webhooks, 999)+"pause/", nil), http.StatusNotFound, notFound)
	wantDetail(t, p.admin.do(t, "POST", webhooks+"x/pause/", nil), http.StatusNotFound, notFound)
	t.Run("who may", func(t *testing.T) {
		_, partly := newActor(t, p.s, "partly", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}},
			apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"change"}, Constraints: obj{"name": "B"}})
		_, looks := newActor(t, p.s, "looks", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view", "add", "delete"}})
		for _, action := range []string{"pause/", "resume/"} {
			partly.do(t, "POST", at(webhooks, p.b)+action, nil).Want(t, http.StatusOK)
			wantDetail(t, partly.do(t, "POST", at(webhooks, p.a)+action, nil), http.StatusNotFound, notFound)
			wantDetail(t, looks.do(t, "POST", at(webhooks, p.b)+action, nil), http.StatusForbidden, denied)
		}
		if got := p.admin.get(t, place).Object(t)["paused_at"]; got != first {
			t.Errorf("paused_at is %v", got)
		}
	})
}

// TestQueues: queued deliveries by webhook, for those who may see it; and the workers.
func TestQueues(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.fail(t, fmt.Sprintf("webhook_id = %d AND object_type = 'dcim.region'", p.b))
	exec(t, p.s, "UPDATE extras_delivery SET retry_at = now() + interval '1 hour' WHERE state = 'failed'")
	exec(t, p.s,
		"INSERT INTO extras_tally SELECT date_trunc('minute', now() - n * interval '1 minute'), $1, 1, 2, 60 FROM "+
			"unnest(ARRAY[0, 1, 60]) AS n", p.a)
	p.admin.do(t, "POST", at(webhooks, p.b)+"pause/", nil).Want(t, http.StatusOK)
	p.admin.create(t, webhooks, hook("C", "enabled", false))
	rows := p.admin.page(t, queues)
	for i, want := range []string{"A true false 3 0 2 4 0.4 20", "B true true 3 1 0 0 0 <nil>", "C false false 0 0 0 0 0 <nil>"} {
		q := rows.Results[i]
		var parts []string
		for _, field := range []string{"enabled", "paused", "queued", "retrying", "successful", "failed", "per_minute", "average_ms"} {
			parts = append(parts, fmt.Sprint(q[field]))
		}
		if got := fmt.Sprint(q["webhook"].(obj)["name"], " ", strings.Join(parts, " ")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if age, ok := q["oldest_age_seconds"].(float64); ok != (q["queued"] != 0.0) || age < 0 || age > 600 {
			t.Errorf("the oldest has waited for %v", q["oldest_age_seconds"])
		}
	}
	exec(t, p.s,
		"INSERT INTO extras_worker VALUES ('alive', 'h', '1', now(), now(), 5, true), ('gone', 'h', '1', now(), now() - interval "+
			"'1 minute', 0, false)")
	_, viewer := newActor(t, p.s, "viewer", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}})
	_, partly := newActor(t, p.s, "partly", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"},
		Constraints: obj{"name": "B"}})
	_, posts := newActor(t, p.s, "posts", apitest.Grant{Types: []string{"extras.delivery"}, Actions: []string{"view"}})
	for _, row := range []struct {
		name          string
		who           actor
		queues, alive int64
	}{{"superuser", p.admin, 3, 1}, {"may see webhooks", viewer, 3, 1}, {"may see one", partly, 1, 1}} {
		t.Run(row.name, func(t *testing.T) {
			q, w := row.who.page(t, queues), row.who.page(t, workers)
			if q.Count != row.queues || int64(len(q.Results)) != row.queues || w.Count != row.alive || w.Results[0]["id"] != "alive" ||
				w.Results[0]["sending"] != 5.0 || w.Results[0]["clock_wrong"] != true {
				t.Errorf("%v %v", q, w)
			}
		})
	}
	for _, path := range []string{queues, workers} {
		wantDetail(t, posts.get(t, path), http.StatusForbidden, denied)
		wantDetail(t, actor{p.s, ""}.get(t, path), http.StatusForbidden, noCreds)
	}
}
