package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	walkLimit    = 1000
	pageLimit    = 50
	deepTimes    = 2.0 // how much longer the middle page may take
	asksPerRound = 20
)

// links is what the walk reads of a page.
type links struct {
	Count int64   `json:"count"`
	Next  *string `json:"next"`
}

func (b *bench) page(address string) (links, time.Duration, error) {
	request := b.terrier.get(strings.TrimPrefix(address, base))
	start := time.Now()
	raw, err := b.terrier.clients[0].do(request, 200)
	took := time.Since(start)
	if err != nil {
		return links{}, took, err
	}
	var l links
	return l, took, json.Unmarshal(raw, &l)
}

// measureDeep follows next to the middle of the list and compares the pages there with
// the first. The pages in the middle are fresh ones each time, as for a client that walks
// on.
func (b *bench) measureDeep(ctx context.Context) error {
	first := fmt.Sprintf("%s?limit=%d", sitesPath, pageLimit)
	middle, err := b.walk(ctx)
	if err != nil {
		return err
	}
	var ratios, firsts, middles []float64
	for range b.o.rounds {
		var atStart, inside []float64
		for range asksPerRound {
			_, took, err := b.page(first)
			if err != nil {
				return err
			}
			atStart = append(atStart, took.Seconds()*1000)
			l, took, err := b.page(middle)
			if err != nil {
				return err
			}
			inside = append(inside, took.Seconds()*1000)
			if l.Next == nil {
				return errors.New("the list ended in the middle")
			}
			middle = *l.Next
		}
		firsts, middles = append(firsts, median(atStart)), append(middles, median(inside))
		ratios = append(ratios, median(inside)/median(atStart))
	}
	b.add(row{Case: caseDeep, What: fmt.Sprintf("page at offset %d of %d by next, against the first page", b.o.rows/2, b.o.rows), Unit: "ms", Target: deepTimes, AtMost: true,
		Terrier: median(middles), Bare: median(firsts), Value: median(ratios), Min: slices.Min(ratios), Max: slices.Max(ratios)})
	return nil
}

// walk follows next in large steps, and returns the address of a small page in the middle.
func (b *bench) walk(ctx context.Context) (string, error) {
	at := fmt.Sprintf("%s?limit=%d", sitesPath, walkLimit)
	var first, last []float64
	for n := range b.o.rows / 2 / walkLimit {
		l, took, err := b.page(at)
		if err != nil {
			return "", err
		}
		if l.Next == nil {
			return "", fmt.Errorf("the list ended after %d pages", n+1)
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		at = *l.Next
		if n < 100 {
			first = append(first, took.Seconds()*1000)
		}
		if last = append(last, took.Seconds()*1000); len(last) > 100 {
			last = last[1:]
		}
	}
	b.note("walked to the middle: pages of %d took %.1f ms at the start and %.1f ms in the middle", walkLimit, median(first), median(last))
	u, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("limit", fmt.Sprint(pageLimit))
	return sitesPath + "?" + q.Encode(), nil
}

// measureCount shows what the exact count of the whole list costs. It has no target; the
// bare figure is counting the rows.
func (b *bench) measureCount(ctx context.Context) error {
	var cheap []float64
	for range asksPerRound {
		l, took, err := b.page(sitesPath + "?limit=1")
		if err != nil {
			return err
		}
		if l.Count < int64(b.o.rows) {
			return fmt.Errorf("the count is %d, and %d sites were loaded", l.Count, b.o.rows)
		}
		cheap = append(cheap, took.Seconds()*1000)
	}
	start := time.Now()
	if _, err := b.pool.Exec(ctx, "SELECT count(*) FROM dcim_site"); err != nil {
		return err
	}
	counted := time.Since(start).Seconds() * 1000
	b.add(row{Case: caseCount, What: fmt.Sprintf("page of 1 with the exact count of %d, against count(*)", b.o.rows), Unit: "ms", Terrier: median(cheap), Bare: counted,
		Value: median(cheap) / counted, Min: slices.Min(cheap) / counted, Max: slices.Max(cheap) / counted})
	for _, filter := range []string{"region_id=7", "status=planned", "q=Harbour"} {
		_, took, err := b.page(sitesPath + "?limit=50&" + filter)
		if err != nil {
			b.note("list with ?%s: %v", filter, err)
			continue
		}
		b.note("list with ?%s, count included: %.1f ms", filter, took.Seconds()*1000)
	}
	return nil
}
