package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"terrier/internal/app"
	"terrier/internal/dbtest"
	"terrier/test/apitest"
)

// nested creates a parent with an empty bay, and a child.
func (h *hardware) nested(t *testing.T) (parent, bay, child int64) {
	t.Helper()
	bay = h.make(t, "devicebay")
	parent = idOf(h.read(t, "devicebay", bay), "device")
	return parent, bay, h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0))
}

// TestDeadlockIsRetried lets a request and another transaction wait for each other: the request starts over and succeeds.
func TestDeadlockIsRetried(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	parent, bay, child := h.nested(t)
	for range 10 { // the database ends the one that has waited longer. That is the request, unless the machine is busy
		h.set(t, "devicebay", bay, "installed_device", nil)
		other, err := h.s.DB.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.Exec(t.Context(), "SELECT FROM dcim_device WHERE id = $1 FOR UPDATE", child); err != nil {
			t.Fatal(err)
		}
		answer := make(chan apitest.Answer, 1)
		go func() { answer <- h.write(t, "devicebay", bay, "installed_device", child) }()
		dbtest.AwaitWaiters(t, h.s.DB, 1)
		_, ended := other.Exec(t.Context(), "SELECT FROM dcim_devicebay WHERE id = $1 FOR UPDATE", bay)
		if err := other.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantRef(t, (<-answer).Want(t, http.StatusOK).Object(t), "installed_device", child)
		if ended == nil {
			wantRef(t, h.read(t, "device", child), "site", idOf(h.read(t, "device", parent), "site"))
			return
		}
	}
	t.Error("no request was ended")
}

// deadlocks returns how many the database has seen.
func (h *hardware) deadlocks(t *testing.T) (n int) {
	t.Helper()
	err := h.s.DB.QueryRow(t.Context(), `SELECT deadlocks FROM pg_stat_database, pg_stat_force_next_flush()
		WHERE datname = current_database()`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBaysAndMovesCross installs children in bays, renames them and takes them out while the parents move: every request succeeds, and a
// child that is installed is where its parent is.
func TestBaysAndMovesCross(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t, func(c *app.Config) { c.DatabaseURL += "&pool_max_conns=20" }))}
	rack := h.made(t, "rack")
	const parents = 5
	var requests []func() apitest.Answer
	add := func(name string, id int64, more ...any) {
		requests = append(requests, func() apitest.Answer { return h.write(t, name, id, more...) })
	}
	var staying, leaving []int64
	for range parents {
		parent, bay, child := h.nested(t)
		second := h.make(t, "devicebay", "device", parent)
		left := h.make(t, "device", "device_type", idOf(h.read(t, "device", child), "device_type"))
		h.set(t, "devicebay", second, "installed_device", left)
		staying, leaving = append(staying, child), append(leaving, left)
		add("device", parent, "site", idOf(rack, "site"), "rack", apitest.ID(rack))
		add("devicebay", bay, "installed_device", child)
		add("devicebay", second, "installed_device", nil)
		add("device", child, "serial", "renamed")
		add("device", left, "serial", "renamed")
	}
	answers := together(requests...)
	for _, a := range answers {
		if a.Status != http.StatusOK {
			t.Errorf("%s %s: %d %s", a.Call.Method, a.Call.Path, a.Status, a.Raw)
		}
	}
	t.Logf("%d requests, %d deadlocks", len(requests), h.deadlocks(t))
	for i := range parents {
		child := h.read(t, "device", staying[i])
		wantRef(t, child, "rack", apitest.ID(rack))
		wantRef(t, child, "site", idOf(rack, "site"))
		for _, id := range []int64{staying[i], leaving[i]} {
			want(t, "serial", h.read(t, "device", id)["serial"], any("renamed"))
		}
		want(t, "in the rack and at its site", idOf(h.read(t, "device", leaving[i]), "rack") != 0,
			fmt.Sprint(h.read(t, "device", leaving[i])["site"]) == fmt.Sprint(child["site"]))
	}
}

// together sends requests at the same time.
func together(requests ...func() apitest.Answer) []apitest.Answer {
	start, answers := make(chan struct{}), make([]apitest.Answer, len(requests))
	var done sync.WaitGroup
	for i, request := range requests {
		done.Go(func() {
			<-start
			answers[i] = request()
		})
	}
	close(start)
	done.Wait()
	return answers
}

// TestMastersCross creates virtual chassis with the same master while that device joins another one: one of them gets it, and every master
// is a member.
func TestMastersCross(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t, func(c *app.Config) { c.DatabaseURL += "&pool_max_conns=20" }))}
	for range 10 {
		device, other := h.make(t, "device"), h.make(t, "virtualchassis")
		create := func() func() apitest.Answer {
			body := h.body(t, "virtualchassis", "master", device)
			return func() apitest.Answer { return h.do(t, http.MethodPost, h.list("virtualchassis"), body) }
		}
		succeeded := 0
		for _, a := range together(create(), create(), create(), func() apitest.Answer {
			return h.write(t, "device", device, "virtual_chassis", other, "vc_position", 1)
		}) {
			switch a.Status / 100 {
			case 2:
				succeeded++
			default:
				if errs := keys(a.Want(t, http.StatusBadRequest).Object(t)); errs != "master" && errs != "virtual_chassis" {
					t.Errorf("%s %s is refused with %s", a.Call.Method, a.Call.Path, a.Raw)
				}
			}
		}
		want(t, "how many got the device", succeeded, 1)
	}
	var strangers int
	err := h.s.DB.QueryRow(t.Context(), `SELECT count(*) FROM dcim_virtualchassis c JOIN dcim_device d ON d.id = c.master_id
		WHERE d.virtual_chassis_id IS DISTINCT FROM c.id`).Scan(&strangers)
	if err != nil || strangers != 0 {
		t.Errorf("%d masters are no members (%v)", strangers, err)
	}
}
