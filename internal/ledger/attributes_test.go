package ledger_test

import (
	"encoding/json"
	"testing"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/test/trial"
)

// TestReferencesByAnyField: whatever field of whatever kind a reference names, and whatever value, it is refused or looked for.
func TestReferencesByAnyField(t *testing.T) {
	t.Parallel()
	b := newBundle(t, trial.Types()...)
	values := []any{nil, json.Number("5"), "5", "0.5", "-1", "x", "null", "", "2 kg", "2026-01-31", "00:1B:44:11:3A:B7",
		"50:06:01:60:3C:E0:1A:2B", "192.0.2.9", "192.0.2.9/24", "192.0.2.0/24", "dcim.site", "active", true, []any{},
		map[string]any{"id": json.Number("5")}}
	for _, typ := range b.reg.Types() {
		for _, f := range typ.All() {
			var written []any
			for _, value := range values {
				by := map[string]any{f.Info().Name: value}
				if _, err := record.ParseLinks(typ, []any{by}); err == nil {
					written = append(written, by)
				}
			}
			links, problems, err := b.Refer(t.Context(), b.root, typ, written)
			if err != nil || len(links)+len(problems) != len(written) {
				t.Errorf("a %s by its %s: %d references found %v and refused %q: %v", typ.Key(), f.Info().Name, len(written), links, problems, err)
			}
		}
	}
}

// TestReferencesByShownFields: a record is found by each of its fields as it shows them, alone and together.
func TestReferencesByShownFields(t *testing.T) {
	t.Parallel()
	b := newBundle(t, trial.Types()...)
	shelf := b.create(t, "trial.shelf", ledger.Input{"name": "upper"})[0]
	own := ledger.Input{"name": "Eth1", "alias": "uplink", "installed": "2026-01-31", "mac_address": "00:1B:44:11:3A:B7",
		"wwn": "50:06:01:60:3C:E0:1A:2B", "width": json.Number("10"), "speed": json.Number("9600"), "prefix": "192.0.2.0/24",
		"address": "192.0.2.7/24", "weight": json.Number("2.5"), "weight_unit": "kg"}
	in := ledger.Input{"shelf": json.Number(shelf.Type().FormatID(shelf.ID()))}
	for name, value := range own {
		in[name] = value
	}
	port := b.create(t, "trial.port", in, ledger.Input{"shelf": in["shelf"], "name": "Eth2"})[0]
	written := []any{own}
	for name, value := range own {
		written = append(written, map[string]any{name: value})
	}
	written = append(written, map[string]any{"weight": "2500 g"}, map[string]any{"address": "192.0.2.7"})
	links, problems, err := b.Refer(t.Context(), b.root, port.Type(), written)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for i, link := range links {
		if link.ID != port.ID() {
			t.Errorf("%v means the port %d, want %d", written[i], link.ID, port.ID())
		}
	}
	links, problems, err = b.Refer(t.Context(), b.root, port.Type(), []any{map[string]any{"weight": nil}})
	if err != nil || len(links) != 1 || links[0].ID == port.ID() {
		t.Errorf("the port without a weight is %v: %q, %v", links, problems, err)
	}
}
