package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// The cases, in the order in which they are measured: what writes comes last.
const (
	caseList   = "list"
	caseGet    = "get"
	caseCreate = "create"
	caseTold   = "told"
	caseBulk   = "bulk"
	caseDeep   = "deep"
	caseCount  = "count"
	caseWire   = "statements"
)

var caseNames = []string{caseWire, caseList, caseGet, caseDeep, caseCount, caseCreate, caseBulk, caseTold}

const sitesPath = "/api/dcim/sites/"

func (b *bench) wants(name string) bool {
	return b.o.only == "" || slices.Contains(strings.Split(b.o.only, ","), name)
}

func (b *bench) measureAll(ctx context.Context) error {
	cases := map[string]func(context.Context) error{
		caseList: b.measureList, caseGet: b.measureGet, caseCreate: b.measureCreate, caseBulk: b.measureBulk, caseTold: b.measureTold,
		caseDeep: b.measureDeep, caseCount: b.measureCount, caseWire: b.measureStatements,
	}
	for _, name := range caseNames {
		if !b.wants(name) {
			continue
		}
		if err := cases[name](ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) measureList(ctx context.Context) error {
	terrier, bare := b.terrier.get(sitesPath+"?limit=50"), b.bare.get("/bare/list")
	return b.ratio(ctx, row{Case: caseList, What: "list of 50 sites with nested references", Target: 0.6},
		asking{b.terrier, 200, func() []byte { return terrier }}, asking{b.bare, 200, func() []byte { return bare }})
}

func (b *bench) measureGet(ctx context.Context) error {
	return b.ratio(ctx, row{Case: caseGet, What: "get one site", Target: 0.6},
		asking{b.terrier, 200, b.scattered(func(id int64) []byte { return b.terrier.get(fmt.Sprintf("%s%d/", sitesPath, id)) })},
		asking{b.bare, 200, b.scattered(func(id int64) []byte { return b.bare.get(fmt.Sprintf("/bare/get/%d", id)) })})
}

// scattered asks for sites all over the table, in the same order on both sides.
func (b *bench) scattered(request func(id int64) []byte) func() []byte {
	var n atomic.Int64
	return func() []byte { return request(n.Add(1)*7919%int64(b.o.rows) + 1) }
}

func (b *bench) measureCreate(ctx context.Context) error {
	return b.ratio(ctx, row{Case: caseCreate, What: "create one site (record + change row)", Target: 0.5},
		asking{b.terrier, 201, func() []byte { return b.terrier.post(sitesPath, b.newBody()) }},
		asking{b.bare, 201, func() []byte { return b.bare.post("/bare/create", b.newBody()) }})
}

// measureTold makes a webhook that wants to know of every new site. The bare side writes the
// same rows and calls River's insert. Nobody sends: that is another benchmark.
func (b *bench) measureTold(ctx context.Context) error {
	_, err := b.pool.Exec(ctx, `INSERT INTO extras_webhook (version, content_types, name, type_create, type_update, type_delete, payload_url, enabled, http_method, http_content_type,
			additional_headers_sealed, body_template, secret_sealed, previous_secret_sealed, ssl_verification, standard_headers, max_retries, concurrency, created, last_updated)
		VALUES (1, ARRAY['dcim.site'], 'bench', true, false, false, 'http://receiver.example.com/', true, 'POST', 'application/json', '', '', '', '', true, false, 0, 10, now(), now())`)
	if err != nil {
		return err
	}
	return b.ratio(ctx, row{Case: caseTold, What: "create one site with one webhook (record, change row, delivery, job)", Target: 0.8},
		asking{b.terrier, 201, func() []byte { return b.terrier.post(sitesPath, b.newBody()) }},
		asking{b.bare, 201, func() []byte { return b.bare.post("/bare/told", b.newBody()) }})
}

// newSite makes a site that does not exist yet.
func (b *bench) newSite() newSite {
	n := atomic.AddInt64(&b.created, 1)
	region, group, tenant := n%regions+1, n%groups+1, n%tenants+1
	latitude, longitude := float64(n%90)+0.25, float64(n%180)+0.125
	return newSite{Name: fmt.Sprintf("New site %d", n), Slug: fmt.Sprintf("new-site-%d", n), Status: "active", Region: &region, Group: &group, Tenant: &tenant,
		Facility: "DC-1", Description: "Made by the benchmark", PhysicalAddress: fmt.Sprintf("%d Harbour Road", n), Latitude: &latitude, Longitude: &longitude,
		Comments: "Opened for the new ring.", Tags: []int64{n%10 + 1, n%10 + 11}}
}

func (b *bench) newBody() []byte {
	raw, err := json.Marshal(b.newSite())
	if err != nil {
		panic(err) // plain values
	}
	return raw
}

const (
	bulkItems = 1000
	bulkLimit = 1.0 // seconds
	bulkRuns  = 5
)

func (b *bench) measureBulk(context.Context) error {
	client := b.terrier.clients[0]
	var seconds []float64
	for range bulkRuns + 1 {
		sites := make([]newSite, bulkItems)
		for i := range sites {
			sites[i] = b.newSite()
		}
		raw, err := json.Marshal(sites)
		if err != nil {
			return err
		}
		request := b.terrier.post(sitesPath, raw)
		start := time.Now()
		if _, err := client.do(request, 201); err != nil {
			return err
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	seconds = seconds[1:] // the first warms up
	r := row{Case: caseBulk, What: "1,000 sites in one bulk request", Unit: "s", Target: bulkLimit, AtMost: true,
		Terrier: median(seconds), Value: median(seconds), Min: slices.Min(seconds), Max: slices.Max(seconds)}
	b.add(r)
	return nil
}
