package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// compareAnswers refuses to measure two servers that do different work: lists and records
// must be the same bytes, and a creation must leave the same rows.
func (b *bench) compareAnswers(ctx context.Context) error {
	t, p := b.terrier, b.bare
	for _, pair := range [][2][]byte{
		{t.get(sitesPath + "?limit=50"), p.get("/bare/list")},
		{t.get(sitesPath + "3/"), p.get("/bare/get/3")},
		{t.get(sitesPath + "7/"), p.get("/bare/get/7")},
	} {
		ours, err := t.clients[0].do(pair[0], 200)
		if err != nil {
			return err
		}
		theirs, err := p.clients[0].do(pair[1], 200)
		if err != nil {
			return err
		}
		ours, theirs = withoutNext(ours), withoutNext(theirs)
		if !bytes.Equal(ours, theirs) {
			return fmt.Errorf("the two sides answer differently:\n%.3000s\n%.3000s", ours, theirs)
		}
	}
	return b.compareCreations(ctx)
}

// withoutNext cuts out the link to the following page: Terrier's carries a cursor.
func withoutNext(raw []byte) []byte {
	from, to := bytes.Index(raw, []byte(`"next":`)), bytes.Index(raw, []byte(`"previous":`))
	if from < 0 || to < from {
		return raw
	}
	return append(bytes.Clone(raw[:from]), raw[to:]...)
}

func (b *bench) compareCreations(ctx context.Context) error {
	in := b.newSite()
	written := make([]string, 2)
	for i, s := range []*side{b.terrier, b.bare} {
		in.Name, in.Slug = fmt.Sprintf("Compared %d", i), fmt.Sprintf("compared-%d", i)
		body, err := json.Marshal(in)
		if err != nil {
			return err
		}
		path := sitesPath
		if s == b.bare {
			path = "/bare/create"
		}
		if _, err := s.clients[0].do(s.post(path, body), 201); err != nil {
			return err
		}
		// What must differ is blanked: names, ids and times.
		err = b.pool.QueryRow(ctx, `
			SELECT regexp_replace(concat_ws(E'\n', to_jsonb(s) - '{id,name,slug,created,last_updated}'::text[],
				to_jsonb(c) - '{id,changed_at,user_id,request_id,object_id,object_repr,postchange,data}'::text[], c.postchange, c.data),
				'[Cc]ompared[- ][01]|\d{4}-\d\d-\d\dT[0-9:.]+Z|"id":\d+|sites/\d+/', '…', 'g')
			FROM dcim_site s JOIN extras_objectchange c ON c.object_type = 'dcim.site' AND c.object_id = s.id WHERE s.slug = $1`, in.Slug).Scan(&written[i])
		if err != nil {
			return fmt.Errorf("read what %s wrote: %w", s.name, err)
		}
	}
	if written[0] != written[1] {
		return fmt.Errorf("the two sides write differently:\n%s\n%s", written[0], written[1])
	}
	return nil
}
