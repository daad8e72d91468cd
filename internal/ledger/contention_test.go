package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// TestNothingIsLostWhileWaiting lets an update wait for a row while another session sets a
// tag and a region that did not exist when it began to wait. The update must keep both,
// and the log must show them in the state before.
func TestNothingIsLostWhileWaiting(t *testing.T) {
	b := newBundle(t)
	ctx := t.Context()
	id, other, updated := b.waitingUpdate(t)
	tag := b.create(t, "extras.tag", named(1))[0].ID()
	region := b.create(t, "dcim.region", named(1))[0].ID()
	if _, err := other.Exec(ctx, "UPDATE dcim_site SET tags = $2, region_id = $3, version = version + 1 WHERE id = $1", id,
		[]int64{tag}, region); err != nil {
		t.Fatal(err)
	}
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	v := <-updated
	if len(v.Links("tags")) != 1 || v.Link("region").ID != region || v.Text("description") != "waited" {
		t.Errorf("after the wait: tags %v, region %v, description %q", v.Links("tags"), v.Link("region"), v.Text("description"))
	}
	var pre string
	err := b.db.QueryRow(ctx, "SELECT prechange FROM extras_objectchange WHERE object_type = 'dcim.site' AND action = 'update'").Scan(&pre)
	if err != nil || !strings.Contains(pre, `"tags":["n1"]`) || !strings.Contains(pre, fmt.Sprintf(`"region":%d`, region)) {
		t.Errorf("the state before is not the one that was changed: %s (%v)", pre, err)
	}
}

// waitingUpdate creates a site and starts an update of it that waits for another session. The channel receives the updated record
// when that session has ended.
func (b *bundle) waitingUpdate(t *testing.T) (id int64, other pgx.Tx, updated <-chan record.Values) {
	t.Helper()
	ctx := t.Context()
	id = b.create(t, "dcim.site", named(1))[0].ID()
	other, err := b.db.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(ctx, "SELECT FROM dcim_site WHERE id = $1 FOR NO KEY UPDATE", id); err != nil {
		t.Fatal(err)
	}
	out := make(chan record.Values, 1)
	go func() {
		defer close(out)
		rows, err := b.Update(ctx, b.root, b.reg.Type("dcim.site"), []ledger.Edit{{ID: id, Input: ledger.Input{"description": "waited"}}})
		if err != nil {
			t.Error(err)
			return
		}
		out <- rows[0]
	}()
	b.waitForWaiter(t)
	return id, other, out
}

// waitForWaiter returns when some session of the database waits for a lock.
func (b *bundle) waitForWaiter(t *testing.T) {
	t.Helper()
	dbtest.AwaitWaiters(t, b.db, 1)
}

// TestTheLogFollowsTheVersions: a change that had to wait is not older than the one it
// waited for.
func TestTheLogFollowsTheVersions(t *testing.T) {
	b := newBundle(t)
	ctx := t.Context()
	_, other, updated := b.waitingUpdate(t)
	var released string
	if err := other.QueryRow(ctx, "SELECT clock_timestamp()::text").Scan(&released); err != nil {
		t.Fatal(err)
	}
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	<-updated
	var late bool
	err := b.db.QueryRow(ctx,
		"SELECT changed_at >= $1::timestamptz FROM extras_objectchange WHERE object_type = 'dcim.site' AND action = 'update'",
		released).Scan(&late)
	if err != nil || !late {
		t.Errorf("the change that waited is dated before the one it waited for (%v)", err)
	}
}

