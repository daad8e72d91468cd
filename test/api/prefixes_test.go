package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// The filters of prefixes, aggregates and ranges find what the catalogue says.
func TestNetworkFilters(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	vlan := h.make(t, "vlan", "vid", 77)
	for _, prefix := range []string{"10.0.0.0/8", "10.1.0.0/16", "10.1.1.0/24", "10.1.1.1/32", "2001:db8::/32"} {
		h.network(t, prefix)
	}
	h.network(t, "10.1.2.0/24", "vlan", vlan)
	for query, found := range map[string]string{
		"prefix=10.1.0.0/16&prefix=x":       "10.1.0.0/16",
		"prefix=10.1.0.1/16":                "",
		"within=10.1.0.7/16":                "10.1.1.0/24 10.1.1.1/32 10.1.2.0/24",
		"within=x":                          "",
		"within_include=10.1.1.0/24":        "10.1.1.0/24 10.1.1.1/32",
		"contains=10.1.1.1":                 "10.0.0.0/8 10.1.0.0/16 10.1.1.0/24",
		"contains=10.1.1.1/32":              "10.0.0.0/8 10.1.0.0/16 10.1.1.0/24 10.1.1.1/32",
		"contains=x":                        "",
		"depth=0":                           "10.0.0.0/8 2001:db8::/32",
		"depth__gte=2":                      "10.1.1.0/24 10.1.1.1/32 10.1.2.0/24",
		"depth__n=0&children__gt=0":         "10.1.0.0/16 10.1.1.0/24",
		"children=4":                        "10.0.0.0/8",
		"depth__lt=2&depth__lte=1&family=4": "10.0.0.0/8 10.1.0.0/16",
		"depth=1&q=10.1.0":                  "10.1.0.0/16",
		"mask_length=16&mask_length=8":      "10.0.0.0/8 10.1.0.0/16",
		"mask_length__gte=24&family=4":      "10.1.1.0/24 10.1.1.1/32 10.1.2.0/24",
		"mask_length__lte=16":               "10.0.0.0/8 10.1.0.0/16",
		"family=6":                          "2001:db8::/32",
		"vlan_vid=77":                       "10.1.2.0/24",
		fmt.Sprintf("vlan_id=%d", vlan):     "10.1.2.0/24",
	} {
		h.networks(t, query, found)
	}
	h.make(t, "aggregate", "prefix", "10.0.0.0/8")
	for query, found := range map[string]int{"prefix=10.9.9.9/8": 1, "prefix=10.0.0.0/9": 0, "prefix=x": 0} {
		want(t, "aggregates found by "+query, len(h.find(t, "aggregate", "%s", query)), found)
	}
	h.make(t, "iprange", "start_address", "10.1.1.10/24", "end_address", "10.1.1.20/24")
	for query, found := range map[string]int{
		"contains=10.1.1.10": 1, "contains=10.1.1.20/32": 1, "contains=10.1.1.21": 0, "contains=x": 0, "contains=2001:db8::1": 0,
		"parent=10.1.1.0/24": 1, "parent=10.1.1.0/28": 0, "parent=x&parent=10.0.0.0/8": 1, "parent=x": 0,
		"start_address=10.1.1.10": 1, "start_address=10.1.1.10/24": 1, "start_address=10.1.1.10/25": 0, "end_address=10.1.1.20": 1,
	} {
		want(t, "ranges found by "+query, len(h.find(t, "iprange", "%s", query)), found)
	}
}

// A test of the depth is refused if the other filters leave too many records, with the filters that help.
func TestDepthOfTooMany(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	h := &hardware{actor: adminOf(s)}
	_, err := s.DB.Exec(t.Context(), `INSERT INTO ipam_prefix (version, prefix, status, is_pool, mark_utilized, description, comments, tags,
		custom_fields, created, last_updated)
		SELECT 1, network(set_masklen('10.0.0.0'::inet + i * 256, 24)), 'active', false, false, '', '', '{}', '{}', now(), now()
		FROM generate_series(0, 10000) i`)
	if err != nil {
		t.Fatal(err)
	}
	a := h.get(t, h.list("prefix")+"?depth=0").Want(t, http.StatusBadRequest)
	for _, word := range []string{"depth", "within", "vrf_id"} {
		if !strings.Contains(string(a.Raw), word) {
			t.Errorf("the refusal lacks %s: %s", word, a.Raw)
		}
	}
	want(t, "those within", h.page(t, h.list("prefix")+"?depth=0&within=10.0.0.0/16").Count, 256)
}

// Free addresses are written as addresses are everywhere, also those that PostgreSQL writes with dots.
func TestFreeAddressesAreCanonical(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	for prefix, free := range map[string]string{
		"::3:18/126":          "::3:19/126 ::3:1a/126 ::3:1b/126",
		"::ffff:10.0.0.0/127": "::ffff:10.0.0.0/127 ::ffff:10.0.0.1/127",
	} {
		path := at(h.list("prefix"), h.network(t, prefix)) + "available-ips/"
		want(t, "free in "+prefix, names(h.get(t, path).Want(t, http.StatusOK).List(t), "address"), free)
		made := h.do(t, "POST", path, obj{}).Want(t, http.StatusCreated).Object(t)
		want(t, "the first of "+prefix, made["address"], any(strings.Fields(free)[0]))
	}
}

// The depths of a thousand new prefixes are worked out in time, also while PostgreSQL takes the table for an empty one.
func TestManyPrefixesAtOnce(t *testing.T) {
	t.Parallel()
	a := adminOf(apitest.New(t))
	wanted := make([]obj, 1000)
	for i := range wanted {
		wanted[i] = obj{"prefix": fmt.Sprintf("2001:db8::%x/128", i)}
	}
	wanted[0] = obj{"prefix": "2001:db8::/32"}
	rows := a.do(t, "POST", "/api/ipam/prefixes/", wanted).Want(t, http.StatusCreated).List(t)
	want(t, "depth", fmt.Sprint(rows[0]["_depth"], rows[0]["children"], rows[999]["_depth"]), "0 999 1")
}
