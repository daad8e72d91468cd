package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"terrier/internal/app"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	hostileReaders = 16 // at once; each sends its next request as soon as the last was answered
	hostileName    = "hostile-"
	tenantsPath    = "/api/tenancy/tenants/"
)

// hostile is a kind of list that costs as much as a list can.
type hostile struct {
	name, what string
	query      func(b *bench, n int64) string // the address, with a query that differs each time
}

// hostiles are the kinds in their order. A quick run measures only the first.
var hostiles = []hostile{
	{"texts", "50 texts to search for", func(_ *bench, n int64) string { return sitesPath + "?" + texts("description__ic", n, 30) }},
	{"comments", "50 texts to search for in long comments", func(_ *bench, n int64) string {
		return tenantsPath + "?" + texts("comments__nic", n, 30)
	}},
	{"search", "a search for 500 letters", func(_ *bench, n int64) string {
		return sitesPath + "?q=" + strings.Repeat("e", 480) + fmt.Sprint(n)
	}},
	{"offset", "a far page in an order without an index", func(b *bench, n int64) string {
		return fmt.Sprintf("%s?ordering=-physical_address,description&limit=1000&offset=%d", sitesPath, int64(b.o.records)-1000-n%1000)
	}},
	{"pages", "pages of 1,000", func(b *bench, n int64) string {
		return fmt.Sprintf("%s?limit=0&ordering=id&offset=%d", sitesPath, n*1000%int64(b.o.records))
	}},
	{"trees", "regions that are left out", func(_ *bench, n int64) string {
		return fmt.Sprintf("%s?region__n=region-%07d&description__nic=%d&ordering=tenant", sitesPath, n%regions+1, n)
	}},
	{"custom", "50 texts to search for in a custom field", func(_ *bench, n int64) string {
		return sitesPath + "?" + texts("cf_bench_note__nic", n, 30)
	}},
	{"constraints", "a permission of 100 alternatives", func(_ *bench, n int64) string {
		return fmt.Sprintf("%s?limit=1&name__n=%d", sitesPath, n)
	}},
}

// texts returns as many values of a filter as are allowed. None of them is found.
func texts(key string, n int64, length int) string {
	params := url.Values{}
	for i := range 50 {
		params.Add(key, fmt.Sprintf("%0*d", length, n*100+int64(i)))
	}
	return params.Encode()
}

// measureReaders measures reads of one site at a steady pace while others read the most expensive lists. They may only read. Each has their
// own account, so that limits for one caller don't help. A quick run measures one kind.
func (b *bench) measureReaders(ctx context.Context) (rows []figures.Row, err error) {
	keys, err := b.hostileTokens(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.prepareHostile(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.forgetHostile(context.WithoutCancel(ctx))) }()
	kinds, length := hostiles, 2*b.o.round
	if b.o.quick {
		kinds, length = kinds[:1], 2*length
	}
	var n atomic.Int64
	for _, kind := range kinds {
		row, err := b.beside(ctx, figures.Row{Case: "readers-" + kind.name,
			What: fmt.Sprintf("get one site beside %d readers of %s: p99", hostileReaders, kind.what)}, length,
			func() (stop func() error) { return b.disturb(ctx, keys, kind, &n) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind.name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// disturb requests lists until it is stopped. The server may give up on some that take too long. Meanwhile it must report that it is ready.
func (b *bench) disturb(ctx context.Context, keys []string, kind hostile, n *atomic.Int64) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, len(keys)+1)
	var sides []*gauge.Side
	var wg sync.WaitGroup
	for _, key := range keys {
		side := &gauge.Side{Name: "terrier", Address: b.server.Address, Headers: "Authorization: Token " + key + "\r\n"}
		sides = append(sides, side)
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := side.Do(side.Get(kind.query(b, n.Add(1))), http.StatusOK); err != nil && !turnedAway(err) && ctx.Err() == nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Go(func() {
		probe := &gauge.Side{Name: "terrier", Address: b.server.Address}
		defer probe.Close()
		for ctx.Err() == nil {
			if _, err := probe.Do(probe.Get("/readyz"), http.StatusOK); err != nil {
				failed <- fmt.Errorf("/readyz: %w", err)
				return
			}
			_ = pause(ctx, 100*time.Millisecond) // the error only means that it ended early
		}
	})
	return func() error {
		cancel()
		for _, side := range sides {
			side.Close() // waiting requests give up
		}
		wg.Wait()
		select {
		case err := <-failed:
			return err
		default:
			return nil
		}
	}
}

// hostileTokens creates users and returns their tokens. They may see all requested records, by many permissions.
func (b *bench) hostileTokens(ctx context.Context) (keys []string, err error) {
	a, err := app.New(ctx, b.settings().config(), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer a.Close()
	for i := range hostileReaders {
		name := fmt.Sprint(hostileName, i)
		var known bool
		if err := b.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM users_user WHERE username = $1)", name).Scan(&known); err != nil {
			return nil, err
		}
		if !known { // the case may be measured twice
			if _, err := a.CreateUser(ctx, app.NewUser{Username: name, Password: password}); err != nil {
				return nil, err
			}
		}
		t, err := a.CreateToken(ctx, app.NewToken{Username: name, ReadOnly: true})
		if err != nil {
			return nil, err
		}
		keys = append(keys, t.Key)
	}
	return keys, nil
}

// prepareHostile creates what the hostile readers search: long comments, a custom field, and permissions with many alternatives.
func (b *bench) prepareHostile(ctx context.Context) error {
	return execute(ctx, b.database,
		"UPDATE tenancy_tenant SET comments = repeat(md5(id::text), 2000)",
		`INSERT INTO extras_customfield (version, name, label, description, type, content_types, required, weight, validation_regex,
			choices, created, last_updated)
			SELECT 1, 'bench_note', '', '', 'text', ARRAY['dcim.site'], false, 100, '', '{}', now(), now()
			WHERE NOT EXISTS (SELECT FROM extras_customfield WHERE name = 'bench_note')`,
		fmt.Sprintf(`INSERT INTO users_permission (version, name, description, enabled, object_types, groups, users, actions, constraints,
			created, last_updated)
			SELECT 1, 'hostile', '', true, ARRAY['dcim.site', 'tenancy.tenant', 'dcim.region'], '{}',
				ARRAY(SELECT id FROM users_user WHERE starts_with(username, '%s')), ARRAY['view'],
				(SELECT jsonb_agg(jsonb_build_object('description__ic', md5(n::text))) || '[{}]' FROM generate_series(1, 99) n), now(), now()
			WHERE NOT EXISTS (SELECT FROM users_permission WHERE name = 'hostile')`, hostileName),
		"VACUUM ANALYZE tenancy_tenant")
}

// forgetHostile restores the database to its earlier state.
func (b *bench) forgetHostile(ctx context.Context) error {
	return execute(ctx, b.database, "UPDATE tenancy_tenant SET comments = ''", "DELETE FROM extras_customfield WHERE name = 'bench_note'",
		"DELETE FROM users_permission WHERE name = 'hostile'", "VACUUM FULL ANALYZE tenancy_tenant")
}
