package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestRedeliver: any delivery that has ended can be sent again, under the same id and in its next round.
func TestRedeliver(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	d := p.of(t, p.a, 0)
	redeliver := deliveryAt(d) + "redeliver/"
	standing := func() string {
		return one[string](t, p.s, `SELECT d.state || ' ' || d.round || ' ' || d.tries || ' ' || (SELECT count(*) FROM river_job j
			WHERE j.args->'delivery' = to_jsonb(d.id) AND j.state = 'available'
			AND j.id = d.job_id AND j.args->'round' = to_jsonb(d.round)) || ' of ' || (SELECT count(*) FROM river_job j
				WHERE j.args->'delivery' = to_jsonb(d.id)) FROM extras_delivery d WHERE d.request_id = $1 AND d.webhook_id = $2`,
			d["request_id"], p.a)
	}
	succeed := func() {
		exec(t, p.s,
			"UPDATE extras_delivery SET state = 'successful', finished_at = now(), status_code = 200, attempt_count = 1, tries = 1, reason = "+
				"'', retry_at = NULL")
		exec(t, p.s, "DELETE FROM river_job")
	}
	t.Run("what is queued is sent anyway", func(t *testing.T) {
		w := writtenBy(t, p.s, func() {
			wantDetail(t, p.admin.do(t, "POST", redeliver, nil), http.StatusBadRequest,
				"Only a delivery that has ended can be sent again: this one is queued.")
		})
		if w != (written{}) || standing() != "queued 1 0 1 of 1" {
			t.Errorf("wrote %+v, it is %s", w, standing())
		}
	})
	for n, row := range []struct {
		name string
		end  func()
	}{
		{"successful", succeed},
		{"failed", func() { p.fail(t, "TRUE") }},
		{"failed, and waits for an automatic retry", func() {
			p.fail(t, "TRUE")
			exec(t, p.s, "UPDATE extras_delivery SET retry_at = now() + interval '1 hour'")
			exec(t, p.s, `INSERT INTO river_job (id, args, kind, max_attempts, queue, state, scheduled_at)
				SELECT job_id, jsonb_build_object('delivery', id, 'round', round), 'delivery', 100, 'webhook_' || webhook_id, 'scheduled',
					retry_at FROM extras_delivery`)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.end()
			got := p.admin.do(t, "POST", redeliver, nil).Want(t, http.StatusAccepted).Object(t)
			if got["id"] != d["id"] || got["state"].(obj)["value"] != "queued" || got["reason"] != "" || got["status_code"] != nil ||
				got["finished_at"] != nil ||
				got["retry_at"] != nil || got["time"] != d["time"] || got["attempt_count"] != 1.0 {
				t.Errorf("%v", got)
			}
			if want := fmt.Sprintf("queued %d 0 1 of 1", n+2); standing() != want {
				t.Errorf("it is %s, want %s", standing(), want)
			}
		})
	}
	t.Run("an automatic retry that is being sent right now", func(t *testing.T) {
		exec(t, p.s, "UPDATE extras_delivery SET state = 'failed', retry_at = now()")
		exec(t, p.s, "UPDATE river_job SET state = 'running'")
		wantDetail(t, p.admin.do(t, "POST", redeliver, nil), http.StatusBadRequest,
			"Only a delivery that has ended can be sent again: this one is being sent right now.")
	})
	t.Run("who may", func(t *testing.T) {
		see, hooks := apitest.Grant{Types: []string{"extras.delivery"}, Actions: []string{"view"}}, []string{"extras.webhook"}
		_, looks := newActor(t, p.s, "looks", see, apitest.Grant{Types: hooks, Actions: []string{"view", "add", "delete"}})
		_, blind := newActor(t, p.s, "blind", apitest.Grant{Types: hooks, Actions: []string{"view", "change"}})
		_, elsewhere := newActor(t, p.s, "elsewhere", see,
			apitest.Grant{Types: hooks, Actions: []string{"change"}, Constraints: obj{"name": "B"}})
		_, may := newActor(t, p.s, "may", see, apitest.Grant{Types: hooks, Actions: []string{"change"}})
		succeed()
		for name, who := range map[string]actor{"looks": looks, "blind": blind, "elsewhere": elsewhere,
			"read-only token": {p.s, p.s.TokenOf(t, "may", true)}, "nobody": {p.s, ""}} {
			w := writtenBy(t, p.s, func() { who.do(t, "POST", redeliver, nil).Want(t, http.StatusForbidden) })
			if w != (written{}) {
				t.Errorf("%s wrote %+v", name, w)
			}
		}
		may.do(t, "POST", redeliver, nil).Want(t, http.StatusAccepted)
	})
	t.Run("a webhook that is gone", func(t *testing.T) {
		succeed()
		p.admin.do(t, "DELETE", at(webhooks, p.a), nil).Want(t, http.StatusNoContent)
		wantDetail(t, p.admin.do(t, "POST", redeliver, nil), http.StatusBadRequest,
			"The webhook was deleted, so there is no receiver to send this to.")
	})
	wantDetail(t, p.admin.do(t, "POST", deliveries+"00000000-0000-7000-8000-000000000000/redeliver/", nil), http.StatusNotFound, notFound)
	p.admin.do(t, "POST", redeliver, obj{"dry_run": true}).Want(t, http.StatusBadRequest)
	p.admin.do(t, "GET", redeliver, nil).Want(t, http.StatusMethodNotAllowed)
}
