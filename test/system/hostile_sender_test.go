package system_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"terrier/test/install"
)

// senderOrder is the variable that makes the test binary send hostile requests instead of testing.
const senderOrder = "TERRIER_HOSTILE_SENDER"

// order is what a sender sends, and for whom.
type order struct {
	Base, Kind string
	Keys       []string
	Target     int64
}

// startSender starts a process that sends hostile requests. It has the lowest priority, because clients are usually other machines: what
// they need themselves is not what they cost the server.
func (s *siege) startSender(t *testing.T, kind hostile, keys []string) (stop func() (statuses map[int]int)) {
	t.Helper()
	raw, err := json.Marshal(order{s.Base, kind.name, keys, s.target})
	if err != nil {
		t.Fatal(err)
	}
	sender := exec.CommandContext(t.Context(), "nice", "-n", "19", os.Args[0])
	sender.Env = append(os.Environ(), senderOrder+"="+string(raw))
	var out bytes.Buffer
	sender.Stdout, sender.Stderr = &out, os.Stderr
	end, err := sender.StdinPipe()
	if err == nil {
		err = sender.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() (statuses map[int]int) {
		_ = end.Close()
		if err := sender.Wait(); err != nil {
			t.Fatalf("the sender: %v", err)
		}
		if err := json.Unmarshal(out.Bytes(), &statuses); err != nil {
			t.Fatalf("the sender: %v", err)
		}
		return statuses
	}
}

// sendHostile sends what it is ordered until its input ends, and prints how often it got which status.
func sendHostile(raw string) error {
	var o order
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	kind := hostileKinds()[slices.IndexFunc(hostileKinds(), func(h hostile) bool { return h.name == o.Kind })]
	client := &http.Client{Timeout: install.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: hostileWorkers}}
	s := &siege{server: install.Through(nil, o.Base, client), target: o.Target}
	ctx, stop := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for worker := range hostileWorkers {
		workers.Go(func() {
			for n := int64(0); ctx.Err() == nil; n++ {
				a := kind.send(s, worker, o.Keys[worker%len(o.Keys)], n)
				mu.Lock()
				statuses[a.Status]++
				mu.Unlock()
			}
		})
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	stop()
	workers.Wait()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(statuses)
}
