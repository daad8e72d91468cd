package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// TestTablesAreAsDrafted makes the table that each declaration demands beside the one of the migrations and compares
// their definitions: columns with type, null and collation, every constraint, options, and for every index one that serves as
// well. The tables of types that the machine alone writes are partitioned, and made by hand.
func TestTablesAreAsDrafted(t *testing.T) {
	_, reg, db := open(t)
	for _, typ := range reg.Types() {
		if typ.ReadOnly {
			continue
		}
		t.Run(typ.Key(), func(t *testing.T) {
			compareTables(t, db, typ)
		})
	}
}

func compareTables(t *testing.T, db *pgxpool.Pool, typ *record.Type) {
	t.Helper()
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	have := definitionOf(t, tx, "public."+typ.Table())
	if _, err := tx.Exec(t.Context(), "CREATE SCHEMA drafted; SET LOCAL search_path = drafted, public"); err != nil {
		t.Fatal(err)
	}
	draft := store.DraftTable(typ)
	if _, err := tx.Exec(t.Context(), draft); err != nil {
		t.Fatalf("the draft can't be run: %v\n%s", err, draft)
	}
	want := definitionOf(t, tx, "drafted."+typ.Table())
	for _, line := range want.lines {
		if !slices.Contains(have.lines, line) {
			t.Errorf("the migrations lack: %s", line)
		}
	}
	for _, line := range have.lines {
		if !slices.Contains(want.lines, line) {
			t.Errorf("not declared: %s", line)
		}
	}
	for _, index := range want.indexes {
		if !slices.ContainsFunc(have.indexes, func(other string) bool { return serves(other, index) }) {
			t.Errorf("no index serves as this one would: %s\nthere are\n%s", index, strings.Join(have.indexes, "\n"))
		}
	}
}

// TestDraftOfAnyRef holds what a reference to one of several types needs: two columns, one index over both, and where it
// may be null a constraint that holds them together.
func TestDraftOfAnyRef(t *testing.T) {
	_, reg, db := open(t, trial.Types()...)
	draft := store.DraftTable(reg.Type("trial.sticker"))
	for _, line := range []string{
		"    stuck_on_type text NOT NULL,\n    stuck_on_id   bigint NOT NULL,\n    scope_type    text,\n    scope_id      bigint,\n",
		"    CONSTRAINT trial_sticker_scope_whole CHECK ((scope_type IS NULL) = (scope_id IS NULL)),\n",
		"    CONSTRAINT trial_sticker_object_whole CHECK ((content_type IS NULL) = (object_id IS NULL))\n) WITH (fillfactor = 85);\n",
		"CREATE INDEX trial_sticker_stuck_on ON trial_sticker (stuck_on_type, stuck_on_id);\n",
		"CREATE INDEX trial_sticker_scope ON trial_sticker (scope_type, scope_id) WHERE scope_type IS NOT NULL;\n",
	} {
		if !strings.Contains(draft, line) {
			t.Errorf("the draft lacks %q:\n%s", line, draft)
		}
	}
	if strings.Contains(draft, "stuck_on_whole") || strings.Contains(draft, "REFERENCES") {
		t.Errorf("the draft has a constraint too many:\n%s", draft)
	}
	insert := `INSERT INTO trial_sticker (version, name, stuck_on_type, stuck_on_id, scope_type, tags, custom_fields, created, last_updated)
		VALUES (1, 'x', 'trial.shelf', 1, 'dcim.site', '{}', '{}', now(), now())`
	if _, err := db.Exec(t.Context(), insert); err == nil || !strings.Contains(err.Error(), "trial_sticker_scope_whole") {
		t.Errorf("half a reference: %v", err)
	}
}

// TestDraftOfFoldedFilters: a text that a filter compares without regard to case has an index for it.
func TestDraftOfFoldedFilters(t *testing.T) {
	t.Parallel()
	_, reg, _ := open(t, trial.Types()...)
	if draft, want := store.DraftTable(reg.Type("trial.item")),
		"CREATE INDEX trial_item_name_folded ON trial_item (lower(name COLLATE natural_order));\n"; !strings.Contains(draft, want) {
		t.Errorf("the draft lacks %s:\n%s", want, draft)
	}
}

// definition is what PostgreSQL says of a table, without the name of its schema.
type definition struct {
	lines   []string // columns and constraints
	indexes []string // method and columns
}

func definitionOf(t *testing.T, tx pgx.Tx, table string) definition {
	t.Helper()
	schema, _, _ := strings.Cut(table, ".")
	collect := func(sql string) []string {
		rows, err := tx.Query(t.Context(), sql, table)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			lines[i] = strings.NewReplacer(schema+".", "", "public.", "").Replace(line)
		}
		return lines
	}
	return definition{
		lines: slices.Concat(
			collect(`SELECT 'column ' || attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null'
				ELSE '' END || coalesce(' ' || collname, '')
					|| coalesce(' generated ' || pg_get_expr(adbin, adrelid), '')
				FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation AND collname <> 'default'
				LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum AND attgenerated <> ''
				WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`),
			collect(`SELECT 'constraint ' || CASE WHEN contype = 'p' THEN '' ELSE conname || ' ' END || pg_get_constraintdef(oid) FROM `+
				`pg_constraint WHERE conrelid = $1::regclass`),
			collect(`SELECT 'option ' || unnest(reloptions) FROM pg_class WHERE oid = $1::regclass`)),
		indexes: collect(`SELECT CASE WHEN indisunique THEN 'unique ' ELSE '' END || substring(pg_get_indexdef(indexrelid) FROM 'USING ` +
			`.*$') FROM pg_index WHERE indrelid = $1::regclass`),
	}
}

// serves reports whether an index does what another one would: it has the same columns, or begins with them. An index over all records
// does what one over some of them would.
func serves(have, want string) bool {
	if strings.HasPrefix(want, "unique ") {
		return have == want
	}
	have = strings.TrimPrefix(have, "unique ")
	columns, where, _ := strings.Cut(want, " WHERE ")
	if all, some, partial := strings.Cut(have, " WHERE "); !partial || some == where {
		have, want = all, columns
	}
	return have == want || strings.HasPrefix(have, strings.TrimSuffix(want, ")")+",")
}

// TestServes holds which index can mean which.
func TestServes(t *testing.T) {
	for _, c := range []struct {
		have, want string
		serves     bool
	}{
		{"USING btree (site_id)", "USING btree (site_id)", true},
		{"USING btree (site_id, name)", "USING btree (site_id)", true},
		{"unique USING btree (name, id)", "USING btree (name, id)", true},
		{"USING btree (name)", "USING btree (name, id)", false},
		{"USING btree (site)", "USING btree (site_id)", false},
		{"USING btree (site_id2)", "USING btree (site_id)", false},
		{"USING btree (name)", "unique USING btree (name)", false},
		{"USING gin (tags)", "USING btree (tags)", false},
		{"USING btree (lag_id)", "USING btree (lag_id) WHERE (lag_id IS NOT NULL)", true},
		{"USING btree (lag_id, id) WHERE (lag_id IS NOT NULL)", "USING btree (lag_id) WHERE (lag_id IS NOT NULL)", true},
		{"USING btree (lag_id) WHERE (lag_id IS NOT NULL)", "USING btree (lag_id)", false},
		{"USING btree (lag_id) WHERE (id > 7)", "USING btree (lag_id) WHERE (lag_id IS NOT NULL)", false},
	} {
		if got := serves(c.have, c.want); got != c.serves {
			t.Errorf("%s for %s: %v", c.have, c.want, got)
		}
	}
}
