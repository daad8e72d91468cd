package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const drippingBodies = 40

// measureDrip measures writes of 100 kB, with and without forty bodies that arrive byte by byte from a user without permissions.
func (b *bench) measureDrip(ctx context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "drip", What: "change two sites, 100 kB, beside dripping bodies: p50", Unit: "ms", Against: "idle",
		Goal: figures.AtMost(2)}
	sender, err := b.powerless()
	if err != nil {
		return nil, err
	}
	writes := 0
	write := func(into *[]float64) (median float64, err error) {
		var took []float64
		for end := time.Now().Add(b.o.round); err == nil && ctx.Err() == nil && (len(took) == 0 || time.Now().Before(end)); {
			writes++
			comments := fmt.Sprint(writes, strings.Repeat("c", 50_000))
			in := b.terrier.Post(sitesPath, body([]map[string]any{{"id": 1, "comments": comments}, {"id": 2, "comments": comments}}))
			began := time.Now()
			_, err = b.terrier.Do(bytes.Replace(in, []byte(http.MethodPost), []byte(http.MethodPatch), 1), http.StatusOK)
			took = append(took, time.Since(began).Seconds()*1000)
		}
		*into = append(*into, took...)
		return figures.Percentile(took, 0.5), err
	}
	var ratios, idle, beside []float64
	if _, err := write(new([]float64)); err != nil { // warms up
		return nil, err
	}
	for range b.o.rounds {
		before, err := write(&idle)
		if err != nil {
			return nil, err
		}
		stop := b.drip(ctx, sender)
		during, err := write(&beside)
		if err := errors.Join(err, stop()); err != nil {
			return nil, err
		}
		ratios = append(ratios, during/before)
	}
	r.Terrier = figures.Side{Figure: figures.Percentile(beside, 0.5), FromDue: figures.PercentilesOf(beside)}
	r.Bare = figures.Side{Figure: figures.Percentile(idle, 0.5), FromDue: figures.PercentilesOf(idle)}
	r.Judge(ratios)
	return []figures.Row{r}, nil
}

// powerless creates a user without permissions, and returns the header that they send.
func (b *bench) powerless() (header string, err error) {
	made := func(path string, in any) (out struct {
		ID  int64
		Key string
	}, err error) {
		raw, err := b.terrier.Do(b.terrier.Post(path, body(in)), http.StatusCreated)
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		return out, err
	}
	user, err := made("/api/users/users/", map[string]any{"username": fmt.Sprint("drip-", time.Now().UnixNano()), "password": password})
	if err != nil {
		return "", err
	}
	token, err := made("/api/users/tokens/", map[string]any{"user": user.ID})
	return "Authorization: Token " + token.Key + "\r\n", err
}

// drip keeps requests open whose bodies arrive byte by byte, until it is stopped. When one ends, another begins a little later.
func (b *bench) drip(ctx context.Context, header string) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	stranger := &gauge.Side{Address: b.server.Address, Headers: header}
	head := stranger.Post("/api/users/tokens/", bytes.Repeat([]byte(" "), 900_000))
	head = head[:len(head)-900_000+1]
	failed := make(chan error, drippingBodies)
	var wg sync.WaitGroup
	for range drippingBodies {
		wg.Go(func() {
			for ctx.Err() == nil {
				conn, err := net.Dial("tcp", b.server.Address)
				if err != nil {
					failed <- err
					return
				}
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					_, _ = io.Copy(io.Discard, conn) // reads the answer, or waits for the end
				}()
				_, err = conn.Write(head)
				for err == nil && pause(ctx, 250*time.Millisecond) == nil {
					_, err = conn.Write([]byte(" "))
				}
				_ = conn.Close() // the server may have closed it first
				<-gone
				_ = pause(ctx, 250*time.Millisecond) // or ends with the context
			}
		})
	}
	return func() error {
		cancel()
		wg.Wait()
		select {
		case err := <-failed:
			return err
		default:
			return nil
		}
	}
}
