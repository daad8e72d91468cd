package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

// sampler makes valid bodies of any type from its declaration alone.
type sampler struct {
	s *apitest.Server
	n int

	making int // records that are being made for others
}

// texts are tried one by one until a field accepts one, so that patterns need no table.
var texts = []string{"name %d", "name-%d", "name_%d", "n%d@example.com", "%06x"}

// formats are the texts of fields whose rules are not in their declaration but in the package that uses them; ""
// leaves the field out.
var formats = map[string]string{
	"extras.webhook.payload_url":        "https://receiver.example/%d",
	"extras.webhook.http_content_type":  "text/x-%d",
	"extras.webhook.ca_file_path":       "",            // no directory is configured
	"extras.webhook.secret":             "whsec_%032d", // every other one has standard_headers
	"extras.webhook.client_certificate": "",            // it must be one
	"extras.webhook.client_key":         "",
}

// needed are fields that a record needs, although none of them is required on its own.
var needed = map[string]obj{
	"extras.webhook":       {"type_create": true}, // at least one event
	"extras.configcontext": {"data": obj{"a": 1}},
	"extras.savedfilter":   {"parameters": obj{"a": 1}},
	"ipam.asnrange":        {"end": int64(1<<32 - 1)},
	"ipam.vlangroup":       {"min_vid": int64(1), "max_vid": int64(4094)},
}

// leftOut are fields that have rules with other fields or records; tests of their own set them.
var leftOut = map[string][]string{
	"dcim.devicetype":                {"subdevice_role"},
	"dcim.consoleporttemplate":       {"module_type"},
	"dcim.consoleserverporttemplate": {"module_type"},
	"dcim.powerporttemplate":         {"module_type", "allocated_draw"},
	"dcim.powerport":                 {"allocated_draw"},
	"dcim.inventoryitemtemplate":     {"parent"},
	"dcim.inventoryitem":             {"parent"},
	"dcim.poweroutlettemplate":       {"module_type"},
	"dcim.interfacetemplate":         {"module_type", "bridge", "poe_mode", "poe_type"},
	"dcim.frontporttemplate":         {"module_type", "rear_port_position"},
	"dcim.rearporttemplate":          {"module_type"},
	"dcim.device":                    {"rack", "position", "face", "primary_ip4", "primary_ip6"},
	"dcim.virtualdevicecontext":      {"primary_ip4", "primary_ip6"},
	"dcim.virtualchassis":            {"master"},
	"dcim.frontport":                 {"rear_port_position"},
	"dcim.devicebay":                 {"installed_device"},
	"dcim.interface": {"vdcs", "parent", "bridge", "lag", "mark_connected", "poe_mode", "poe_type", "rf_role", "rf_channel",
		"rf_channel_frequency", "rf_channel_width"},
	"ipam.service":                  {"virtual_machine"},
	"ipam.vlan":                     {"group"},
	"virtualization.virtualmachine": {"device", "primary_ip4", "primary_ip6"},
}

// tied are required fields that only change together.
var tied = map[string][]string{
	"ipam.iprange": {"start_address", "end_address"},
}

func isLeftOut(t *record.Type, field string) bool { return slices.Contains(leftOut[t.Key()], field) }

// mayOwn reports whether a record needs a reference that is not required: a template belongs to one of two types.
func mayOwn(t *record.Type, field string) bool {
	switch t.Key() + "." + field {
	case "ipam.service.device", "virtualization.virtualmachine.cluster":
		return true
	}
	return field == "device_type" && t.Field("module_type") != nil
}

// special makes a record that a field can refer to, where not any record will do.
func (m *sampler) special(tb testing.TB, field string) (id int64, ok bool) {
	tb.Helper()
	registry := m.s.App.Registry
	switch field {
	case "dcim.devicebaytemplate.device_type":
		return m.makeParentType(tb), true
	case "dcim.devicebay.device":
		return m.makeWith(tb, registry.Type("dcim.device"), obj{"device_type": m.makeParentType(tb)}), true
	case "dcim.rackreservation.rack": // one that has the sampled units
		return m.makeWith(tb, registry.Type("dcim.rack"), obj{"u_height": 42}), true
	}
	return 0, false
}

