package webhooks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"terrier/test/install"
)

// steps are the times between the attempts at a receiver that is away, from when its webhook is held.
var steps = []time.Duration{1, 2, 5, 10, 20, 40, 80, 160, 300}

// holdScale is how long the receiver is away and how many changes are made a second meanwhile. TERRIER_LONG is a time, or
// stands for ten minutes.
func holdScale(t *testing.T) (away time.Duration, rate int) {
	t.Helper()
	long := os.Getenv("TERRIER_LONG")
	if long == "" {
		return 6 * time.Second, 20
	}
	if given, err := time.ParseDuration(long); err == nil {
		return given, 50
	}
	return 10 * time.Minute, 50
}

// holdRun is a test of a receiver that goes away under load.
type holdRun struct {
	*world
	hook  int64
	rate  int
	sites []*site
	stop  chan struct{}
	load  sync.WaitGroup

	mu   sync.Mutex
	made map[string]time.Time // when each change was requested, by site and version
}

// TestReceiverAwayUnderLoad: a receiver is away, and all that changed meanwhile is delivered when it is back: nothing has
// failed, nothing is lost, and with one worker and concurrency 1 the versions of each record come in order, although the
// worker was killed during the hold. Over two workers there is at most one probe in each step of the back-off. Another
// webhook is not delayed, and a third is notified within 10 s of the fifth failure. It runs alone on the machine, because
// it measures times.
func TestReceiverAwayUnderLoad(t *testing.T) {
	away, rate := holdScale(t)
	r := &holdRun{world: newWorld(t, alertsAtOnce), rate: rate, stop: make(chan struct{}), made: map[string]time.Time{}}
	worker := r.Work()
	r.duplicates = 10 // requests to the other receiver under way when the worker is killed
	for range 10 {
		r.sites = append(r.sites, r.site(nil))
	}
	r.hook = r.world.hook("/away", object{"name": "away", "hold_on_failure": true, "concurrency": 1, "type_create": false})
	r.world.hook("/other", object{"name": "other", "type_create": false})
	r.world.hook("/alert", object{"name": "alert", "content_types": []string{"extras.webhookhealth"}})
	r.change()
	idle := r.latencies(away / 2)

	r.receiver.answerStatus("/away", http.StatusServiceUnavailable)
	before := r.receiver.count("/away")
	install.Eventually(t, "the webhook should be held", r.held)
	failed := r.receiver.at("/away")[before:]
	slices.SortFunc(failed, func(a, b receipt) int { return a.at.Compare(b.at) })
	failed = slices.DeleteFunc(failed, func(x receipt) bool { return x.status != http.StatusServiceUnavailable })
	if alerted := r.receiver.awaitWithin(10*time.Second, "/alert", 1)[0].at.Sub(failed[4].at); alerted > 10*time.Second {
		t.Errorf("the alert came %v after the fifth failure", alerted)
	} else {
		t.Logf("the alert came %v after the fifth failure", alerted.Round(time.Millisecond))
	}
	beside := r.latencies(away / 2)
	worker.Kill()
	second, _ := r.Work(), r.Work()
	wait(away / 2)
	second.Stop()
	r.back(t, failed)
	close(r.stop)
	r.load.Wait()
	r.drained(t)
	if os.Getenv("TERRIER_LONG") != "" {
		r.receiver.awaitWithin(90*time.Second, "/alert", 2) // that it is back, once it has been for a minute
	}
	t.Logf("another webhook's p95: %v before, %v while the receiver was away", p95(idle), p95(beside))
	least := 500 * time.Millisecond // other tests keep the machine busy
	if os.Getenv("TERRIER_LONG") != "" {
		least = 0
	}
	if p95(beside) > max(2*p95(idle), least) {
		t.Errorf("another webhook waited: p95 %v, and %v before", p95(beside), p95(idle))
	}
}

// wait lets the load go on for a time.
func wait(d time.Duration) { <-time.After(d) }

