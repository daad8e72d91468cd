package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"terrier/test/bench/gauge"
)

// The receiver's addresses. One answers at once. The other one does too, unless it is set to hang.
const (
	healthyPath = "/ok"
	sickPath    = "/sick"
)

// eventName is the beginning of the names of the sites whose arrival is measured.
const eventName = "event "

// inbox remembers when each event arrived.
type inbox struct {
	mu      sync.Mutex
	count   int
	twice   int
	arrived map[string]int64 // by name, in nanoseconds
	last    []byte
	hang    chan struct{} // closed when it ends; nil while nothing hangs
}

func runReceiver(context.Context, settings) (*part, error) {
	b := &inbox{arrived: map[string]int64{}}
	mux := http.NewServeMux()
	mux.HandleFunc(healthyPath, func(_ http.ResponseWriter, r *http.Request) { b.take(r) })
	mux.HandleFunc(sickPath, func(_ http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		hang := b.hang
		b.mu.Unlock()
		if hang != nil {
			select {
			case <-hang:
			case <-r.Context().Done():
				return
			}
		}
		b.take(r)
	})
	mux.HandleFunc("/news", func(w http.ResponseWriter, r *http.Request) { b.tell(w, r.FormValue("forget") != "") })
	mux.HandleFunc("/last", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		_, _ = w.Write(b.last) // the client reports an incomplete answer
	})
	address, stop, err := listen(mux)
	return &part{address: address, end: stop, commands: map[string]func() error{"hang": b.fallSick, "recover": b.recover}}, err
}

func (b *inbox) take(r *http.Request) {
	now := time.Now().UnixNano()
	body, _ := io.ReadAll(r.Body) // a truncated body has no name, and the event counts as missing
	name := nameIn(body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	b.last = body
	if name == "" {
		return
	}
	if _, twice := b.arrived[name]; twice {
		b.twice++
		return
	}
	b.arrived[name] = now
}

// nameIn returns the name of the event in a body, without decoding all of it.
func nameIn(body []byte) string {
	_, rest, ok := bytes.Cut(body, []byte(`"name":"`+eventName))
	if !ok {
		return ""
	}
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	return eventName + string(name)
}

func (b *inbox) fallSick() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hang == nil {
		b.hang = make(chan struct{})
	}
	return nil
}

func (b *inbox) recover() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hang != nil {
		close(b.hang)
		b.hang = nil
	}
	return nil
}

// news is the receiver's report.
type news struct {
	Count   int // since it started
	Twice   int
	Arrived map[string]int64
}

// tell answers with the number of requests that have arrived. With forget it also lists the events and their times, and then forgets them.
func (b *inbox) tell(w http.ResponseWriter, forget bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := news{Count: b.count, Twice: b.twice}
	if forget {
		n.Arrived, b.arrived, b.twice = b.arrived, map[string]int64{}, 0
	}
	_ = json.NewEncoder(w).Encode(n) // the client reports an incomplete answer
}

// receiver is the process, as the driver sees it.
type receiver struct{ *gauge.Process }

func (r receiver) url(path string) string { return "http://" + r.Address + path }

func (r receiver) read(path string) ([]byte, error) {
	answer, err := http.Get(r.url(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	return io.ReadAll(answer.Body)
}

func (r receiver) news(forget bool) (n news, err error) {
	path := "/news"
	if forget {
		path += "?forget=yes"
	}
	raw, err := r.read(path)
	if err != nil {
		return n, err
	}
	return n, json.Unmarshal(raw, &n)
}

// await waits until a number of requests have arrived since the receiver started.
func (r receiver) await(ctx context.Context, count int, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := r.news(false)
		if err != nil || n.Count >= count {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d requests are still awaited: %w", count-n.Count, ctx.Err())
		case <-tick.C:
		}
	}
}
