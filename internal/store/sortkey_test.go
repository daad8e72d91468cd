package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// inOrder are names of interfaces in their order: by slots first, those without a slot last; then by the letters of the type, capitals
// first, and by number, channel and subinterface.
var inOrder = []string{
	"ge-0/0/0", "ge-0/0/0.0", "ge-0/0/0.100", "ge-0/0/1", "ge-0/0/1:0", "ge-0/0/1:1", "ge-0/0/1:1.5", "ge-0/0/1:10", "ge-0/0/2", "ge-0/0/10",
	"xe-0/0/1", "xe-0/1/0",
	"GigabitEthernet1/0/1", "GigabitEthernet1/0/2", "GigabitEthernet1/0/10", "TenGigabitEthernet1/0/1", "GigabitEthernet1/1/1",
	"Ethernet1/1", "Ethernet1/2", "Ethernet1/2.7", "Ethernet1/10", "GigabitEthernet2/0/1", "Ethernet10/1",
	"0", "1", "2", "10", "Bundle-Ether1", "Ethernet", "Ethernet1", "Ethernet1.100", "Ethernet1:1", "Ethernet2", "Ethernet10", "Port 2",
	"Port 10", "Vlan1", "Vlan100", "eth0", "eth0 rear", "eth1", "eth1a2", "eth1a10", "ethernet1.200", "mgmt0",
}

// TestInterfaceNamesInOrder holds the order that the key of interface names gives.
func TestInterfaceNamesInOrder(t *testing.T) {
	_, _, db := open(t)
	given := slices.Clone(inOrder)
	slices.Sort(given)
	rows, err := db.Query(t.Context(), `SELECT name FROM unnest($1::text[]) name ORDER BY interface_key(name) COLLATE "C"`, given)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range inOrder {
		if got[i] != want {
			t.Fatalf("after %v comes %q, want %q\n%s", inOrder[max(0, i-1):i], got[i], want, strings.Join(got, "\n"))
		}
	}
}