// makeTarget makes a record that a reference of a type can point to, and returns it.
func (m *sampler) makeTarget(tb testing.TB, t *record.Type, ref record.Ref) map[string]any {
	tb.Helper()
	id, ok := m.special(tb, t.Key()+"."+ref.Name)
	if !ok {
		return m.create(tb, record.TargetOf(ref))
	}
	return m.s.Do(tb, apitest.Call{Method: "GET", Path: at(record.TargetOf(ref).Path(), id), Token: m.s.Admin}).Object(tb)
}

// makeParentType makes a device type whose devices have device bays.
func (m *sampler) makeParentType(tb testing.TB) int64 {
	return m.makeWith(tb, m.s.App.Registry.Type("dcim.devicetype"), obj{"subdevice_role": "parent"})
}

// bounded is the n-th number that a field allows.
func bounded(f record.Int, n int) int64 {
	if f.Min == nil || f.Max == nil {
		return int64(n)
	}
	return *f.Min + int64(n)%(*f.Max-*f.Min+1)
}

// body makes a body with a value for every field that can be written. A record that is made for another has only what it needs.
func (m *sampler) body(tb testing.TB, t *record.Type) map[string]any {
	tb.Helper()
	m.n++
	body := map[string]any{}
	for i, f := range t.All() {
		in := t.Infos()[i]
		_, refers := f.(record.Referring)
		if in.ReadOnly || isLeftOut(t, in.Name) || m.making > 0 && refers && !in.Required && !mayOwn(t, in.Name) {
			continue
		}
		if v, ok := m.value(tb, t, f, in, m.n); ok {
			body[in.Name] = v
		}
	}
	for _, f := range t.References() {
		shares := slices.ContainsFunc(t.Same, func(w record.Same) bool { return w.Ref == f.Name })
		if f.TypeField != "" && !shares && (m.making == 0 || t.Field(f.TypeField).Info().Required) {
			target := f.Targets[m.n%len(f.Targets)]
			body[f.TypeField], body[f.IDField] = target.Key(), m.make(tb, target)
		}
	}
	m.share(tb, t, body)
	return body
}

// share lets what a record refers to be in its own place. Where two references decide the same, one of them goes.
func (m *sampler) share(tb testing.TB, t *record.Type, body map[string]any) {
	tb.Helper()
	decided := map[string]string{}
	rules := slices.Clone(t.Same)
	slices.SortStableFunc(rules, func(a, b record.Same) int { // what is required comes first
		return cmp.Compare(fmt.Sprint(!t.Field(a.Ref).Info().Required), fmt.Sprint(!t.Field(b.Ref).Info().Required))
	})
	for _, w := range rules {
		ref, ok := body[w.Ref].(int64)
		by, taken := decided[w.Path]
		switch {
		case w.Here != "" || taken && by != w.Ref:
			delete(body, w.Ref) // nothing else in the body decides what fits
		case ok:
			target := record.TargetOf(t.Field(w.Ref))
			row := m.s.Do(tb, apitest.Call{Method: "GET", Path: fmt.Sprintf("%s%d/", target.Path(), ref), Token: m.s.Admin}).Object(tb)
			decided[w.Path], body[w.Path] = w.Ref, nil
			if place, ok := row[w.Path].(map[string]any); ok {
				body[w.Path] = apitest.ID(place)
			}
		}
	}
}

