package webhooks_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"terrier/test/install"
)

// alert is what a webhook on the health of others is sent.
type alert struct {
	at    time.Time
	state string
}

// alerts returns the alerts about a webhook so far.
func (w *world) alerts(webhook int64) (found []alert) {
	w.t.Helper()
	for _, x := range w.receiver.at("/alert") {
		var body struct {
			Data struct {
				Webhook struct{ ID int64 }
				State   struct{ Value string }
			}
		}
		if err := json.Unmarshal([]byte(x.body), &body); err != nil {
			w.t.Fatal(err)
		}
		if body.Data.Webhook.ID == webhook {
			found = append(found, alert{x.at, body.Data.State.Value})
		}
	}
	return found
}

// TestFlappingReceiver: a receiver that is up and down every 10 s for 5 minutes makes at most 4 alerts. The first comes within 10 s of
// the fifth failure, and that the receiver is back is said once, when it has been up for a minute.
func TestFlappingReceiver(t *testing.T) {
	if os.Getenv("TERRIER_LONG") == "" {
		t.Skip("it takes eight minutes: make long-flap")
	}
	r := &holdRun{world: newWorld(t, alertsAtOnce), rate: 10, stop: make(chan struct{}), made: map[string]time.Time{}}
	r.Work()
	r.sites = []*site{r.site(nil), r.site(nil)}
	hooks := map[string]int64{"/fails": 0, "/holds": 0}
	for path := range hooks {
		hooks[path] = r.world.hook(path, object{"name": path, "hold_on_failure": path == "/holds", "type_create": false})
	}
	r.world.hook("/alert", object{"name": "alert", "content_types": []string{"extras.webhookhealth"}})
	answer := func(status int) {
		for path := range hooks {
			r.receiver.answerStatus(path, status)
		}
		wait(10 * time.Second)
	}
	r.change()
	for range 15 {
		answer(http.StatusServiceUnavailable)
		answer(http.StatusOK)
	}
	for path, id := range hooks {
		install.Within(t, 2*time.Minute, "the alert that "+path+" is back should come", func() bool {
			found := r.alerts(id)
			return len(found) > 0 && found[len(found)-1].state == "healthy"
		})
	}
	wait(75 * time.Second) // in which any other change of state would have been said
	close(r.stop)
	r.load.Wait()
	for path, id := range hooks {
		r.judgeAlerts(t, path, r.alerts(id))
	}
}

func (r *holdRun) judgeAlerts(t *testing.T, path string, found []alert) {
	t.Helper()
	var failed []time.Time
	for _, x := range r.receiver.at(path) {
		if x.status == http.StatusServiceUnavailable {
			failed = append(failed, x.at)
		}
	}
	slices.SortFunc(failed, time.Time.Compare)
	back := slices.IndexFunc(found, func(a alert) bool { return a.state == "healthy" })
	if len(found) > 4 || back < 1 || back != len(found)-1 {
		t.Fatalf("%s: the alerts are %+v", path, found)
	}
	after := found[0].at.Sub(failed[4])
	if after > 10*time.Second {
		t.Errorf("%s: the first alert came %v after the fifth failure", path, after)
	}
	t.Logf("%s: %d failures, %d alerts; the first came %v after the fifth failure", path, len(failed), len(found),
		after.Round(time.Millisecond))
}
