package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"terrier/internal/app"
	"terrier/internal/inventory"
	"terrier/internal/inventory/dcim"
	"terrier/internal/record"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// syntheticTypes returns record types that only this benchmark has: copies of the site.
func syntheticTypes(n int) []record.Type {
	types := make([]record.Type, n)
	for i := range types {
		t := dcim.Site
		t.Panels, t.Fields = nil, slices.DeleteFunc(slices.Clone(t.Fields), countsOthers) // nothing refers to a copy
		t.App, t.Name, t.Plural = "synthetic", fmt.Sprintf("type%02d", i+1), fmt.Sprintf("type%02ds", i+1)
		types[i] = t
	}
	return types
}

// countsOthers reports whether a field counts the records that refer to its own.
func countsOthers(f record.Field) bool {
	_, counts := f.(record.Counting)
	return counts
}

// rowsEach is how many records each synthetic type has.
const rowsEach = 20

// makeTypes creates the tables of the synthetic types, with some records. If the case is measured twice, they exist already.
func (b *bench) makeTypes(ctx context.Context) error {
	var statements []string
	for _, t := range syntheticTypes(b.o.types) {
		statements = append(statements,
			fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (LIKE dcim_site INCLUDING ALL)", t.Table()),
			fmt.Sprintf("INSERT INTO %[1]s SELECT * FROM dcim_site WHERE id <= %[2]d ON CONFLICT DO NOTHING", t.Table(), rowsEach),
			fmt.Sprintf("INSERT INTO record_count (type, n) SELECT '%[1]s', %[2]d WHERE NOT EXISTS (SELECT FROM record_count WHERE type = '%[1]s')",
				t.Key(), rowsEach),
			"ANALYZE "+t.Table())
	}
	return execute(ctx, b.database, statements...)
}

// limitedName is the name of a user who may see every type, but only records that match a constraint.
const limitedName = "limited"

func (b *bench) makeLimitedUser(ctx context.Context) error {
	a, err := app.New(ctx, b.settings().config(), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer a.Close()
	users, err := a.Users(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Username == limitedName {
			return nil
		}
	}
	if _, err := a.CreateUser(ctx, app.NewUser{Username: limitedName, Password: password}); err != nil {
		return err
	}
	var keys string
	for i, t := range append(inventory.Types(), syntheticTypes(b.o.types)...) {
		if i > 0 {
			keys += ","
		}
		keys += t.Key()
	}
	return execute(ctx, b.database, fmt.Sprintf(`
		INSERT INTO users_permission (version, name, description, enabled, object_types, groups, users, actions, constraints, created,
			last_updated)
		SELECT 1, '%[1]s', '', true, string_to_array('%[2]s', ','), '{}', ARRAY[id], '{view,add}',
			'[{"id__lte": 100000000}, {"id__gt": 200000000}]', now(), now()
		FROM users_user WHERE username = '%[1]s'`, limitedName, keys))
}

// measureTypes measures what a hundred record types cost: it compares a server with 26 more types with one that has only ours.
func (b *bench) measureTypes(ctx context.Context) (rows []figures.Row, err error) {
	if err := errors.Join(b.makeTypes(ctx), b.makeLimitedUser(ctx)); err != nil {
		return nil, err
	}
	many, few, starts, err := b.startTypes(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, many.End(), few.End()) }()
	sizes, err := documentSizes(many, few)
	if err != nil {
		return nil, err
	}
	pages, err := b.typePages(ctx, many, few)
	if err != nil {
		return nil, err
	}
	memory, err := b.memoryOf(many, few)
	if err != nil {
		return nil, err
	}
	setup, err := b.measureSetup(ctx)
	rows = append(append([]figures.Row{starts}, sizes...), pages...)
	return append(rows, memory, setup), err
}

// startTypes starts both servers, in turns, until the rounds are over, and leaves the last two running.
func (b *bench) startTypes(ctx context.Context) (many, few *gauge.Process, row figures.Row, err error) {
	row = figures.Row{Case: "types-start", What: fmt.Sprintf("%d more record types: start of a server", b.o.types), Unit: "s",
		Absolute: true, Against: "ours alone", Goal: figures.AtMost(1)}
	var tookMany, tookFew []float64
	for round := range b.o.rounds {
		if round > 0 {
			if err := errors.Join(many.End(), few.End()); err != nil {
				return nil, nil, row, err
			}
		}
		for _, start := range []struct {
			types int
			into  **gauge.Process
			took  *[]float64
		}{{b.o.types, &many, &tookMany}, {0, &few, &tookFew}} {
			s := b.serving()
			s.Synthetic = start.types
			began := time.Now()
			if *start.into, err = gauge.Launch(ctx, "server", s); err != nil {
				return nil, nil, row, err
			}
			*start.took = append(*start.took, time.Since(began).Seconds())
		}
	}
	row.Terrier.Figure, row.Bare.Figure = figures.Median(tookMany), figures.Median(tookFew)
	row.Judge(tookMany)
	return many, few, row, nil
}