// TestInterfaceKeyTakesAnyText holds that a key exists for whatever a name may be, in a length that an index can hold.
func TestInterfaceKeyTakesAnyText(t *testing.T) {
	_, _, db := open(t)
	text := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9/:. -]{1,200}`), rapid.StringN(1, 200, -1))
	rapid.Check(t, func(rt *rapid.T) {
		name := strings.ReplaceAll(text.Draw(rt, "name"), "\x00", "")
		var length int
		err := db.QueryRow(t.Context(), `SELECT octet_length(interface_key($1))`, name).Scan(&length)
		if err != nil || length > 2600 {
			rt.Fatalf("%q: a key of %d bytes, %v", name, length, err)
		}
	})
}

// TestSortKeyIsIndexed holds that a page in the order of a sort key comes out of the index of one table.
func TestSortKeyIsIndexed(t *testing.T) {
	_, reg, db := open(t, trial.Types()...)
	for _, name := range []string{"trial.port", "trial.host"} {
		typ := reg.Type(name)
		if plan := explain(t, db, store.ExplainList(typ)); strings.Contains(plan, "Sort  (") || !strings.Contains(plan, typ.Table()+"_order") {
			t.Errorf("the order by a sort key does not come out of its index:\n%s", plan)
		}
	}
}

// TestNullableReferenceInOrderIsIndexed holds that a page of a type which is ordered by a reference that may be null is one range of
// its index, wherever the cursor stands.
func TestNullableReferenceInOrderIsIndexed(t *testing.T) {
	_, reg, db := open(t, trial.Types()...)
	plan := explain(t, db, store.ExplainList(reg.Type("trial.crate")))
	const want = "Index Cond: (ROW(COALESCE(shelf_id, '9223372036854775807'::bigint), name_key, id) > ROW("
	if strings.Contains(plan, "Sort  (") || !strings.Contains(plan, want) {
		t.Errorf("the order by a shelf that may be null does not come out of its index:\n%s", plan)
	}
}

// TestNetworksAreIndexed holds that networks and addresses are found by a range or by values of an index.
func TestNetworksAreIndexed(t *testing.T) {
	s, reg, db := open(t, trial.Types()...)
	port := reg.Type("trial.port")
	for filter, want := range map[string]string{
		"within": "Index Cond: ((prefix > '10.0.0.0/8'", "within_include": "Index Cond: ((prefix >= '10.0.0.0/8'",
		"contains": "Index Cond: (prefix = ANY",
		"parent":   "Index Cond: ((address_key >= '10.0.0.0'", "mac_address": "Index Cond: (mac_address = ANY",
		"address": "Index Cond: (address_key = ANY",
	} {
		value := "10.0.0.0/8"
		if filter == "mac_address" {
			value = "00:1B:44:11:3A:B7"
		}
		p, _, err := port.ParseFilter(filter, []string{value})
		if err != nil {
			t.Fatal(err)
		}
		statement, args, err := store.CountStatement(s, port, store.Query{Scope: access.Machine(), Where: []record.Predicate{p}})
		if err != nil {
			t.Fatal(err)
		}
		if plan := explain(t, db, statement, args...); !strings.Contains(plan, want) {
			t.Errorf("%s does not come out of an index by %s:\n%s\n%s", filter, want, plan, statement)
		}
	}
}

// TestMeasureKeys compares what the database generates of a weight and its unit with what cursors and filters work out.
func TestMeasureKeys(t *testing.T) {
	_, reg, db := open(t, trial.Types()...)
	port := reg.Type("trial.port")
	column := port.Field("weight").Column()
	numbers, units := rapid.SliceOfN(rapid.IntRange(0, 99_999_999), 5000, 5000).Example(1), []string{"g", "kg", "oz", "lb", "gone"}
	ns, us, want := make([]float64, len(numbers)), make([]string, len(numbers)), make([]any, len(numbers))
	for i, n := range numbers {
		ns[i], us[i] = float64(n)/100, units[i%len(units)]
		v := port.NewValues()
		v.Set("weight", ns[i])
		v.Set("weight_unit", us[i])
		want[i] = column.Key.Of(v)
	}
	rows, err := db.Query(t.Context(), "SELECT "+store.KeyExpression(column)+
		" FROM unnest($1::float8[], $2::text[]) x(weight, weight_unit)", ns, us)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[any])
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d keys differ from those that were worked out: %v", len(got), err)
	}
}

// TestOrderOfNumbersIsIndexed holds that an index in the order of a list of numbers takes the longest list that a declaration there allows,
// whatever the numbers, and a name beside it. A list that no index takes is refused as a value, not as an error of ours.
func TestOrderOfNumbersIsIndexed(t *testing.T) {
	s, _, db := open(t, record.Type{App: "trial", Name: "plan", Plural: "plans", Section: "Trial", Doc: "Numbers.",
		Fields: record.Fields{record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
			record.Ints{Name: "numbers", MaxItems: 250}},
		Brief: []string{"name"}, Order: []string{"name", "numbers"}})
	insert := `INSERT INTO trial_plan (version, name, numbers, created, last_updated)
		SELECT 1, repeat('ä', 100), array_agg(hashint8extended(n, 1)), now(), now() FROM generate_series(1, $1::int) n`
	if _, err := db.Exec(t.Context(), insert, 250); err != nil {
		t.Error(err)
	}
	_, err := db.Exec(t.Context(), insert, 1000)
	if err = store.Translate(s, err); fault.KindOf(err) != fault.Invalid || !store.Refused(err) {
		t.Errorf("an entry that no index takes: %v", err)
	}
}

// TestNullableTextInOrder holds that records without a name come last, whatever the names of the others are, and that pages forth and
// back have every record once.
func TestNullableTextInOrder(t *testing.T) {
	s, reg, db := open(t, record.Type{App: "trial", Name: "pet", Plural: "pets", Section: "Trial", Doc: "It may have no name.",
		Fields: record.Fields{record.Text{Name: "name", Max: 100, Null: true, Sort: record.Natural}}, Brief: []string{"name"},
		Order: []string{"name"}})
	if _, err := db.Exec(t.Context(), `INSERT INTO trial_pet (version, name, created, last_updated) SELECT 1, name, now(), now()
		FROM unnest(ARRAY[NULL, 'z', '中', '😀', U&'\+10FFFE', U&'\E000', 'a10', 'a9', NULL, '']) name`); err != nil {
		t.Fatal(err)
	}
	walk := func(cursor string, on func(store.Page) string) (ids []int64, last store.Page) {
		for {
			page, err := s.List(t.Context(), reg.Type("trial.pet"), store.Query{Scope: access.Machine(), Limit: 3, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page.Rows {
				ids = append(ids, v.ID())
			}
			if last, cursor = page, on(page); cursor == "" || len(ids) > 20 {
				return ids, last
			}
		}
	}
	forth, last := walk("", func(p store.Page) string { return p.Next })
	if !slices.Equal(forth, []int64{10, 4, 8, 7, 2, 3, 6, 5, 1, 9}) {
		t.Errorf("the order is %v", forth)
	}
	back, _ := walk(last.Prev, func(p store.Page) string { return p.Prev })
	slices.Sort(back)
	if want := slices.Sorted(slices.Values(forth[:9])); !slices.Equal(back, want) {
		t.Errorf("back from the last page are %v, want %v", back, want)
	}
}
