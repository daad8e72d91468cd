package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestSendATest: a test is a delivery of its own, which is about no record, and the answer is that delivery.
func TestSendATest(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	path := at(webhooks, p.a) + "test/"
	change := one[int64](t, p.s, "SELECT id FROM extras_objectchange WHERE object_type = 'dcim.site' AND object_id = $1", p.sites[0])
	for _, row := range []struct {
		name    string
		body    any
		event   string
		objects string // type and id
	}{
		{"nothing", nil, "created", fmt.Sprint("test.site ", p.sites[2])},
		{"an empty object", obj{}, "created", fmt.Sprint("test.site ", p.sites[2])},
		{"nulls", obj{"change": nil, "object_type": "", "object_id": nil}, "created", fmt.Sprint("test.site ", p.sites[2])},
		{"a change", obj{"change": change}, "created", fmt.Sprint("test.site ", p.sites[0])},
		{"a record", obj{"object_type": "dcim.region", "object_id": p.region}, "updated", fmt.Sprint("test.region ", p.region)},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got obj
			w := writtenBy(t, p.s, func() { got = p.admin.do(t, "POST", path, row.body).Want(t, http.StatusAccepted).Object(t) })
			if w != (written{changes: 1, deliveries: 1, jobs: 1}) {
				t.Errorf("it wrote %+v", w)
			}
			object := fmt.Sprint(got["object_type"], " ", got["object_id"])
			if got["state"].(obj)["value"] != "queued" || got["event"].(obj)["value"] != row.event || object != row.objects ||
				apitest.ID(got["webhook"].(obj)) != p.a || got["object_repr"] != fmt.Sprint("Test of webhook ", p.a) {
				t.Errorf("%v", got)
			}
			if read := p.admin.get(t, deliveryAt(got)).Want(t, http.StatusOK).Object(t); read["request_id"] != got["request_id"] {
				t.Errorf("the delivery reads %v", read)
			}
		})
	}
}

// TestRefusedTests: a test that would not be sent, or of a sample that there is not, writes nothing.
func TestRefusedTests(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	path := at(webhooks, p.a) + "test/"
	p.admin.do(t, "POST", at(webhooks, p.b)+"pause/", nil).Want(t, http.StatusOK)
	refused := func(t *testing.T, who actor, path string, body any, status int) (a apitest.Answer) {
		t.Helper()
		if w := writtenBy(t, p.s, func() { a = who.do(t, "POST", path, body).Want(t, status) }); w != (written{}) {
			t.Errorf("it wrote %+v", w)
		}
		return a
	}
	for _, row := range []struct {
		name, key, message string
		body               any
	}{
		{"a change that is not there", "change", "There is no change with the id 999 that you may see.", obj{"change": 999}},
		{"a record that is not there", "object_id", "There is no dcim.site with the id 999 that you may see.",
			obj{"object_type": "dcim.site", "object_id": 999}},
		{"a type that is not there", "object_type", "Webhooks are not notified of changes to x.y.", obj{"object_type": "x.y", "object_id": 1}},
		{"a type of which nobody is notified", "object_type", "Webhooks are not notified of changes to users.user.",
			obj{"object_type": "users.user", "object_id": 1}},
		{"a record without a type", "object_type", "Name the type of the record, such as dcim.site.", obj{"object_id": 1}},
		{"a type without a record", "object_id", "Name the record of that type.", obj{"object_type": "dcim.site"}},
		{"a change and a record", "change", "Send either a change or a record.", obj{"change": 1, "object_type": "dcim.site", "object_id": 1}},
		{"a misspelled key", "chnage", `Unknown key. Did you mean "change"?`, obj{"chnage": 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			errs := refused(t, p.admin, path, row.body, http.StatusBadRequest).Object(t)
			if got := fmt.Sprint(errs[row.key]); len(errs) != 1 || !strings.Contains(got, row.message) {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("a paused webhook", func(t *testing.T) {
		wantDetail(t, refused(t, p.admin, at(webhooks, p.b)+"test/", nil, http.StatusBadRequest), http.StatusBadRequest,
			"The webhook is paused: resume it first, and the test is sent at once.")
	})
	t.Run("who may", func(t *testing.T) {
		hooks := []string{"extras.webhook"}
		_, looks := newActor(t, p.s, "looks", apitest.Grant{Types: hooks, Actions: []string{"view", "add", "delete"}})
		_, elsewhere := newActor(t, p.s, "elsewhere", apitest.Grant{Types: hooks, Actions: []string{"change"}, Constraints: obj{"name": "B"}})
		_, may := newActor(t, p.s, "may", apitest.Grant{Types: hooks, Actions: []string{"change"}})
		refused(t, looks, path, nil, http.StatusForbidden)
		refused(t, actor{p.s, ""}, path, nil, http.StatusForbidden)
		refused(t, actor{p.s, p.s.TokenOf(t, "may", true)}, path, nil, http.StatusForbidden)
		refused(t, elsewhere, path, nil, http.StatusNotFound)
		// Of records and changes that they may not see, they learn nothing.
		refused(t, may, path, obj{"object_type": "dcim.site", "object_id": p.sites[0]}, http.StatusBadRequest)
		refused(t, may, path, obj{"change": 1}, http.StatusBadRequest)
		if got := may.do(t, "POST", path, nil).Want(t, http.StatusAccepted).Object(t); got["object_id"] != 0.0 {
			t.Errorf("somebody who may see no change sends %v", got)
		}
	})
}

// TestTestProbesAHeldWebhook: whoever sends a test wants to know now whether the receiver is back.
func TestTestProbesAHeldWebhook(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	exec(t, p.s, `INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_at,
		probe_step) SELECT id, 'held', now(), '', 5, 5, now(), version, now() + interval '5 min', '5 min' FROM extras_webhook`)
	p.admin.do(t, "POST", at(webhooks, p.a)+"test/", nil).Want(t, http.StatusAccepted)
	due := one[string](t, p.s, "SELECT string_agg(webhook_id::text, ' ') FROM extras_webhook_state WHERE probe_at <= now()")
	if due != fmt.Sprint(p.a) {
		t.Errorf("due for a probe: %s", due)
	}
}
