package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	pageLimit    = 50
	walkLimit    = 500
	asksPerRound = 20
)

// links are the links of a page.
type links struct {
	Count int64   `json:"count"`
	Next  *string `json:"next"`
}

// page requests a list, with no other request at the same time, and returns how many milliseconds it took.
func (b *bench) page(address string) (l links, took float64, err error) {
	raw, took, err := b.timed(b.terrier.Get(strings.TrimPrefix(address, base)), http.StatusOK)
	if err != nil {
		return l, took, err
	}
	return l, took, json.Unmarshal(raw, &l)
}

func (b *bench) timed(request []byte, status int) (raw []byte, milliseconds float64, err error) {
	began := time.Now()
	raw, err = b.terrier.Do(request, status)
	return raw, time.Since(began).Seconds() * 1000, err
}

// deepPage requests a page after the middle of the list by following next. It is another page each time, as for a client that reads the
// whole list.
func (b *bench) deepPage() (milliseconds float64, err error) {
	if b.deepAt == "" {
		if b.deepAt, err = b.walk(); err != nil {
			return 0, err
		}
	}
	l, took, err := b.page(b.deepAt)
	b.deepAt = ""
	if l.Next != nil { // a small register may end here
		b.deepAt = *l.Next
	}
	return took, err
}

// walk follows next to the middle of the list, in large pages, and returns the address of a small page there.
func (b *bench) walk() (string, error) {
	at := fmt.Sprintf("%s?limit=%d", sitesPath, walkLimit)
	for range b.loaded / 2 / walkLimit {
		l, _, err := b.page(at)
		if err != nil {
			return "", err
		}
		if l.Next == nil {
			return "", errors.New("the list ended before its middle")
		}
		at = *l.Next
	}
	return strings.Replace(at, fmt.Sprintf("limit=%d", walkLimit), fmt.Sprintf("limit=%d", pageLimit), 1), nil
}

// measureDeep compares pages in the middle with the first.
func (b *bench) measureDeep(context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "deep", What: fmt.Sprintf("page at offset %d by next", b.o.records/2), Unit: "ms", Against: "first page",
		Goal: figures.AtMost(2)}
	first := fmt.Sprintf("%s?limit=%d", sitesPath, pageLimit)
	var ratios, firsts, middles []float64
	for range b.o.rounds {
		var atStart, inside []float64
		for range asksPerRound {
			_, took, err := b.page(first)
			if err != nil {
				return nil, err
			}
			atStart = append(atStart, took)
			if took, err = b.deepPage(); err != nil {
				return nil, err
			}
			inside = append(inside, took)
		}
		firsts, middles = append(firsts, figures.Median(atStart)), append(middles, figures.Median(inside))
		ratios = append(ratios, figures.Median(inside)/figures.Median(atStart))
	}
	r.Terrier.Figure, r.Bare.Figure = figures.Median(middles), figures.Median(firsts)
	r.Judge(ratios)
	return []figures.Row{r}, nil
}

// measureCount measures what the exact count of the whole list costs, compared with counting the rows.
func (b *bench) measureCount(ctx context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "count", What: "page of one with the exact count", Unit: "ms", Against: "count(*)"}
	var ratios, cheap, counted []float64
	for range b.o.rounds {
		l, took, err := b.page(sitesPath + "?limit=1")
		if err != nil {
			return nil, err
		}
		if l.Count < int64(b.o.records) {
			return nil, fmt.Errorf("the count is %d, and %d sites were loaded", l.Count, b.o.records)
		}
		began := time.Now()
		if _, err := b.pool.Exec(ctx, "SELECT count(*) FROM dcim_site"); err != nil {
			return nil, err
		}
		all := time.Since(began).Seconds() * 1000
		cheap, counted, ratios = append(cheap, took), append(counted, all), append(ratios, took/all)
	}
	r.Terrier.Figure, r.Bare.Figure = figures.Median(cheap), figures.Median(counted)
	r.Judge(ratios)
	return []figures.Row{r}, nil
}

// tooSlow reports whether the server gave up. A search through ten million rows may take longer than the limit of a statement.
func tooSlow(err error) bool {
	answer, ok := errors.AsType[*gauge.StatusError](err)
	return ok && answer.Status == http.StatusServiceUnavailable
}
