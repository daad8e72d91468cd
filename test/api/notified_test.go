package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/store"
	"terrier/test/apitest"
)

// written counts the rows in the tables that a change writes. No worker runs, so nothing else changes them.
type written struct{ changes, deliveries, jobs, conditionErrors int64 }

func writtenBy(t *testing.T, s *apitest.Server, do func()) written {
	t.Helper()
	count := func() (w written) {
		w.changes, w.deliveries = one[int64](t, s, "SELECT count(*) FROM extras_objectchange"),
			one[int64](t, s, "SELECT count(*) FROM extras_delivery")
		w.jobs, w.conditionErrors = one[int64](t, s, "SELECT count(*) FROM river_job"),
			one[int64](t, s, "SELECT count(*) FROM extras_conditionerror")
		return w
	}
	before := count()
	do()
	after := count()
	return written{after.changes - before.changes, after.deliveries - before.deliveries, after.jobs - before.jobs,
		after.conditionErrors - before.conditionErrors}
}

// TestNotified: which changes a webhook is notified of. Each row is one webhook through the life of a site: it is
// created active, gets the facility "new", is sent what it already has, and is deleted. The counts are in that order.
func TestNotified(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	only := func(event string) []any {
		return []any{"type_create", event == "create", "type_update", event == "update", "type_delete", event == "delete"}
	}
	when := func(conditions any) []any { return []any{"conditions", conditions} }
	for _, row := range []struct {
		name     string
		hook     []any
		notified string // deliveries, each with its job
		failed   string
	}{
		{"every event", nil, "1 1 0 1", "0 0 0 0"},
		{"created", only("create"), "1 0 0 0", "0 0 0 0"},
		{"updated", only("update"), "0 1 0 0", "0 0 0 0"},
		{"deleted", only("delete"), "0 0 0 1", "0 0 0 0"},
		{"disabled", []any{"enabled", false}, "0 0 0 0", "0 0 0 0"},
		{"another type", []any{"content_types", []string{"dcim.region"}}, "0 0 0 0", "0 0 0 0"},
		{"several types", []any{"content_types", []string{"dcim.region", "dcim.site"}}, "1 1 0 1", "0 0 0 0"},
		{"any method", []any{"http_method", "GET"}, "1 1 0 1", "0 0 0 0"},
		{"a condition that holds", when(obj{"attr": "status", "value": "active"}), "1 1 0 1", "0 0 0 0"},
		{"the value of a choice", when(obj{"attr": "status.value", "value": "active"}), "1 1 0 1", "0 0 0 0"},
		{"a condition that does not hold", when(obj{"attr": "status", "value": "planned"}), "0 0 0 0", "0 0 0 0"},
		{"a negated one", when(obj{"attr": "status", "value": "planned", "negate": true}), "1 1 0 1", "0 0 0 0"},
		{"the state after the change", when(obj{"attr": "facility", "value": "new"}), "0 1 0 1", "0 0 0 0"},
		{"the state before the change", when(obj{"attr": "snapshots.prechange.facility", "value": "new"}), "0 0 0 1", "0 0 0 0"},
		{"all of them", when(obj{"and": []obj{{"attr": "status", "value": "active"}, {"attr": "facility", "value": "new"}}}), "0 1 0 1",
			"0 0 0 0"},
		{"any of them", when(obj{"or": []obj{{"attr": "status", "value": "planned"}, {"attr": "facility", "value": "new"}}}), "0 1 0 1",
			"0 0 0 0"},
		{"what changed", append(only("update"), when(obj{"attr": "facility", "op": "changed"})...), "0 1 0 0", "0 0 0 0"},
		{"what did not change", append(only("update"), when(obj{"attr": "status", "op": "changed"})...), "0 0 0 0", "0 0 0 0"},
		{"an attribute that is not there", when(obj{"attr": "nothing", "value": "x"}), "0 0 0 0", "0 0 0 0"},
		{"a condition that can't be evaluated", when(broken), "0 0 0 0", "1 1 0 1"},
		{"one of two can't be evaluated", when(obj{"or": []obj{{"attr": "status", "value": "active"}, broken}}), "1 1 0 1", "0 0 0 0"},
		{"not evaluated for what is not asked", append(only("delete"), when(broken)...), "0 0 0 0", "0 0 0 1"},
		{"not evaluated when disabled", append([]any{"enabled", false}, when(broken)...), "0 0 0 0", "0 0 0 0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			id := admin.create(t, webhooks, hook("w", row.hook...))
			var place string
			var notified, failed []string
			for _, step := range []struct {
				changes int64
				do      func()
			}{
				{1, func() { place = at(sites, admin.create(t, sites, site("S"))) }},
				{1, func() { admin.do(t, "PATCH", place, obj{"facility": "new"}).Want(t, http.StatusOK) }},
				{0, func() { admin.do(t, "PATCH", place, obj{"facility": "new", "name": "S"}).Want(t, http.StatusOK) }},
				{1, func() { admin.do(t, "DELETE", place, nil).Want(t, http.StatusNoContent) }},
			} {
				w := writtenBy(t, s, step.do)
				if w.changes != step.changes || w.jobs != w.deliveries {
					t.Errorf("written: %+v", w)
				}
				notified, failed = append(notified, fmt.Sprint(w.deliveries)), append(failed, fmt.Sprint(w.conditionErrors))
			}
			if got := strings.Join(notified, " "); got != row.notified {
				t.Errorf("notified %s, want %s", got, row.notified)
			}
			if got := strings.Join(failed, " "); got != row.failed {
				t.Errorf("condition errors %s, want %s", got, row.failed)
			}
			w := writtenBy(t, s, func() { admin.do(t, "DELETE", at(webhooks, id), nil).Want(t, http.StatusNoContent) })
			if w != (written{changes: 1}) {
				t.Errorf("its own deletion wrote %+v", w)
			}
		})
	}
	t.Run("the counts are true", func(t *testing.T) {
		for path, table := range map[string]string{deliveries: "extras_delivery", conditionErrors: "extras_conditionerror",
			changeLog: "extras_objectchange"} {
			if got, want := admin.page(t, path).Count, one[int64](t, s, "SELECT count(*) FROM "+table); got != want || want == 0 {
				t.Errorf("%s counts %d of %d", path, got, want)
			}
		}
	})
	t.Run("why its conditions failed", func(t *testing.T) {
		last := admin.page(t, conditionErrors+"?limit=1").Results[0]
		if reason, _ := last["reason"].(string); !strings.Contains(reason, "name") || last["object_type"] != "dcim.site" ||
			last["webhook"] != nil {
			t.Errorf("%v", last)
		}
	})
}

