package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

var offered = regexp.MustCompile(`<option value="([^"]+)"(?: data-json-type="([a-z]+)")?></option>`)

// TestConditionAttributes: every attribute that the form of a webhook offers is in the records of the API, with values of the JSON type
// that is offered with it.
func TestConditionAttributes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for name, kind := range map[string]string{"owner": "text", "floors": "integer", "height": "decimal", "manned": "boolean", "opened": "date",
		"extra": "json", "crew": "multiselect"} {
		field := obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}}
		if kind == "multiselect" {
			field["choices"] = []string{"5", "6"}
		}
		create(t, s, "/api/extras/custom-fields/", field)
	}
	tag := create(t, s, "/api/extras/tags/", obj{"name": "Lab", "slug": "lab"})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Iberia", "slug": "iberia"})
	rir := create(t, s, "/api/ipam/rirs/", obj{"name": "RIPE", "slug": "ripe"})
	asn := create(t, s, "/api/ipam/asns/", obj{"asn": 64512, "rir": rir})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "5", "slug": "5", "region": region, "tags": []int64{tag}, "asns": []int64{asn},
		"latitude": 38.7, "time_zone": "Europe/Lisbon", "custom_fields": obj{"owner": "5", "floors": 5, "height": 1.5, "manned": true,
			"opened": "2026-01-31", "extra": obj{"a": 1}, "crew": []string{"5"}}})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site, "width": 19, "u_height": 42, "weight": 1.5, "weight_unit": "kg"})

	attributes := func(types ...string) map[string]string {
		form := hookForm()
		form["content_types"] = types
		found := map[string]string{}
		for _, m := range offered.FindAllStringSubmatch(string(b.post(t, hooks+"preview/", form, live("webhook-preview")...).
			Want(t, http.StatusOK).Raw), -1) {
			found[html.UnescapeString(m[1])] = m[2]
		}
		return found
	}
	for key, path := range map[string]string{"dcim.site": fmt.Sprintf("/api/dcim/sites/%d/", site),
		"dcim.rack": fmt.Sprintf("/api/dcim/racks/%d/", rack)} {
		data := s.Do(t, apitest.Call{Path: path, Token: s.Admin}).Want(t, http.StatusOK).Object(t)
		for name, want := range attributes(key) {
			if got, known := jsonTypeAt(data, strings.Split(name, ".")); !known {
				t.Errorf("%s has no %s", path, name)
			} else if got != "" && got != want {
				t.Errorf("%s of %s is offered as %q, and it is %q", name, path, want, got)
			}
		}
	}
	sites := attributes("dcim.site")
	for name, want := range map[string]string{"name": "string", "status": "string", "latitude": "number",
		"region.id": "number", "region.slug": "string",
		"tags.slug": "string", "asns.asn": "number", "created": "string", "custom_fields.owner": "string", "custom_fields.floors": "number",
		"custom_fields.height": "number", "custom_fields.manned": "boolean", "custom_fields.crew": "string", "custom_fields.extra": ""} {
		if got, known := sites[name]; got != want || !known {
			t.Errorf("%s is offered as %q, want %q", name, got, want)
		}
	}
	if racks := attributes("dcim.rack"); racks["width"] != "number" || racks["outer_unit"] != "string" {
		t.Errorf("choices have the type of their values, not %q and %q", racks["width"], racks["outer_unit"])
	}
	both := attributes("dcim.device", "dcim.modulebaytemplate")
	if got, known := both["position"]; got != "" || !known {
		t.Errorf("the position is a number in a rack and a text in a module: it is offered as %q", got)
	}
}

// jsonTypeAt returns the JSON type of what a condition finds at a path: of a choice that of its value, of a list that of its members. It is
// "" where there is no value. The second result reports whether the path exists, or may: nothing is known about the members of null.
func jsonTypeAt(in any, path []string) (kind string, known bool) {
	switch x := in.(type) {
	case nil:
		return "", true
	case []any:
		if len(x) == 0 {
			return "", true
		}
		return jsonTypeAt(x[0], path)
	case map[string]any:
		if len(path) > 0 {
			member, known := x[path[0]]
			if !known {
				return "", false
			}
			return jsonTypeAt(member, path[1:])
		}
		return jsonTypeAt(x["value"], nil)
	}
	switch in.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	default:
		kind = "number"
	}
	return kind, len(path) == 0
}

// TestConditionAttributesOfManyTypes: the form of a webhook takes as many statements for many record types as for one, and its preview as
// many for a type that is named again and again as for one that is named once.
func TestConditionAttributesOfManyTypes(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "type": "text", "content_types": []string{"dcim.site", "dcim.rack"}})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "floors", "type": "integer", "content_types": []string{"dcim.rack"}})
	form := func(name string, types ...string) string {
		id := create(t, s, "/api/extras/webhooks/", obj{"name": name, "content_types": types, "type_create": true,
			"payload_url": "http://localhost:9/"})
		return fmt.Sprintf("%s%d/edit/", hooks, id)
	}
	one, many := form("one", "dcim.site"), form("many", "dcim.site", "dcim.rack", "dcim.device", "dcim.region", "ipam.prefix")
	shows(t, b.get(t, many), `<option value="custom_fields.owner" data-json-type="string">`,
		`<option value="custom_fields.floors" data-json-type="number">`)
	few, _ := needs(t, b, one, wire)
	if got, _ := needs(t, b, many, wire); got != few {
		t.Errorf("%d statements for one type, %d for five", few, got)
	}
	preview := func(times int) int64 {
		input := hookForm()
		input["content_types"] = slices.Repeat([]string{"dcim.site"}, times)
		wire.Statements.Store(0)
		b.post(t, hooks+"preview/", input, live("webhook-preview")...)
		return wire.Statements.Load()
	}
	preview(1)
	if once, often := preview(1), preview(200); often > once+5 { // the session may be noted
		t.Errorf("%d statements for a type, %d for the same 200 times", once, often)
	}
}
