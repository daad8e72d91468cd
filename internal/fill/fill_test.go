package fill_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/dbtest"
	"terrier/internal/fill"
	"terrier/internal/inventory/dcim"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/storetest"
	"terrier/test/trial"
)

// TestEveryType checks that every type can be filled, with rows that keep its rules and are listed and counted.
func TestEveryType(t *testing.T) {
	t.Parallel()
	const rows = 200
	s, reg, _ := storetest.Open(t, nil, trial.Types()...)
	g := fill.New(s, 7)
	found := map[*record.Type]map[int64]record.Values{}
	for _, typ := range fill.Ordered(reg.Types()) {
		if err := g.Fill(t.Context(), typ, rows, nil); err != nil {
			t.Fatal(err)
		}
		page, err := s.List(t.Context(), typ, store.Query{Scope: access.Machine(), Limit: 2 * rows})
		if err != nil {
			t.Fatalf("%s: %v", typ.Key(), err)
		}
		if page.Count != rows || len(page.Rows) != rows {
			t.Errorf("%s: the list has %d records and counts %d", typ.Key(), len(page.Rows), page.Count)
		}
		if _, off, err := s.Recount(t.Context(), typ); err != nil || off != 0 {
			t.Errorf("%s: the count is off by %d: %v", typ.Key(), off, err)
		}
		found[typ] = map[int64]record.Values{}
		for _, v := range page.Rows {
			found[typ][v.ID()] = v
		}
		for _, v := range page.Rows {
			checkRecord(t, v, found)
		}
	}
}

// checkRecord checks that a write of the record would not be refused.
func checkRecord(t *testing.T, v record.Values, found map[*record.Type]map[int64]record.Values) {
	t.Helper()
	typ := v.Type()
	name := fmt.Sprintf("%s %d", typ.Key(), v.ID())
	for i, f := range typ.All() {
		if _, uploaded := f.(record.Uploaded); uploaded {
			continue // a sample has no files
		}
		words, ok := f.(record.WordChecker)
		if ok && words.CheckAdded(nil, v.At(i)) != nil || typ.Infos()[i].TooLong(v.At(i)) != nil {
			t.Errorf("%s: %s is %v", name, typ.Infos()[i].Name, v.At(i))
		}
	}
	if typ.Check != nil {
		if refused := typ.Check(typ.NewValues(), v); len(refused) > 0 {
			t.Errorf("%s: %v", name, refused)
		}
	}
	for _, ref := range typ.References() {
		for _, l := range ref.Links(v) {
			if _, ok := found[ref.Of(l)][l.ID]; !ok {
				t.Errorf("%s refers to %s %d, which does not exist", name, ref.Of(l).Key(), l.ID)
			}
		}
	}
	for _, rule := range typ.Same {
		other, ok := found[record.TargetOf(typ.Field(rule.Ref))][v.Link(rule.Ref).ID]
		if ok && rule.OrNone && other.Get(rule.Path) == nil {
			continue
		}
		if ok && (rule.Here != "" || v.Link(rule.Path).ID != other.Link(rule.Path).ID) {
			t.Errorf("%s: %s of its %s is another", name, rule.Path, rule.Ref)
		}
	}
}

// TestSameSeedMakesSameRows checks that the tables are equal byte by byte, and differ with another seed.
func TestSameSeedMakesSameRows(t *testing.T) {
	t.Parallel()
	contents := func(seed uint64) map[string]string {
		s, reg, db := storetest.Open(t, nil, trial.Types()...)
		g := fill.New(s, seed)
		for _, typ := range fill.Ordered(reg.Types()) {
			if err := g.Fill(t.Context(), typ, 50, nil); err != nil {
				t.Fatal(err)
			}
		}
		return dbtest.Contents(t, db)
	}
	one, again, other := contents(7), contents(7), contents(8)
	if !maps.Equal(one, again) {
		t.Error("the same seed made other rows")
	}
	if one["dcim_site"] == other["dcim_site"] {
		t.Error("another seed made the same rows")
	}
}