// TestNotifiedTogether: requests that change several records, one record several times, or nothing after all. The
// webhook All is notified of all sites, regions and locations; Sites only of updated sites.
func TestNotifiedTogether(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	everything := []string{"dcim.site", "dcim.region", "dcim.location", "extras.tag"}
	_, limited := newActor(t, s, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add", "change"},
		Constraints: obj{"status": "planned"}})
	region := admin.create(t, regions, obj{"name": "R", "slug": "r"})
	tag := admin.create(t, tags, obj{"name": "t", "slug": "t"})
	var ids []int64
	for i := range 3 {
		ids = append(ids, admin.create(t, sites, site(fmt.Sprint("s", i), "region", region, "tags", []int64{tag}, "status", "planned")))
	}
	floor := admin.create(t, places, obj{"name": "F", "slug": "f", "site": ids[2]})
	admin.create(t, places, obj{"name": "R", "slug": "r", "site": ids[2], "parent": floor})
	admin.create(t, webhooks, hook("all", "content_types", everything))
	admin.create(t, webhooks, hook("sites", "type_create", false, "type_delete", false))
	for _, row := range []struct {
		name         string
		who          actor
		method, path string
		body         any
		status       int
		changes      int64
		events       string // of the deliveries to each webhook, by object type
	}{
		{"three new ones", admin, "POST", sites, []obj{site("a"), site("b"), site("c")}, 201, 3, "all dcim.site created 3"},
		{"three edits to one", admin, "PATCH", sites, []obj{{"id": ids[0], "facility": "1"}, {"id": ids[0], "facility": "2"},
			{"id": ids[0], "comments": "3"}}, 200, 1, "all dcim.site updated 1, sites dcim.site updated 1"},
		{"edits that undo each other", admin, "PATCH", sites, []obj{{"id": ids[0], "facility": "x"}, {"id": ids[0], "facility": "2"}},
			200, 0, ""},
		{"two of three change", admin, "PATCH", sites, []obj{{"id": ids[0], "facility": "2"}, {"id": ids[1], "facility": "n"},
			{"id": ids[2], "facility": "n"}}, 200, 2, "all dcim.site updated 2, sites dcim.site updated 2"},
		{"a tag that is in use is deleted", admin, "DELETE", at(tags, tag), nil, 204, 4,
			"all dcim.site updated 3, all extras.tag deleted 1, sites dcim.site updated 3"},
		{"a region that is in use is deleted", admin, "DELETE", at(regions, region), nil, 204, 4,
			"all dcim.region deleted 1, all dcim.site updated 3, sites dcim.site updated 3"},
		{"a site is deleted with its locations", admin, "DELETE", at(sites, ids[2]), nil, 204, 3,
			"all dcim.location deleted 2, all dcim.site deleted 1"},
		{"a type nobody listens to", admin, "POST", tenants, obj{"name": "t", "slug": "t"}, 201, 1, ""},

		{"a new one of three clashes with a record", admin, "POST", sites, []obj{site("d"), site("e"), site("s0")}, 400, 0, ""},
		{"a new one of three clashes with another", admin, "POST", sites, []obj{site("d"), site("e"), site("d")}, 400, 0, ""},
		{"one of two edits clashes", admin, "PATCH", sites, []obj{{"id": ids[0], "facility": "z"}, {"id": ids[1], "slug": "s0"}}, 400, 0, ""},
		{"one of two edits is invalid", admin, "PATCH", sites, []obj{{"id": ids[0], "facility": "z"}, {"id": ids[1], "status": "?"}}, 400, 0, ""},
		{"one of two to delete is not there", admin, "DELETE", sites, []obj{{"id": ids[0]}, {"id": 1 << 40}}, 400, 0, ""},
		{"moved out of the constraint", limited, "PATCH", at(sites, ids[0]), obj{"status": "active"}, 403, 0, ""},
		{"one of two moved out of the constraint", limited, "PATCH", sites,
			[]obj{{"id": ids[0], "facility": "q"}, {"id": ids[1], "status": "active"}}, 403, 0, ""},
		{"made outside the constraint", limited, "POST", sites, []obj{site("f", "status", "planned"), site("g")}, 403, 0, ""},
		{"inside the constraint", limited, "PATCH", at(sites, ids[0]), obj{"facility": "q"}, 200, 1,
			"all dcim.site updated 1, sites dcim.site updated 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var a apitest.Answer
			w := writtenBy(t, s, func() { a = row.who.do(t, row.method, row.path, row.body).Want(t, row.status) })
			events := one[string](t, s, `SELECT coalesce(string_agg(line, ', ' ORDER BY line), '') FROM (
				SELECT w.name || ' ' || d.object_type || ' ' || d.event || ' ' || count(*) AS line FROM extras_delivery d JOIN extras_webhook w
					ON w.id = d.webhook_id
				WHERE d.request_id = $1 GROUP BY w.name, d.object_type, d.event) x`, a.Header.Get("X-Request-ID"))
			if events != row.events {
				t.Errorf("notified %q, want %q", events, row.events)
			}
			if w.changes != row.changes || w.jobs != w.deliveries || w.conditionErrors != 0 || (w.deliveries == 0) != (row.events == "") {
				t.Errorf("written: %+v", w)
			}
		})
	}
	t.Run("a refused version", func(t *testing.T) {
		w := writtenBy(t, s, func() {
			s.Do(t, apitest.Call{Method: "PATCH", Path: at(sites, ids[0]), Token: s.Admin, Body: obj{"facility": "?"},
				Header: map[string]string{"If-Match": `"1"`}}).Want(t, http.StatusPreconditionFailed)
		})
		if w != (written{}) {
			t.Errorf("written: %+v", w)
		}
	})
	t.Run("each with its change and its job", func(t *testing.T) {
		if n := one[int64](t, s, `SELECT count(*) FROM extras_delivery d JOIN extras_objectchange c ON c.id = d.change_id
			AND c.changed_at = d.changed_at
			JOIN river_job j ON j.id = d.job_id AND j.args = jsonb_build_object('delivery', d.id, 'round', d.round)
			WHERE c.object_type = d.object_type AND c.object_id = d.object_id AND c.version = d.version AND c.request_id = d.request_id
				AND c.action || 'd' = d.event
				AND d.state = 'queued' AND d.round = 1 AND d.tries = 0 AND d.attempt_count = 0 AND d.queued_at = d.changed_at
				AND j.kind = $1 AND j.queue = 'webhook_' || d.webhook_id AND j.state = 'available'
					AND j.attempt = 0`, store.JobKind); n == 0 || n != one[int64](t, s, "SELECT count(*) FROM extras_delivery") {
			t.Errorf("%d are whole", n)
		}
	})
}

