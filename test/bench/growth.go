package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"terrier/test/bench/figures"
)

// grow adds sites until the register has a number of them.
func (b *bench) grow(ctx context.Context, to int) error {
	if b.loaded >= to {
		return nil
	}
	if err := b.register.addSites(ctx, to-b.loaded); err != nil {
		return err
	}
	b.loaded, b.deepAt = to, ""
	b.note("the register has %d sites", to)
	return nil
}

// cost is an operation whose time may grow with the stored data.
type cost struct {
	row  figures.Row
	once bool // measured only once, because it takes long
	ask  func(*bench) (milliseconds float64, err error)
}

var growing = []cost{
	{row: figures.Row{Case: "growth-page", What: "first page of 50"}, ask: func(b *bench) (float64, error) {
		_, took, err := b.page(fmt.Sprintf("%s?limit=%d", sitesPath, pageLimit))
		return took, err
	}},
	{row: figures.Row{Case: "growth-deep", What: "page of 50 in the middle, by next"}, ask: (*bench).deepPage},
	{row: figures.Row{Case: "growth-count", What: "page of one with the exact count"}, ask: func(b *bench) (float64, error) {
		_, took, err := b.page(sitesPath + "?limit=1")
		return took, err
	}},
	{row: figures.Row{Case: "growth-get", What: "get one site"}, ask: func(b *bench) (float64, error) {
		id := b.made.Add(1)*7919%int64(b.loaded) + 1
		_, took, err := b.timed(b.terrier.Get(fmt.Sprintf("%s%d/", sitesPath, id)), http.StatusOK)
		return took, err
	}},
	{row: figures.Row{Case: "growth-create", What: "create one site"}, ask: func(b *bench) (float64, error) {
		_, took, err := b.timed(b.terrier.Post(sitesPath, b.newSites(0)), http.StatusCreated)
		return took, err
	}},
	{row: figures.Row{Case: "growth-search", What: "search all texts of sites"}, once: true, ask: func(b *bench) (float64, error) {
		_, took, err := b.page(sitesPath + "?limit=50&q=" + searched(b.made.Add(1)*7919%int64(b.loaded)+1))
		if tooSlow(err) {
			err = nil
		}
		return took, err
	}},
	{row: figures.Row{Case: "growth-filter", What: "list by region, with its count"}, once: true, ask: func(b *bench) (float64, error) {
		_, took, err := b.page(sitesPath + "?limit=50&region_id=7")
		return took, err
	}},
}

// measureGrowth lets the register grow by factors of ten and measures the costs at each size.
func (b *bench) measureGrowth(ctx context.Context) ([]figures.Row, error) {
	return b.follow(growing, steps(b.o.records), func(n int) error { return b.grow(ctx, n) })
}

// follow measures each cost at each size. It judges the cost at the largest size, compared with that at the smallest unless the row is
// absolute.
func (b *bench) follow(costs []cost, sizes []int, grow func(n int) error) ([]figures.Row, error) {
	rows := make([]figures.Row, len(costs))
	for i, c := range costs {
		rows[i] = c.row
		rows[i].Unit = "ms"
		rows[i].Against = fmt.Sprint("at ", sizes[0])
	}
	for _, n := range sizes {
		if err := grow(n); err != nil {
			return nil, err
		}
		for i, c := range costs {
			took, err := b.repeated(c)
			if err != nil {
				return nil, fmt.Errorf("%s at %d: %w", c.row.Case, n, err)
			}
			r := &rows[i]
			r.Points = append(r.Points, figures.Point{Size: n, Figure: figures.Median(took)})
			first := r.Points[0].Figure
			r.Terrier.Figure, r.Bare.Figure = figures.Median(took), first
			unit := first
			if r.Absolute {
				unit = 1
			}
			r.Value, r.Low, r.High = figures.Median(took)/unit, slices.Min(took)/unit, slices.Max(took)/unit
		}
	}
	return rows, nil
}

// askedEnough is the time after which a round ends early. An operation that takes seconds need not be repeated often.
const askedEnough = 5 * time.Second

// repeated measures in rounds and returns the median of each.
func (b *bench) repeated(c cost) ([]float64, error) {
	var medians []float64
	for range b.o.rounds {
		median, err := b.askRound(c)
		if err != nil {
			return nil, err
		}
		medians = append(medians, median)
	}
	return medians, nil
}

// askRound measures one round and returns the median.
func (b *bench) askRound(c cost) (float64, error) {
	asks := asksPerRound
	if c.once {
		asks = 1
	}
	var took []float64
	began := time.Now()
	for range asks {
		ms, err := c.ask(b)
		if err != nil {
			return 0, err
		}
		took = append(took, ms)
		if time.Since(began) > askedEnough {
			break
		}
	}
	return figures.Median(took), nil
}
