package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	allocators = 16 // clients at once

	// takenOfEach is how many addresses are taken from a prefix before the next one is used. The search for a free one reads those below it.
	takenOfEach = 500
	pools       = 400 // as many prefixes are made

	// timedAllocations is how many allocations of each client are timed one by one.
	timedAllocations = 25
)

// measureAllocation compares the rate at which clients are given free addresses with the rate at which the same clients create addresses
// of their choice: all of one prefix, and of 16. A prefix is used until takenOfEach addresses of it are taken.
func (b *bench) measureAllocation(ctx context.Context) (rows []figures.Row, err error) {
	for i, prefixes := range []int{1, 16} {
		paths, err := b.makePools(i * pools)
		if err != nil {
			return nil, err
		}
		var n atomic.Int64
		take := func() []byte {
			at := int(n.Add(1) - 1)
			turn := at / (takenOfEach * prefixes) // of which each prefix of this turn gets takenOfEach requests
			return b.terrier.Post(paths[(turn*prefixes+at%prefixes)%len(paths)], []byte(`{}`))
		}
		asking := gauge.Asking{Side: b.terrier, Processes: []*gauge.Process{b.server}, Status: http.StatusCreated,
			Connections: allocators, Request: take}
		plain := asking
		plain.Request = func() []byte {
			n := b.made.Add(1)
			return b.terrier.Post(addressesPath, fmt.Appendf(nil, `{"address": "172.%d.%d.%d/12"}`, 16+n>>16&15, n>>8&255, n&255))
		}
		rounds, err := b.compete(ctx, asking, plain)
		if err != nil {
			return nil, err
		}
		p95, err := b.timeEach(take)
		if err != nil {
			return nil, err
		}
		row := figures.Row{Case: fmt.Sprint("allocation-", prefixes), Against: "plain creates", Goal: figures.AtLeast(0.5),
			What: fmt.Sprintf("take the first free address of %d prefixes, %d clients; p95 %.0f ms", prefixes, allocators, p95)}
		rounds.judge(&row)
		rows = append(rows, row)
	}
	return rows, nil
}

// makePools creates prefixes without addresses, from one of the possible ones on, and returns where addresses of theirs are taken.
func (b *bench) makePools(from int) (paths []string, err error) {
	wanted := make([]map[string]string, pools)
	for i := range wanted {
		at := from + i
		wanted[i] = map[string]string{"prefix": fmt.Sprintf("100.%d.%d.0/23", 64+at>>7, at&127<<1)}
	}
	body, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	raw, err := b.terrier.Do(b.terrier.Post(prefixesPath, body), http.StatusCreated)
	if err != nil {
		return nil, err
	}
	var made []struct{ ID int64 }
	if err := json.Unmarshal(raw, &made); err != nil {
		return nil, err
	}
	for _, prefix := range made {
		paths = append(paths, fmt.Sprintf("%s%d/available-ips/", prefixesPath, prefix.ID))
	}
	return paths, nil
}

// timeEach sends requests of as many clients as compete, and returns the 95th percentile of their times, in milliseconds.
func (b *bench) timeEach(request func() []byte) (p95 float64, err error) {
	var mu sync.Mutex
	var took []float64
	var group sync.WaitGroup
	for range allocators {
		group.Go(func() {
			for range timedAllocations {
				began := time.Now()
				_, e := b.terrier.Do(request(), http.StatusCreated)
				mu.Lock()
				took = append(took, time.Since(began).Seconds()*1000)
				if err == nil {
					err = e
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return figures.Percentile(took, 0.95), err
}
