package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// uniquePrefixes: a network is refused a second time where its VRF says so, and in the global table where the setting does.
func uniquePrefixes(t *testing.T, h *hardware) {
	strict, loose := h.make(t, "vrf", "name", "Strict"), h.make(t, "vrf", "enforce_unique", false)
	first := h.network(t, "10.2.0.0/24", "vrf", strict)
	again := h.post(t, "prefix", "prefix", "10.2.0.0/24", "vrf", strict)
	if wantErrors(t, again, "prefix"); !strings.Contains(string(again.Raw), "Strict") || !strings.Contains(string(again.Raw), "10.2.0.0/24") {
		t.Errorf("the refusal names neither the VRF nor the prefix: %s", again.Raw)
	}
	other := h.network(t, "10.2.0.0/25", "vrf", strict)
	h.unset(t, "prefix", "prefix", other, "prefix", "10.2.0.0/24")
	h.set(t, "prefix", first, "description", "still the only one")
	for _, vrf := range []any{loose, nil} {
		h.network(t, "10.2.0.0/24", "vrf", vrf)
		h.network(t, "10.2.0.0/24", "vrf", vrf)
	}
	unique := &hardware{actor: adminOf(apitest.New(t, func(c *app.Config) { c.EnforceGlobalUnique = true }))}
	unique.network(t, "10.2.0.0/24")
	unique.refused(t, "prefix", "prefix", "prefix", "10.2.0.0/24")
	unique.network(t, "10.2.0.0/24", "vrf", unique.make(t, "vrf"))
}

// uniqueInOneList: two equal networks in one request are refused where one would be after the other.
func uniqueInOneList(t *testing.T, h *hardware) {
	vrf := h.make(t, "vrf")
	body := func(prefix string) obj { return h.body(t, "prefix", "prefix", prefix, "vrf", vrf) }
	h.do(t, http.MethodPost, h.list("prefix"), []obj{body("10.3.0.0/24"), body("10.3.1.0/24"), body("10.3.0.0/24")}).
		Want(t, http.StatusBadRequest)
	h.networks(t, fmt.Sprintf("vrf_id=%d", vrf), "")
	h.do(t, http.MethodPost, h.list("prefix"), []obj{body("10.3.0.0/24"), body("10.3.1.0/24")}).Want(t, http.StatusCreated)
}

// apartAggregates: no aggregate equals, contains or is inside another one.
func apartAggregates(t *testing.T, h *hardware) {
	id := h.make(t, "aggregate", "prefix", "10.20.0.0/16")
	for _, prefix := range []string{"10.20.0.0/16", "10.16.0.0/12", "10.20.128.0/17"} {
		a := h.post(t, "aggregate", "prefix", prefix)
		if wantErrors(t, a, "prefix"); !strings.Contains(string(a.Raw), "10.20.0.0/16") {
			t.Errorf("the refusal of %s does not name the other aggregate: %s", prefix, a.Raw)
		}
	}
	next := h.make(t, "aggregate", "prefix", "10.21.0.0/16")
	h.unset(t, "prefix", "aggregate", next, "prefix", "10.20.1.0/24")
	h.set(t, "aggregate", id, "prefix", "10.20.0.0/17")
	h.set(t, "aggregate", next, "prefix", "10.20.128.0/17")
	h.make(t, "aggregate", "prefix", "2001:db8:20::/48")
	h.refused(t, "prefix", "aggregate", "prefix", "2001:db8::/32")
}

func rangeSpaceRules() map[int]ruleTest {
	ends := func(start, end string, more ...any) []any {
		return append([]any{"start_address", start, "end_address", end}, more...)
	}
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			for _, x := range [][2]string{
				{"10.1.0.1/24", "2001:db8::1/64"}, {"10.1.0.1/24", "10.1.0.9/25"}, {"10.1.0.9/24", "10.1.0.1/24"}, {"10.1.0.1/24", "10.1.0.1/24"},
			} {
				h.refused(t, "end_address", "iprange", ends(x[0], x[1])...)
			}
			id := h.make(t, "iprange", ends("10.1.0.1/24", "10.1.0.9/24")...)
			h.unset(t, "end_address", "iprange", id, "start_address", "10.1.0.9/24")
		},
		2: func(t *testing.T, h *hardware) {
			vrf := h.make(t, "vrf")
			for _, within := range []any{nil, vrf} {
				h.make(t, "iprange", ends("10.2.0.10/24", "10.2.0.20/24", "vrf", within)...)
				for _, x := range [][2]string{{"10.2.0.10/24", "10.2.0.20/24"}, {"10.2.0.20/24", "10.2.0.30/24"}, {"10.2.0.1/24", "10.2.0.10/24"},
					{"10.2.0.12/16", "10.2.0.13/16"}, {"10.2.0.1/16", "10.2.0.30/16"}} { // the mask does not matter
					h.refused(t, "non_field_errors", "iprange", ends(x[0], x[1], "vrf", within)...)
				}
				next := h.make(t, "iprange", ends("10.2.0.21/24", "10.2.0.30/24", "vrf", within)...)
				h.unset(t, "non_field_errors", "iprange", next, "start_address", "10.2.0.20/24")
			}
		},
		3: func(t *testing.T, h *hardware) {
			want(t, "size", fmt.Sprint(h.made(t, "iprange", ends("10.3.0.1/24", "10.3.0.9/24")...)["size"]), "9")
			h.refused(t, "end_address", "iprange", ends("2001:db8:3::/64", "2001:db8:3::ffff:ffff/64")...)
			whole := h.made(t, "iprange", ends("2001:db8:3::/64", "2001:db8:3::ffff:fffe/64")...)
			want(t, "size", fmt.Sprintf("%.0f", whole["size"]), "4294967295")
		},
	}
}

// freeInAll: free numbers of a range that spans all of them are found without listing it.
func freeInAll(t *testing.T, h *hardware) {
	of := h.make(t, "asnrange", "start", 1, "end", 4294967295)
	for _, n := range []int{1, 2, 4} {
		h.make(t, "asn", "asn", n)
	}
	path := at(h.list("asnrange"), of) + "available-asns/"
	var free []int64
	for _, row := range h.get(t, path+"?limit=3").Want(t, http.StatusOK).List(t) {
		free = append(free, int64(row["asn"].(float64)))
	}
	want(t, "free numbers", fmt.Sprint(free), "[3 5 6]")
	made := h.do(t, http.MethodPost, path, []obj{{}, {}}).Want(t, http.StatusCreated).List(t)
	want(t, "numbers given out", names(made, "asn"), "3 5")
}

// TestPrefixLengthIsANumber: the length of a prefix to take is a whole number in JSON. What is refused takes nothing.
func TestPrefixLengthIsANumber(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	path := at(h.list("prefix"), h.network(t, "10.0.0.0/24")) + "available-prefixes/"
	for _, length := range []any{"28", 28.5, "", nil, true, 33} {
		errs := h.do(t, http.MethodPost, path, obj{"prefix_length": length}).Want(t, http.StatusBadRequest).List(t)
		if len(errs) != 1 || errs[0]["prefix_length"] == nil {
			t.Errorf("the length %v is refused with %v", length, errs)
		}
		h.do(t, http.MethodPost, path, []obj{{"prefix_length": 28}, {"prefix_length": length}}).Want(t, http.StatusBadRequest)
	}
	h.networks(t, "within=10.0.0.0/24", "")
	h.do(t, http.MethodPost, path, obj{"prefix_length": 28}).Want(t, http.StatusCreated)
}
