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
	err := sameAnswers(b.terrier, b.bare, [][2]string{
		{sitesPath + "?limit=50", "/bare/list"},
		{sitesPath + "3/", "/bare/get/3"},
		{sitesPath + "7/", "/bare/get/7"},
		{sitesPath + "?limit=50&q=" + searched(11), "/bare/search?q=" + searched(11)},
	})
	if err != nil {
		return err
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

// sameAnswers fails if one side does not answer with the same bytes as the other. Each pair is the addresses of one answer.
func sameAnswers(terrier, bare *gauge.Side, pairs [][2]string) error {
	for _, pair := range pairs {
		ours, err := terrier.Do(terrier.Get(pair[0]), http.StatusOK)
		if err != nil {
			return err
		}
		theirs, err := bare.Do(bare.Get(pair[1]), http.StatusOK)
		if err != nil {
			return err
		}
		ours, theirs = withoutNext(ours), withoutNext(theirs)
		if !bytes.Equal(ours, theirs) {
			at := 0
			for at < min(len(ours), len(theirs)) && ours[at] == theirs[at] {
				at++
			}
			from := max(0, at-1000)
			return fmt.Errorf("the two sides answer differently from byte %d on:\n%.3000s\n%.3000s", at, ours[min(from, len(ours)):],
				theirs[min(from, len(theirs)):])
		}
	}
	return nil
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