// value makes the n-th value of a field. Different n make different values if the kind has that many.
func (m *sampler) value(tb testing.TB, t *record.Type, f record.Field, in record.Info, n int) (any, bool) {
	tb.Helper()
	if v, ok := needed[t.Key()][in.Name]; ok {
		return v, true
	}
	if format, ok := formats[t.Key()+"."+in.Name]; ok {
		return fmt.Sprintf(format, n), format != ""
	}
	if id, ok := m.special(tb, t.Key()+"."+in.Name); ok {
		return id, true
	}
	switch x := f.(type) {
	case record.Choice:
		return x.Of[n%len(x.Of)].Value, len(x.Of) > 0 && !hasChoiceRules(t, in)
	case record.NumberChoice:
		return x.Of[n%len(x.Of)].Value, true
	case record.Date:
		return fmt.Sprintf("%04d-%02d-%02d", 1990+n%50, n%12+1, n%28+1), true
	case record.MAC:
		return fmt.Sprintf("02:00:5E:%02X:%02X:%02X", n>>16&255, n>>8&255, n&255), true
	case record.Network:
		return []string{fmt.Sprintf("10.%d.%d.0/24", n>>8&255, n&255), fmt.Sprintf("2001:db8:%x:%x::/64", n>>16&0xffff, n&0xffff)}[n%2], true
	case record.Address:
		if host := map[string]int{"start_address": 1, "end_address": 255}[in.Name]; host > 0 {
			return fmt.Sprintf("2001:db8:%x:%x::%x/64", n>>16, n&0xffff, host), true
		}
		return []string{fmt.Sprintf("10.%d.%d.%d/24", n>>16&255, n>>8&255, n&255),
			fmt.Sprintf("2001:db8::%x:%x/64", n>>16&0xffff|1, n&0xffff|1<<12)}[n%2], true
	case record.WWN:
		return fmt.Sprintf("50:06:01:60:3C:%02X:%02X:%02X", n>>16&255, n>>8&255, n&255), true
	case record.Ints:
		return []int64{int64(n%40) + 2, 1}, true
	case record.File:
		return apitest.DataURL(tb, n), true
	case record.Bool:
		return n%2 == 0, true
	case record.Int:
		return bounded(x, n), true
	case record.Decimal, record.Measure:
		return float64(n%80) + 0.5, true
	case record.Time:
		return fmt.Sprintf("2030-01-02T03:04:%02d.000000Z", n%60), true
	case record.Ref:
		if record.TargetOf(x) == t && (m.making > 0 || n%3 != 0) {
			return nil, true
		}
		return m.make(tb, record.TargetOf(x)), true
	case record.Refs:
		if record.TargetOf(x) == t && (m.making > 0 || n%3 != 0) {
			return []int64{}, true
		}
		if x.Slugs {
			return []string{m.create(tb, record.TargetOf(x))["slug"].(string)}, true
		}
		return []int64{m.make(tb, record.TargetOf(x))}, true
	case record.Tags:
		return []int64{m.make(tb, record.TargetOf(x))}, true
	case record.ObjectTypes:
		return []string{[]string{"dcim.site", "dcim.region"}[n%2]}, true
	case record.Actions:
		return []string{x.Of.Words[n%len(x.Of.Words)]}, true
	case record.List:
		return nil, false
	case record.Secret:
		if x.Shown {
			return fmt.Sprintf("X-Sample: %d", n), true
		}
		if !in.Required {
			return nil, false
		}
		return fmt.Sprintf("correct horse %d", n), true
	case record.Text, record.Slug:
		if len(in.Suggestions) > 0 {
			return in.Suggestions[n%len(in.Suggestions)], true
		}
		for _, format := range texts {
			text := fmt.Sprintf(format, n)
			if _, err := f.Parse(text); err == nil {
				return text, true
			}
		}
		tb.Fatalf("%s.%s accepts none of the sample texts", t.Key(), in.Name)
	}
	return nil, false
}

// hasChoiceRules reports whether a type's Check ties a choice to other fields; then only the default is known to be
// valid.
func hasChoiceRules(t *record.Type, in record.Info) bool { return t.Check != nil && in.Default != nil }

// make creates a record and returns its id.
func (m *sampler) make(tb testing.TB, t *record.Type) int64 {
	tb.Helper()
	m.making++
	defer func() { m.making-- }()
	return apitest.ID(m.create(tb, t))
}

// makeWith creates a record with some values and returns its id.
func (m *sampler) makeWith(tb testing.TB, t *record.Type, with obj) int64 {
	tb.Helper()
	m.making++
	defer func() { m.making-- }()
	body := m.body(tb, t)
	maps.Copy(body, with)
	return apitest.ID(m.s.Do(tb, apitest.Call{Method: "POST", Path: t.Path(), Token: m.s.Admin, Body: body}).
		Want(tb, http.StatusCreated).Object(tb))
}

func (m *sampler) create(tb testing.TB, t *record.Type) map[string]any {
	tb.Helper()
	return m.s.Do(tb, apitest.Call{Method: "POST", Path: t.Path(), Token: m.s.Admin, Body: m.body(tb, t)}).
		Want(tb, http.StatusCreated).Object(tb)
}
