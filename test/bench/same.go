package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"terrier/test/bench/gauge"
)

// compareAnswers refuses to measure two servers that do different work: lists and records must be the same bytes, and a
// creation must leave the same rows.
func (b *bench) compareAnswers(ctx context.Context) error {
	t, p := b.terrier, b.bare
	for _, pair := range [][2][]byte{
		{t.Get(sitesPath + "?limit=50"), p.Get("/bare/list")},
		{t.Get(sitesPath + "3/"), p.Get("/bare/get/3")},
		{t.Get(sitesPath + "7/"), p.Get("/bare/get/7")},
		{t.Get(sitesPath + "?limit=50&q=" + searched(11)), p.Get("/bare/search?q=" + searched(11))},
	} {
		ours, err := t.Do(pair[0], http.StatusOK)
		if err != nil {
			return err
		}
		theirs, err := p.Do(pair[1], http.StatusOK)
		if err != nil {
			return err
		}
		ours, theirs = withoutNext(ours), withoutNext(theirs)
		if !bytes.Equal(ours, theirs) {
			return fmt.Errorf("the two sides answer differently:\n%.3000s\n%.3000s", ours, theirs)
		}
	}
	if err := b.compareCreations(ctx, "/bare/create"); err != nil {
		return err
	}
	if err := b.makeHooks(ctx, 2, hookForAll); err != nil {
		return err
	}
	for _, path := range []string{notifiedPath, insertedPath} {
		if err := b.compareCreations(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return b.clear(ctx)
}

// withoutNext removes the link to the next page, because Terrier's has a cursor.
func withoutNext(raw []byte) []byte {
	from, to := bytes.Index(raw, []byte(`"next":`)), bytes.Index(raw, []byte(`"previous":`))
	if from < 0 || to < from {
		return raw
	}
	return append(bytes.Clone(raw[:from]), raw[to:]...)
}

// written reads the record, its change row, and the deliveries and jobs. Names, ids and times are blanked, because they differ.
const written = `
	SELECT regexp_replace(concat_ws(E'\n', to_jsonb(s) - '{id,name,slug,created,last_updated}'::text[],
		to_jsonb(c) - '{id,changed_at,user_id,request_id,object_id,object_repr,postchange,data}'::text[], c.postchange, c.data,
		(SELECT string_agg(concat_ws(' ', to_jsonb(d) - '{id,changed_at,change_id,object_id,request_id,job_id,queued_at}'::text[],
			to_jsonb(j) - '{id,args,created_at,scheduled_at}'::text[], j.args ->> 'round', (j.args ->> 'delivery')::bigint = d.id), E'\n'
				ORDER BY d.webhook_id)
			FROM extras_delivery d JOIN river_job j ON j.id = d.job_id WHERE d.change_id = c.id)),
		'[Nn]ew[- ]site[- ]\d+|\d+ Bay Street|\d{4}-\d\d-\d\dT[0-9:.]+Z|"id":\d+|sites/\d+/', '…', 'g')
	FROM dcim_site s JOIN extras_objectchange c ON c.object_type = 'dcim.site' AND c.object_id = s.id WHERE s.slug = $1`

func (b *bench) compareCreations(ctx context.Context, barePath string) error {
	in := b.newSite()
	var rows [2]string
	for i, s := range []struct {
		side *gauge.Side
		path string
	}{{b.terrier, sitesPath}, {b.bare, barePath}} {
		n := b.made.Add(1)
		in.Name, in.Slug = fmt.Sprintf("New site %d", n), fmt.Sprintf("new-site-%d", n)
		if _, err := s.side.Do(s.side.Post(s.path, body(in)), http.StatusCreated); err != nil {
			return err
		}
		if err := b.pool.QueryRow(ctx, written, in.Slug).Scan(&rows[i]); err != nil {
			return fmt.Errorf("read what %s wrote: %w", s.side.Name, err)
		}
	}
	if rows[0] != rows[1] {
		return fmt.Errorf("the two sides write differently:\n%s\n%s", rows[0], rows[1])
	}
	return nil
}
