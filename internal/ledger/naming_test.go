package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestNamesAreOneStatement: references by slug or name cost one statement more for each type than references by slug, for any number of
// records.
func TestNamesAreOneStatement(t *testing.T) {
	b := newBundle(t)
	for i := range 50 {
		b.create(t, "dcim.region", ledger.Input{"name": fmt.Sprint("Region ", i), "slug": fmt.Sprint("region-", i)})
	}
	b.create(t, "tenancy.tenant", ledger.Input{"name": "Tenant 1", "slug": "tenant-1"})
	typed := func(text string) record.Naming { return record.Naming{By: "slug", Or: "name", Text: text} }
	made := 0
	for _, size := range []int{1, 1000} {
		rows := make([]ledger.Input, size)
		for i := range rows {
			made++
			rows[i] = named(1000 + made)
			rows[i]["region"], rows[i]["tenant"] = typed(fmt.Sprint("Region ", i%50)), typed("Tenant 1")
			if i%3 == 1 {
				rows[i]["region"] = typed(fmt.Sprint("region-", i%50))
			}
		}
		var err error
		// BEGIN, ids, custom fields, region twice, tenant twice; insert, read back, webhooks; change rows, counts, COMMIT
		if got := b.count(func() { _, err = b.Create(t.Context(), b.root, b.reg.Type("dcim.site"), rows) }); got != 13 || err != nil {
			t.Errorf("%d of them: %d statements, want 13 (%v)", size, got, err)
		}
	}
	if n := b.number(t, `SELECT count(*) FROM dcim_site s JOIN dcim_region r ON r.id = s.region_id WHERE r.name = 'Region 7'`); n != 20 {
		t.Errorf("%d sites are in the region, want 20", n)
	}
}

// TestCommonNamesHideNoOthers: names that very many records have don't make others unknown, and don't seem unique.
func TestCommonNamesHideNoOthers(t *testing.T) {
	b := newBundle(t)
	attic := fmt.Sprint(b.create(t, "dcim.site", named(301))[0].ID())
	b.create(t, "dcim.location", ledger.Input{"name": "Attic", "slug": "attic", "site": attic})
	for site := range 100 {
		id := fmt.Sprint(b.create(t, "dcim.site", named(site))[0].ID())
		b.create(t, "dcim.location", ledger.Input{"name": "Floor 1", "slug": "floor-1", "site": id})
	}
	roof := fmt.Sprint(b.create(t, "dcim.site", named(300))[0].ID())
	b.create(t, "dcim.location", ledger.Input{"name": "Roof", "slug": "top", "site": roof})
	var typed []any
	for _, text := range []string{"Floor 1", "Attic", "Roof"} {
		typed = append(typed, record.Naming{By: "slug", Or: "name", Text: text})
	}
	links, problems, err := b.Refer(t.Context(), b.root, b.reg.Type("dcim.location"), typed)
	if err != nil || len(links) != 0 || len(problems) != 3 || !strings.Contains(problems[0], `"Floor 1" is the slug or name of several`) ||
		!strings.Contains(problems[1], "Write # and its id") || !strings.Contains(problems[2], "Write # and its id") {
		t.Errorf("got %v, %q, %v", links, problems, err)
	}
	if links, problems, err = b.Refer(t.Context(), b.root, b.reg.Type("dcim.location"), typed[1:]); err != nil || len(links) != 2 {
		t.Errorf("without the common name: got %v, %q, %v", links, problems, err)
	}
}