// TestEditsOfOneRecordAddUp: several edits of one record in one request are one change. The last value of a field wins, and custom
// fields merge.
func TestEditsOfOneRecordAddUp(t *testing.T) {
	b := newBundle(t)
	for _, name := range []string{"a", "b"} {
		b.create(t, "extras.customfield", ledger.Input{"name": name, "content_types": []any{"dcim.site"}})
	}
	b.create(t, "dcim.region", named(1), named(2))
	id := b.create(t, "dcim.site", named(1))[0].ID()
	rows, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Edit{
		{ID: id, Input: ledger.Input{"region": ledger.Input{"slug": "n1"}, "custom_fields": ledger.Input{"a": "1"}}},
		{ID: id, Input: ledger.Input{"region": ledger.Input{"slug": "n2"}, "custom_fields": ledger.Input{"b": "2"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := rows[0]
	if v.Link("region").Brief[1] != "n2" || string(v.Raw("custom_fields")) != `{"a":"1","b":"2"}` || v.Version != 2 {
		t.Errorf("region %v, custom fields %s, version %d", v.Link("region"), v.Raw("custom_fields"), v.Version)
	}
}

// TestLargeNumbersDiffer: 2⁵³ and 2⁵³+1 are the same float, and not the same number.
func TestLargeNumbersDiffer(t *testing.T) {
	b := newBundle(t)
	b.create(t, "extras.customfield", ledger.Input{"name": "n", "type": "integer", "content_types": []any{"dcim.site"}})
	in := named(1)
	in["custom_fields"] = ledger.Input{"n": json.Number("9007199254740992")}
	id := b.create(t, "dcim.site", in)[0].ID()
	rows, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"),
		[]ledger.Edit{{ID: id, Input: ledger.Input{"custom_fields": ledger.Input{"n": json.Number("9007199254740993")}}}})
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Version != 2 || string(rows[0].Raw("custom_fields")) != `{"n":9007199254740993}` {
		t.Errorf("version %d, %s", rows[0].Version, rows[0].Raw("custom_fields"))
	}
}

// TestReferencesByTwoAttributes finds each of many records whose names are the same at several sites: a record must match all
// attributes of a reference.
func TestReferencesByTwoAttributes(t *testing.T) {
	b := newBundle(t)
	const sites, floors = 30, 30
	var places, parents, rooms []ledger.Input
	for s := range sites {
		places = append(places, named(s))
	}
	made := b.create(t, "dcim.site", places...)
	for s := range sites {
		for f := range floors {
			parents = append(parents, ledger.Input{"name": fmt.Sprint("floor ", f), "slug": fmt.Sprint("floor-", f),
				"site": fmt.Sprint(made[s].ID())})
		}
		rooms = append(rooms, ledger.Input{"name": "room", "slug": "room", "site": fmt.Sprint(made[s].ID()),
			"parent": ledger.Input{"name": fmt.Sprint("floor ", s%floors), "site": fmt.Sprint(made[s].ID())}})
	}
	b.create(t, "dcim.location", parents...)
	for i, v := range b.create(t, "dcim.location", rooms...) {
		if got := v.Link("parent").Brief[0]; got != fmt.Sprint("floor ", i%floors) {
			t.Errorf("room %d is on %v", i, got)
		}
	}
}

// TestDeleteThatWouldClash: the delete is refused as a conflict, not with errors on fields that nobody sent.
func TestDeleteThatWouldClash(t *testing.T) {
	b := newBundle(t)
	group := b.create(t, "tenancy.tenantgroup", named(1))[0].ID()
	in := named(1)
	in["group"] = fmt.Sprint(group)
	b.create(t, "tenancy.tenant", named(1), in)
	err := b.Delete(t.Context(), b.root, b.reg.Type("tenancy.tenantgroup"), []ledger.Edit{{ID: group}})
	if fault.KindOf(err) != fault.Held {
		t.Errorf("deleting the group: %v", err)
	}
}

// TestDeleteOfManyFindsTheRest: the one dependant that the request does not name is found, however many named records refer to each
// other.
func TestDeleteOfManyFindsTheRest(t *testing.T) {
	b := newBundle(t)
	tops := b.create(t, "dcim.region", named(1), named(2))
	var below []ledger.Input
	for i := range 1001 {
		below = append(below, within(named(i), "parent", tops[0]))
	}
	below = append(below, within(named(1), "parent", tops[1]))
	made := b.create(t, "dcim.region", below...)
	unnamed := made[len(made)-1].ID()
	var edits []ledger.Edit
	for _, v := range append(tops, made[:len(made)-1]...) {
		edits = append(edits, ledger.Edit{ID: v.ID()})
	}
	if err := b.Delete(t.Context(), b.root, b.reg.Type("dcim.region"), edits); err != nil {
		t.Fatal(err)
	}
	var left, logged int
	err := b.db.QueryRow(t.Context(),
		"SELECT (SELECT count(*) FROM dcim_region), (SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.region' AND "+
			"action = 'delete' AND object_id = $1)", unnamed).Scan(&left, &logged)
	if err != nil || left != 0 || logged != 1 {
		t.Errorf("%d regions are left, %d changes tell of the one that nobody named (%v)", left, logged, err)
	}
}

// TestBrokenReferencesInAnyLanguage: PostgreSQL says which end of a foreign key is missing only in its message, which may be in any
// language.
func TestBrokenReferencesInAnyLanguage(t *testing.T) {
	b := newBundle(t)
	region := b.create(t, "dcim.region", named(1))[0]
	_, err := b.db.Exec(t.Context(), `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE foreign_key_violation USING MESSAGE = 'Fremdschlüssel-Constraint verletzt', TABLE = 'dcim_site',
				CONSTRAINT = 'dcim_site_region_exists';
		END $$;
		CREATE TRIGGER refuse BEFORE DELETE ON dcim_region FOR EACH ROW EXECUTE FUNCTION refuse();
		CREATE TRIGGER refuse BEFORE INSERT ON dcim_site FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if err != nil {
		t.Fatal(err)
	}
	err = b.Delete(t.Context(), b.root, region.Type(), []ledger.Edit{{ID: region.ID()}})
	if fault.KindOf(err) != fault.Held || !strings.Contains(err.Error(), "dcim_site") {
		t.Errorf("deleting: %v", err)
	}
	_, err = b.Create(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Input{within(named(1), "region", region)})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "region: Related object not found") {
		t.Errorf("creating: %v", err)
	}
}

// TestPartitionsHaveNoIdentity: PostgreSQL from 17 on refuses to attach a table that has one.
func TestPartitionsHaveNoIdentity(t *testing.T) {
	b := newBundle(t)
	rows, err := b.db.Query(t.Context(),
		"SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid WHERE inhparent = "+
			"'extras_objectchange'::regclass AND relkind = 'r'")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 4 {
		t.Fatalf("partitions: %v (%v)", names, err)
	}
	slices.Sort(names)
	var n int
	if err := b.db.QueryRow(t.Context(), "SELECT count(*) FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''",
		names[0]).Scan(&n); err != nil || n != 0 {
		t.Errorf("%s has %d identity columns (%v)", names[0], n, err)
	}
}

// TestTheLogHoldsTrueCounts: a writer sees only counts of records that they may see. The counts that are logged and sent do not
// depend on who wrote.
func TestTheLogHoldsTrueCounts(t *testing.T) {
	b := newBundle(t)
	region := b.create(t, "dcim.region", named(1))[0].ID()
	in := named(1)
	in["region"] = fmt.Sprint(region)
	b.create(t, "dcim.site", in)
	writer := ledger.Caller{Subject: &access.Subject{UserID: 2, Username: "writer", Grants: []access.Grant{
		{Types: []string{"dcim.region"}, Actions: []string{"view", "change"}}}}, RequestID: b.root.RequestID}
	for _, description := range []string{"x", "x"} { // the second changes nothing
		rows, err := b.Update(t.Context(), writer, b.reg.Type("dcim.region"),
			[]ledger.Edit{{ID: region, Input: ledger.Input{"description": description}}})
		if err != nil {
			t.Fatal(err)
		}
		if n := rows[0].Int("site_count"); n != 0 {
			t.Errorf("the writer sees %d sites", n)
		}
	}
	var data string
	err := b.db.QueryRow(t.Context(),
		"SELECT data FROM extras_objectchange WHERE object_type = 'dcim.region' AND action = 'update'").Scan(&data)
	if err != nil || !strings.Contains(data, `"site_count":1`) {
		t.Errorf("the log holds %s (%v)", data, err)
	}
}

// TestNumbersAreEqualByValue: the database rewrites 1e2 as 100, which is not a change.
func TestNumbersAreEqualByValue(t *testing.T) {
	b := newBundle(t)
	b.create(t, "extras.customfield", ledger.Input{"name": "j", "type": "json", "content_types": []any{"dcim.site"}})
	id := b.create(t, "dcim.site", named(1))[0].ID()
	for range 3 {
		rows, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Edit{{ID: id, Input: ledger.Input{
			"custom_fields": ledger.Input{"j": []any{json.Number("1e2"), ledger.Input{"k": json.Number("0.10")}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if rows[0].Version != 2 {
			t.Errorf("version %d after the same value again", rows[0].Version)
		}
	}
}

// TestNumbersThatGrow: numbers with a large exponent are refused, because jsonb would write them out in full.
func TestNumbersThatGrow(t *testing.T) {
	b := newBundle(t)
	b.create(t, "extras.customfield", ledger.Input{"name": "j", "type": "json", "content_types": []any{"dcim.site"}})
	for i, number := range []string{"1e131071", "0e-16000", "1e-31", "1e+9999999999999999999", strings.Repeat("9", 65)} {
		in := named(i)
		in["custom_fields"] = ledger.Input{"j": []any{json.Number(number)}}
		if _, err := b.Create(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Input{in}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.20s: %v", number, err)
		}
	}
}

// TestDefaultThatChangesMeanwhile: an update stores only what it was given, even if the default of a custom field changes between
// its read and its write.
func TestDefaultThatChangesMeanwhile(t *testing.T) {
	b := newBundle(t)
	sites := b.create(t, "dcim.site", named(1), named(2))
	tag := b.create(t, "extras.tag", named(1))[0].ID()
	b.create(t, "extras.customfield", ledger.Input{"name": "tier", "type": "text", "content_types": []any{"dcim.site"},
		"default": json.RawMessage(`"silver"`)})
	holder, err := b.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Rollback(context.WithoutCancel(t.Context())) }() // or the update waits for it
	if _, err := holder.Exec(t.Context(), "SELECT FROM extras_tag FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		tags := []any{fmt.Sprint(tag)}
		_, err := b.Update(t.Context(), b.root, b.reg.Type("dcim.site"), []ledger.Edit{
			{ID: sites[0].ID(), Input: ledger.Input{"description": "new", "tags": tags}},
			{ID: sites[1].ID(), Input: ledger.Input{"custom_fields": map[string]any{"tier": "bronze"}, "tags": tags}}})
		done <- err
	}()
	b.waitForWaiter(t) // the update has read the sites and waits for the tag
	b.exec(t, `UPDATE extras_customfield SET "default" = '"bronze"'`)
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"{}", `{"tier": "bronze"}`} {
		var stored string
		if err := b.db.QueryRow(t.Context(), "SELECT custom_fields::text FROM dcim_site WHERE id = $1", sites[i].ID()).
			Scan(&stored); err != nil || stored != want {
			t.Errorf("site %d keeps %s, want %s (%v)", i+1, stored, want, err)
		}
	}
}