// documentSizes returns the sizes of the OpenAPI document, plain and compressed. They are the same on every machine, so a miss is clear.
func documentSizes(many, few *gauge.Process) ([]figures.Row, error) {
	rows := []figures.Row{
		{Case: "types-openapi", What: "size of the OpenAPI document", Unit: "kB", Goal: figures.Goal{Value: 2500, AtMost: true, Gate: 3000}},
		{Case: "types-openapi-gzip", What: "size of the OpenAPI document, compressed", Unit: "kB",
			Goal: figures.Goal{Value: 200, AtMost: true, Gate: 200}},
	}
	for i, headers := range []string{"", "Accept-Encoding: gzip\r\n"} {
		var sizes [2]float64
		for n, p := range []*gauge.Process{many, few} {
			side := &gauge.Side{Name: "document", Address: p.Address, Headers: headers}
			raw, err := side.Do(side.Get("/api/schema/"), http.StatusOK)
			side.Close()
			if err != nil {
				return nil, err
			}
			sizes[n] = float64(len(raw)) / 1000
		}
		rows[i].What += fmt.Sprintf(" (ours alone: %.0f kB)", sizes[1])
		rows[i].Absolute, rows[i].Terrier.Figure = true, sizes[0]
		rows[i].Judge(sizes[:1])
	}
	return rows, nil
}

// typePages compares the processor time of pages with that of the same page with few types. The password page shows little besides the
// menu.
func (b *bench) typePages(ctx context.Context, many, few *gauge.Process) (rows []figures.Row, err error) {
	upTo := func(value, gate float64) figures.Goal { return figures.Goal{Value: value, AtMost: true, Gate: gate} }
	for _, c := range []struct {
		name, what, user, path string
		goal                   figures.Goal
	}{
		{"types-menu", "page with the menu and little else", userName, "/user/password/", upTo(1.5, 2)},
		{"types-home", "home page", userName, "/", upTo(1.5, 2)},
		{"types-list", "list page of 50 sites", userName, sitesPage + "?limit=50", upTo(1.1, 1.25)},
		{"types-menu-limited", "page with the menu, for a user with constraints", limitedName, "/user/password/", figures.Goal{}},
		{"types-home-limited", "home page, for a user with constraints", limitedName, "/", figures.Goal{}},
		{"types-list-limited", "list page of 50 sites, for a user with constraints", limitedName, sitesPage + "?limit=50", figures.Goal{}},
		{"types-search", "search of all types", userName, "/search/?q=Harbour+Road%2C+Building+1", figures.Goal{}},
	} {
		cookie, err := session(ctx, few.Address, c.user)
		if err != nil {
			return nil, err
		}
		ask := func(p *gauge.Process) gauge.Asking {
			side := &gauge.Side{Name: c.name, Address: p.Address, Headers: browserHeaders(cookie)}
			return gauge.Asking{Side: side, Processes: []*gauge.Process{p}, Status: http.StatusOK, Connections: 1, Request: same(side.Get(c.path))}
		}
		x, y := ask(many), ask(few)
		rounds, err := b.compete(ctx, x, y)
		x.Side.Close()
		y.Side.Close()
		if err != nil {
			return nil, err
		}
		r := figures.Row{Case: c.name, What: c.what + ": processor time", Against: "ours alone", Goal: c.goal}
		rounds.judgeProcessor(&r)
		rows = append(rows, r)
	}
	return rows, nil
}

// memoryOf measures how much more memory a server with many types uses. Both have answered the same requests.
func (b *bench) memoryOf(many, few *gauge.Process) (row figures.Row, err error) {
	row = figures.Row{Case: "types-memory", Unit: "MB", Absolute: true, Goal: figures.Goal{Value: 30, AtMost: true, Gate: 45}}
	var resident [2]float64
	for i, p := range []*gauge.Process{many, few} {
		if err := p.Do("free memory"); err != nil {
			return row, err
		}
		bytes, err := p.Resident()
		if err != nil {
			return row, err
		}
		resident[i] = float64(bytes) / 1e6
	}
	more := []float64{max(0.01, resident[0]-resident[1])}
	row.What = fmt.Sprintf("memory that %d more record types take (%.0f MB with them, %.0f MB without)", b.o.types, resident[0], resident[1])
	row.Terrier.Figure = more[0]
	row.Judge(more)
	return row, nil
}