// TestNeverNotified: of accounts and webhooks no webhook is notified, even if it names them.
func TestNeverNotified(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin, l := adminOf(s), newLeast(s)
	admin.create(t, webhooks, hook("nosy"))
	var guarded []string
	for _, typ := range s.App.Registry.Types() {
		if !typ.Notifies() {
			guarded = append(guarded, typ.Key())
		}
	}
	if n := len(guarded); n < 8 {
		t.Fatalf("%d types are never notified of: %v", n, guarded)
	}
	exec(t, s, "UPDATE extras_webhook SET content_types = $1", guarded) // what no request can do
	for _, typ := range s.App.Registry.Types() {
		if typ.Notifies() || typ.ReadOnly {
			continue
		}
		t.Run(typ.Key(), func(t *testing.T) {
			var changes int64
			w := writtenBy(t, s, func() {
				_, id := l.create(t, typ)
				admin.do(t, "DELETE", at(typ.Path(), id), nil).Want(t, http.StatusNoContent)
				changes = int64(len(admin.changes(t, typ.Key(), id)))
			})
			if changes != 2 || w.deliveries != 0 || w.jobs != 0 || w.conditionErrors != 0 {
				t.Errorf("written: %+v", w)
			}
		})
	}
}

// TestFanOut: a request that would cause more than 100,000 deliveries is refused, and
// writes none of them.
func TestFanOut(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	hooks := make([]obj, 100)
	for i := range hooks {
		hooks[i] = hook(fmt.Sprint("w", i), "type_update", false, "type_delete", false)
	}
	admin.do(t, "POST", webhooks, hooks).Want(t, http.StatusCreated)
	bodies := make([]obj, 1001)
	for i := range bodies {
		bodies[i] = site(fmt.Sprint("s", i))
	}
	w := writtenBy(t, s, func() {
		a := admin.do(t, "POST", sites, bodies).Want(t, http.StatusBadRequest)
		if !strings.Contains(string(a.Raw), "100000") {
			t.Errorf("%s", a.Raw)
		}
	})
	if w != (written{}) || admin.page(t, sites).Count != 0 {
		t.Errorf("a refused request wrote %+v", w)
	}
	if one[bool](t, s, "SELECT is_called FROM river_job_id_seq") {
		t.Error("it was refused after it wrote jobs")
	}
	w = writtenBy(t, s, func() { admin.do(t, "POST", sites, bodies[:20]).Want(t, http.StatusCreated) })
	if w != (written{20, 2000, 2000, 0}) || one[int64](t, s, "SELECT count(DISTINCT id) FROM extras_delivery") != 2000 {
		t.Errorf("a part of it wrote %+v", w)
	}
}