// change changes the sites in turn, at the rate, until stop is closed. Each client has its own sites.
func (r *holdRun) change() {
	const clients = 2
	for c := range clients {
		r.load.Go(func() {
			tick := time.NewTicker(time.Second * clients / time.Duration(r.rate))
			defer tick.Stop()
			versions := map[*site]int{}
			for n := c; ; n += clients {
				select {
				case <-r.stop:
					return
				case <-tick.C:
				}
				s := r.sites[n%len(r.sites)]
				if versions[s]++; versions[s] == 1 {
					versions[s] = 2 // it was created with 1
				}
				r.mu.Lock()
				r.made[fmt.Sprint(s.id, " ", versions[s])] = time.Now()
				r.mu.Unlock()
				if a := r.server.Do(http.MethodPatch, s.path, r.admin, object{"description": strconv.Itoa(n)}); a.Status != http.StatusOK {
					r.t.Errorf("a change was refused: %v", a)
					return
				}
			}
		})
	}
}

func versionOf(t *testing.T, x receipt) (site int64, version int) {
	t.Helper()
	var body struct{ Data struct{ ID int64 } }
	if err := json.Unmarshal([]byte(x.body), &body); err != nil {
		t.Fatal(err)
	}
	version, err := strconv.Atoi(x.header.Get("X-Hook-Sequence"))
	if err != nil {
		t.Fatal(err)
	}
	return body.Data.ID, version
}

// latencies returns how long changes take to the other receiver, for a time.
func (r *holdRun) latencies(during time.Duration) []time.Duration {
	r.t.Helper()
	before := r.receiver.count("/other")
	wait(during)
	var all []time.Duration
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.receiver.at("/other")[before:] {
		id, version := versionOf(r.t, x)
		all = append(all, x.at.Sub(r.made[fmt.Sprint(id, " ", version)]))
	}
	slices.Sort(all)
	return all
}

func p95(sorted []time.Duration) time.Duration {
	return sorted[len(sorted)*95/100].Round(time.Millisecond)
}

func (r *holdRun) held() bool {
	return r.number("SELECT count(*) FROM extras_webhook_state WHERE webhook_id = $1 AND state = 'held'", r.hook) == 1
}

// back lets the receiver accept again and checks the attempts that were made while it was away.
func (r *holdRun) back(t *testing.T, failed []receipt) {
	t.Helper()
	if !r.held() {
		t.Error("the webhook is not held any more")
	}
	r.receiver.answerStatus("/away", http.StatusOK)
	var probes []receipt
	for _, x := range r.receiver.at("/away") {
		if x.status == http.StatusServiceUnavailable && x.at.After(failed[4].at) {
			probes = append(probes, x)
		}
	}
	last := failed[4].at
	for i, p := range probes {
		if least := steps[min(i, len(steps)-1)] * time.Second; p.at.Sub(last) < least-100*time.Millisecond {
			t.Errorf("probe %d came %v after the attempt before", i+1, p.at.Sub(last))
		}
		last = p.at
	}
	queued := r.number("SELECT count(*) FROM extras_delivery WHERE state = 'queued'")
	t.Logf("%d queued, %d probes while the receiver was away", queued, len(probes))
}

// drained waits until everything was delivered, and checks that nothing failed, nothing is missing and all is in order.
func (r *holdRun) drained(t *testing.T) {
	t.Helper()
	install.Within(t, 10*time.Minute, "everything should be delivered", func() bool {
		return r.number("SELECT count(*) FROM (SELECT FROM extras_delivery WHERE state = 'queued' LIMIT 1) x") == 0
	})
	if n := r.number("SELECT count(*) FROM extras_delivery WHERE state <> 'successful'"); n != 0 {
		t.Errorf("%d deliveries have failed", n)
	}
	var accepted []receipt
	for _, x := range r.receiver.at("/away") {
		if x.status == http.StatusOK {
			accepted = append(accepted, x)
		}
	}
	last, gap, from := map[int64]int{}, time.Duration(0), 0
	for i, x := range accepted {
		id, version := versionOf(t, x)
		if last[id] = max(last[id], 1) + 1; version != last[id] {
			t.Errorf("version %d of site %d came when %d was next", version, id, last[id])
			last[id] = version
		}
		if i > 0 && x.at.Sub(accepted[i-1].at) > gap {
			gap, from = x.at.Sub(accepted[i-1].at), i
		}
	}
	if changes := r.number("SELECT sum(version) - count(*) FROM dcim_site"); changes != len(accepted) {
		t.Errorf("%d changes, and %d were accepted", changes, len(accepted))
	}
	drain := accepted[len(accepted)-1].at.Sub(accepted[from].at)
	t.Logf("%d delivered; the %d after the outage within %v", len(accepted), len(accepted)-from, drain.Round(time.Millisecond))
}