// TestRecipe checks that exactly as many rows as wanted have a word, also when a table is filled in steps, and that what fills it goes on
// as usual afterwards: constraints, indexes and ids.
func TestRecipe(t *testing.T) {
	t.Parallel()
	s, reg, db := storetest.Open(t, nil)
	sites := reg.Type("dcim.site")
	if _, err := db.Exec(t.Context(), "COMMENT ON INDEX dcim_site_region IS 'it''s one'"); err != nil {
		t.Fatal(err)
	}
	before := definitions(t, db)
	g := fill.New(s, 7)
	var shown []int
	g.Progress = func(_ *record.Type, rows, _ int) { shown = append(shown, rows) }
	for _, n := range []int{1000, 30_000} {
		if err := g.Fill(t.Context(), sites, n, fill.ForSearch()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{1000, 10_000, 20_000, 30_000}; !slices.Equal(shown, want) {
		t.Errorf("progress was shown at %v, want %v", shown, want)
	}
	for condition, want := range map[string]int{
		"true": 31_000,
		"concat_ws(' ', name, slug, facility, description, physical_address, shipping_address, comments) ~* '" + fill.CommonWord + "'": 2480,
		"concat_ws(' ', name, slug, facility, description, physical_address, shipping_address, comments) ~* '" + fill.RareWord + "'":   6,
		"description ~* '" + fill.NoWord + "'":                    0,
		"status = 'planned'":                                      3100,
		"id > 1000 AND description ~* '" + fill.CommonWord + "'":  2400,
		"name = 'site-0000123' AND slug = name AND id = 123":      1,
		"nextval('dcim_site_id_seq') > 31000 AND id = 1":          1,
		"'' IN (name, slug) OR created = last_updated AND id < 0": 0,
	} {
		var got int
		if err := db.QueryRow(t.Context(), "SELECT count(*) FROM dcim_site WHERE "+condition).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, want %d: %v", condition, got, want, err)
		}
	}
	if after := definitions(t, db); after != before {
		t.Errorf("constraints and indexes were\n%s\nand are\n%s", before, after)
	}
}

// definitions returns the constraints and indexes of sites.
func definitions(t *testing.T, db *pgxpool.Pool) (all string) {
	t.Helper()
	err := db.QueryRow(t.Context(), `SELECT string_agg(definition, E'\n' ORDER BY definition) FROM (
		SELECT conname || pg_get_constraintdef(oid) || convalidated FROM pg_constraint WHERE conrelid = 'dcim_site'::regclass AND contype <> 'n'
		UNION ALL SELECT pg_get_indexdef(indexrelid) || coalesce(obj_description(indexrelid), '') FROM pg_index
		WHERE indrelid = 'dcim_site'::regclass) x(definition)`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func unnamed(record.Reader) string { return "it" }

// TestRefusals checks what can't be filled.
func TestRefusals(t *testing.T) {
	t.Parallel()
	twice := record.Type{App: "trial", Name: "twice", Plural: "twices", Order: []string{"id"}, Display: unnamed,
		Fields: record.Fields{record.Bool{Name: "flag"}}, Unique: []record.Unique{{Name: "trial_twice_flag_unique", Fields: []string{"flag"}}}}
	s, reg, db := storetest.Open(t, nil, twice)
	g := fill.New(s, 7)
	constant := func(x any) fill.Recipe { return fill.Recipe{"name": func(fill.Row) any { return x }} }
	for _, test := range []struct {
		typ    string
		n      int
		recipe fill.Recipe
		want   string
	}{
		{"dcim.location", 1, nil, "fill dcim.site before"},
		{"extras.delivery", 1, nil, "only Terrier itself"},
		{"dcim.site", 1, fill.Recipe{"title": nil}, "title"},
		{"dcim.site", 1, constant(""), "may not be blank"},
		{"dcim.site", 1, constant(strings.Repeat("x", 101)), "no more than 100"},
		{"dcim.site", 2, constant("x"), "already exists"},
		{"dcim.site", 30_000, constant("x"), "already exists"},
		{"trial.twice", 3, nil, "already exists"},
	} {
		err := g.Fill(t.Context(), reg.Type(test.typ), test.n, test.recipe)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d of %s: %v, want %q", test.n, test.typ, err, test.want)
		}
	}
	var left int
	if err := db.QueryRow(t.Context(), "SELECT count(*) FROM dcim_site, record_count").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left: %v", left, err)
	}
	if err := g.Fill(t.Context(), reg.Type(dcim.Site.Key()), 1, nil); err != nil {
		t.Errorf("after the refusals: %v", err)
	}
}

// TestNobodyKnowsThePasswords checks that the login of a filled user is refused like any other.
func TestNobodyKnowsThePasswords(t *testing.T) {
	t.Parallel()
	s, reg, db := storetest.Open(t, nil)
	if err := fill.New(s, 7).Fill(t.Context(), reg.Type("users.user"), 1, nil); err != nil {
		t.Fatal(err)
	}
	var hash string
	if err := db.QueryRow(t.Context(), "SELECT password_sealed FROM users_user").Scan(&hash); err != nil {
		t.Fatal(err)
	}
	if same, err := account.NewPasswords().Verify(t.Context(), netip.Addr{}, "a password", hash); same || err != nil {
		t.Errorf("the password is %v: %v", same, err)
	}
}

// TestOrdered checks that a circle of references is left at one that a record needs not have.
func TestOrdered(t *testing.T) {
	t.Parallel()
	box := record.Type{App: "trial", Name: "box", Plural: "boxes", Order: []string{"id"}, Display: unnamed, Fields: record.Fields{
		record.Ref{Name: "label", To: "trial.label"}}}
	label := record.Type{App: "trial", Name: "label", Plural: "labels", Order: []string{"id"}, Display: unnamed, Fields: record.Fields{
		record.Ref{Name: "box", To: "trial.box", Required: true}}}
	for _, types := range [][]record.Type{{box, label}, {label, box}} {
		reg, err := record.NewRegistry(types...)
		if err != nil {
			t.Fatal(err)
		}
		if got := fill.Ordered(reg.Types()); len(got) != 2 || got[0].Name != "box" {
			t.Errorf("a label needs a box, and comes first: %v", got[0].Key())
		}
	}
}

// TestFleet checks that the devices of a fleet could have been created: what they refer to agrees, no two take the same units of a rack,
// and each has its interfaces, also if the fleet grows.
func TestFleet(t *testing.T) {
	t.Parallel()
	s, reg, db := storetest.Open(t, nil)
	g := fill.New(s, 7)
	if err := g.Fleet(t.Context(), 10); err == nil {
		t.Error("a fleet was made without sites")
	}
	if err := g.Fill(t.Context(), reg.Type("dcim.site"), 5, nil); err != nil {
		t.Fatal(err)
	}
	for _, devices := range []int{100, 150} {
		if err := g.Fleet(t.Context(), devices); err != nil {
			t.Fatal(err)
		}
	}
	for what, sql := range map[string]string{
		"devices": "SELECT count(*) = 250 FROM dcim_device", "racks": "SELECT count(*) = 25 FROM dcim_rack",
		"interfaces of each device": `SELECT bool_and(n = 50) AND count(*) = 250
			FROM (SELECT count(*) n FROM dcim_interface GROUP BY device_id) x`,
		"templates of each type": `SELECT bool_and(n = 50) FROM (SELECT count(*) n FROM dcim_interfacetemplate GROUP BY device_type_id) x`,
		"sites of racks": `SELECT bool_and(d.site_id = k.site_id AND d.location_id = k.location_id AND l.site_id = k.site_id) FROM dcim_device d
			JOIN dcim_rack k ON k.id = d.rack_id JOIN dcim_location l ON l.id = k.location_id`,
		"free units": `SELECT NOT EXISTS (SELECT FROM dcim_device a JOIN dcim_devicetype x ON x.id = a.device_type_id
			JOIN dcim_device b ON b.rack_id = a.rack_id AND b.id <> a.id WHERE b.position >= a.position AND b.position < a.position + x.u_height)`,
		"positions in the rack": `SELECT bool_and(d.position + y.u_height <= k.u_height + 1 AND d.face IS NOT NULL) FROM dcim_device d
			JOIN dcim_devicetype y ON y.id = d.device_type_id JOIN dcim_rack k ON k.id = d.rack_id WHERE d.position IS NOT NULL`,
		"aggregates": `SELECT count(*) = 1000 AND bool_and(a.device_id = i.device_id AND a.type = 'lag')
			FROM dcim_interface i JOIN dcim_interface a ON a.id = i.lag_id`,
		"chassis of two": `SELECT count(*) = 5 AND bool_and(n = 2) FROM (SELECT count(*) n FROM dcim_device
			WHERE virtual_chassis_id IS NOT NULL GROUP BY virtual_chassis_id) x`,
		"platforms": "SELECT count(platform_id) > 0 FROM dcim_device",
	} {
		var ok bool
		if err := db.QueryRow(t.Context(), sql).Scan(&ok); err != nil || !ok {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
}
