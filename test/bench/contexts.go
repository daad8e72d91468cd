package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"terrier/internal/fill"
	"terrier/test/bench/figures"
)

// The register of the case contexts.
const (
	contextDevices = 1_000
	contextSites   = 10 // where they are
	contexts       = 200
)

// measureContexts measures how many times as long a page of devices takes with config_context as without.
func (b *bench) measureContexts(ctx context.Context) (rows []figures.Row, err error) {
	if b.contexts == nil {
		if b.contexts, err = b.makeContexts(ctx); err != nil {
			return nil, err
		}
	}
	for _, limit := range []int{50, 200} {
		with := fmt.Sprintf("%s?limit=%d", devicesPath, limit)
		r := figures.Row{Case: fmt.Sprint("contexts-", limit), Goal: figures.AtMost(2), Unit: "ms", Against: "without",
			What: fmt.Sprintf("page of %d devices with config_context, of %d contexts", limit, contexts)}
		if err := b.judgeTurns(&r, b.contexts.timeOf(with), b.contexts.timeOf(with+"&exclude=config_context")); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// timeOf returns what requests an address.
func (f *fleet) timeOf(address string) func() (float64, error) {
	ask := get(address)
	return func() (float64, error) { return ask(f) }
}

// makeContexts makes a register of devices and contexts. A device has some 13 of them. A third of the devices have data of their own.
func (b *bench) makeContexts(ctx context.Context) (*fleet, error) {
	return b.openFilled(ctx, "contexts", func(r *register) error {
		if err := r.addSites(ctx, least); err != nil {
			return err
		}
		for _, x := range []struct {
			key    string
			n      int
			recipe fill.Recipe
		}{
			{"dcim.manufacturer", 10, nil}, {"dcim.platform", 15, nil}, {"dcim.devicerole", 12, nil}, {"dcim.devicetype", 40, nil},
			{"dcim.device", contextDevices, fill.Recipe{"site": func(r fill.Row) any { return strconv.Itoa(1 + r.Draw(0, contextSites)) },
				"vc_position": func(fill.Row) any { return nil }}},
			{"extras.configcontext", contexts, contextRecipe()},
		} {
			if err := r.Fill(ctx, r.store.Type(x.key), x.n, x.recipe); err != nil {
				return err
			}
		}
		return execute(ctx, r.database, `UPDATE dcim_device SET local_context_data = jsonb_build_object('asset', jsonb_build_object('owner', id),
			'ntp', jsonb_build_object('key', id)) WHERE id % 3 = 0`, "VACUUM ANALYZE dcim_device")
	})
}

// contextRecipe makes contexts that each name one record by one selector. One in forty applies to all devices.
func contextRecipe() fill.Recipe {
	named := map[string]struct{ kinds, of int }{ // kinds: how many of ten contexts have the selector, of: how many records there are to name
		"regions": {3, regions}, "sites": {2, contextSites}, "roles": {1, 12}, "platforms": {1, 15}, "device_types": {1, 40},
		"tenants": {1, tenants}, "site_groups": {1, groups}}
	recipe := fill.Recipe{
		"name":      func(r fill.Row) any { return fmt.Sprint("context ", r.Number) },
		"weight":    func(r fill.Row) any { return strconv.Itoa(1000 + r.Number%7*100) },
		"is_active": func(fill.Row) any { return true },
		"data":      contextData,
	}
	from := 0
	for _, name := range []string{"regions", "sites", "roles", "platforms", "device_types", "tenants", "site_groups"} {
		first, last, of := from, from+named[name].kinds, named[name].of
		from = last
		recipe[name] = func(r fill.Row) any {
			if kind := r.Number % 10; r.Number%40 == 0 || kind < first || kind >= last {
				return []any{}
			}
			return []any{json.Number(strconv.Itoa(1 + r.Draw(0, of)))}
		}
	}
	for _, name := range []string{"locations", "cluster_types", "cluster_groups", "clusters", "tenant_groups", "tags"} {
		recipe[name] = func(fill.Row) any { return []any{} }
	}
	return recipe
}

// contextData is some 250 bytes: keys that many contexts have, and one that few have.
func contextData(r fill.Row) any {
	return map[string]any{
		"ntp":                             map[string]any{"servers": []any{fmt.Sprint("192.0.2.", r.Number), "192.0.2.250"}, "zone": "UTC"},
		"syslog":                          map[string]any{"host": fmt.Sprintf("log-%d.example.com", r.Number%9), "port": json.Number("514")},
		fmt.Sprint("part-", r.Number%25):  map[string]any{"note": r.Words(6), "level": json.Number(strconv.Itoa(r.Number))},
		fmt.Sprint("users-", r.Number%12): []any{r.Words(1), r.Words(1), r.Words(1)},
	}
}
