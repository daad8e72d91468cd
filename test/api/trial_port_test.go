package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// ports is a server with a shelf, and what makes ports on it.
type ports struct {
	*apitest.Server
	shelf int64
}

func newPorts(t *testing.T) ports {
	t.Helper()
	s := apitest.NewWith(t, trial.Types())
	shelf := s.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/shelves/", Token: s.Admin,
		Body: map[string]any{"name": "upper"}}).Want(t, http.StatusCreated)
	return ports{s, apitest.ID(shelf.Object(t))}
}

// post sends a body that makes a port of the name.
func (p ports) post(t *testing.T, name string, body map[string]any) apitest.Answer {
	t.Helper()
	whole := map[string]any{"shelf": p.shelf, "name": name}
	for key, value := range body {
		whole[key] = value
	}
	return p.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/ports/", Token: p.Admin, Body: whole})
}

// names lists the ports that a query finds, page by page.
func (p ports) names(t *testing.T, query string) []string {
	t.Helper()
	names := []string{}
	for path := "/api/trial/ports/?" + query; path != ""; {
		page := p.Do(t, apitest.Call{Method: "GET", Path: path, Token: p.Admin}).Want(t, http.StatusOK).Page(t)
		for _, row := range page.Results {
			names = append(names, row["name"].(string))
		}
		if path = ""; page.Next != nil {
			path = (*page.Next)[len(p.URL):]
		}
	}
	return names
}

// finds asks that a query finds these ports and no other.
func (p ports) finds(t *testing.T, query string, want ...string) {
	t.Helper()
	got := p.names(t, query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s found %v, want %v", query, got, want)
	}
}

// TestSortKey puts ports in the order of their names as people read them: by default, by ordering=, by what refers to them,
// forward and back, whatever the size of a page.
func TestSortKey(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	want := []string{"Gi1/0/1", "Gi1/0/2", "Gi1/0/10", "gi1/0/2.7", "Gi2/0/1", "Eth1", "Eth1.100", "Eth2", "Eth10"}
	for i, name := range []string{"Eth10", "Gi2/0/1", "Eth1.100", "Gi1/0/10", "Eth2", "gi1/0/2.7", "Eth1", "Gi1/0/2", "Gi1/0/1"} {
		p.post(t, name, map[string]any{"alias": map[bool]any{true: "0" + name}[i%2 == 0]}).Want(t, http.StatusCreated)
	}
	reverse := slices.Clone(want)
	slices.Reverse(reverse)
	for _, limit := range []int{1, 2, 4, 50} {
		for query, want := range map[string][]string{"": want, "ordering=name&": want, "ordering=-name&": reverse,
			"ordering=shelf,-name&": reverse} {
			if got := p.names(t, fmt.Sprintf("%slimit=%d", query, limit)); !slices.Equal(got, want) {
				t.Errorf("%slimit=%d: %v, want %v", query, limit, got, want)
			}
		}
	}
	lag := apitest.ID(p.post(t, "Ae2", map[string]any{"lag": map[string]any{"name": "Eth10"}}).Want(t, http.StatusCreated).Object(t))
	p.post(t, "Ae1", map[string]any{"lag": lag}).Want(t, http.StatusCreated)
	p.post(t, "Ae3", map[string]any{"lag": map[string]any{"name": "Eth2"}}).Want(t, http.StatusCreated)
	for _, limit := range []int{1, 50} {
		if got := p.names(t, fmt.Sprintf("lag__n=null&ordering=lag&limit=%d", limit))[:3]; !slices.Equal(got, []string{"Ae1", "Ae3", "Ae2"}) {
			t.Errorf("by what they refer to: %v", got)
		}
	}
}

// TestNewKinds asks the API for ports by each kind that none of our types uses yet: in filters, in the constraints of a
// permission, in OPTIONS.
func TestNewKinds(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	p.post(t, "a", map[string]any{"mac_address": "001b.4411.3ab7", "wwn": "500601603ce01a2b", "installed": "2026-01-31",
		"vlans": []int{10, 2}, "width": 10}).Want(t, http.StatusCreated)
	p.post(t, "b", map[string]any{"mac_address": "00-1B-44-11-3A-B8", "installed": "2026-12-01", "vlans": []int{2}, "speed": 9600}).
		Want(t, http.StatusCreated)
	p.post(t, "c", nil).Want(t, http.StatusCreated)
	for query, want := range map[string][]string{
		"mac_address=001b44113ab7": {"a"}, "mac_address=00:1b:44:11:3a:b7&mac_address=00:1b:44:11:3a:b8": {"a", "b"},
		"mac_address__n=001b44113ab7": {"b", "c"},
		"mac_address__ic=11:3a":       {"a", "b"}, "mac_address__isw=00:1b": {"a", "b"}, "mac_address__iew=b8": {"b"},
		"mac_address__nie=001b44113ab7": {"b", "c"}, "mac_address__empty=true": {"c"},
		"wwn=5006-0160-3CE0-1A2B": {"a"}, "wwn__ic=3c:e0": {"a"}, "wwn__empty=true": {"b", "c"},
		"installed=2026-01-31": {"a"}, "installed__gt=2026-01-31": {"b"}, "installed__lte=2026-12-01": {"a", "b"},
		"installed__n=2026-01-31": {"b", "c"}, "installed__empty=true": {"c"},
		"vlan=10": {"a"}, "vlans=2": {"a", "b"}, "vlan__n=10": {"b", "c"}, "width=19": {"b", "c"}, "width__n=19": {"a"},
		"speed=9600": {"b"}, "speed=null": {"a", "c"},
	} {
		p.finds(t, query, want...)
	}
	for _, query := range []string{"mac_address=x", "wwn=00:1b:44:11:3a:b7", "installed=soon", "vlan=x", "width=18"} {
		p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/?" + query, Token: p.Admin}).Want(t, http.StatusBadRequest)
	}
	for i, c := range []struct {
		constraint map[string]any
		want       int64
	}{
		{map[string]any{"mac_address": "001b.4411.3ab7"}, 1}, {map[string]any{"mac_address__startswith": "00:1B"}, 2},
		{map[string]any{"mac_address__isnull": true}, 1},
		{map[string]any{"installed__gte": "2026-06-01"}, 1}, {map[string]any{"vlans": 2}, 2}, {map[string]any{"width__in": []int{19}}, 2},
	} {
		_, token := p.User(t, fmt.Sprintf("user%d", i), apitest.Grant{Types: []string{"trial.port"}, Actions: []string{"view"},
			Constraints: c.constraint})
		if n := p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/", Token: token}).Page(t).Count; n != c.want {
			t.Errorf("%v: %d are seen, want %d", c.constraint, n, c.want)
		}
	}
	described := p.Do(t, apitest.Call{Method: "OPTIONS", Path: "/api/trial/ports/", Token: p.Admin}).
		Object(t)["actions"].(map[string]any)["POST"].(map[string]any)
	if got := fmt.Sprint(described["width"].(map[string]any)["choices"]); got != "[map[display_name:10 inches value:10] "+
		"map[display_name:19 inches value:19]]" {
		t.Errorf("the widths are %s", got)
	}
	p.post(t, "d", map[string]any{"width": 18, "speed": 1, "vlans": []int{4095}}).Want(t, http.StatusBadRequest)
}

// TestNetworks asks for networks and addresses of both families by every filter that is made of them, orders them, and refers to
// records that are named by one.
func TestNetworks(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	for name, body := range map[string]map[string]any{
		"a": {"prefix": "10.0.0.0/8", "address": "10.0.0.9/8"}, "b": {"prefix": "10.1.0.0/16", "address": "10.0.0.10/24"},
		"c": {"prefix": "10.1.2.0/24", "address": "9.0.0.1/32"},
		"d": {"prefix": "2001:DB8::/32", "address": "2001:db8::1/64"}, "e": {"prefix": "10.1.2.3", "address": "::1/128"}, "f": nil,
	} {
		p.post(t, name, body).Want(t, http.StatusCreated)
	}
	for query, want := range map[string][]string{
		"within=10.0.0.0/8": {"b", "c", "e"}, "within=10.1.2.3/16": {"c", "e"}, "within=2001::/16": {"d"}, "within=x": {},
		"within=0.0.0.0/0":           {"a", "b", "c", "e"},
		"within_include=10.1.0.0/16": {"b", "c", "e"}, "within_include=10.1.2.0/24&within_include=2001:db8::/32": {"c", "d", "e"},
		"contains=10.1.2.0/24": {"a", "b", "c"}, "contains=10.1.2.3": {"a", "b", "c"}, "contains=10.1.2.3/32": {"a", "b", "c", "e"},
		"contains=x":         {},
		"prefix=10.1.0.0/16": {"b"}, "prefix=10.1.0.1/16": {}, "prefix=10.1.2.3&prefix=x": {"e"},
		"prefix__n=10.1.0.0/16": {"a", "c", "d", "e", "f"}, "prefix__empty=true": {"f"},
		"mask_length=16&mask_length=32": {"b", "d", "e"}, "mask_length__lte=16": {"a", "b"}, "mask_length__gt=99999999999": {},
		"family=6": {"d", "e"}, "prefix__family=4": {"a", "b", "c", "e"},
		"parent=10.0.0.0/24": {"a", "b"}, "parent=::/0": {"d", "e"}, "parent=x": {}, "address=10.0.0.9": {"a"}, "address=10.0.0.9/24": {},
		"address=10.0.0.9/8&address=::1": {"a", "e"},
		"address__n=10.0.0.9":            {"b", "c", "d", "e", "f"}, "q=0.0.10": {"b"}, "q=2001:": {"d"},
	} {
		p.finds(t, query, want...)
	}
	for query, want := range map[string]string{"ordering=address": "[c a b e d f]", "ordering=-address": "[f d e b a c]",
		"ordering=prefix": "[a b c e d f]"} {
		for _, limit := range []int{1, 2, 50} {
			if got := fmt.Sprint(p.names(t, fmt.Sprintf("%s&limit=%d", query, limit))); got != want {
				t.Errorf("%s by %d: %s, want %s", query, limit, got, want)
			}
		}
	}
	many := "parent=10.0.0.0/8"
	for i := range 50 {
		many += fmt.Sprintf("&parent=10.0.%d.0/24", i)
	}
	p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/?" + many, Token: p.Admin}).Want(t, http.StatusBadRequest)

	for _, address := range []string{"192.0.2.9/24", "192.0.2.10/24"} {
		p.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/hosts/", Token: p.Admin,
			Body: map[string]any{"address": address, "network": address}}).Want(t, http.StatusCreated)
	}
	p.post(t, "g", map[string]any{"gateway": map[string]any{"address": "192.0.2.10/24"}}).Want(t, http.StatusCreated)
	p.post(t, "h", map[string]any{"gateway": map[string]any{"address": "192.0.2.9"}}).Want(t, http.StatusCreated)
	p.post(t, "i", map[string]any{"gateway": map[string]any{"address": "192.0.2.11"}}).Want(t, http.StatusBadRequest)
	p.finds(t, "gateway=192.0.2.10/24", "g")
	p.finds(t, "gateway=192.0.2.9", "h")
	p.finds(t, "gateway__n=192.0.2.9", "a", "b", "c", "d", "e", "f", "g")
	p.finds(t, "gateway__n=null&gateway__n=192.0.2.9", "g")
	p.finds(t, "gateway__n=null", "g", "h")
	p.finds(t, "gateway=null&gateway=192.0.2.9/24&gateway=192.0.2.10", "a", "b", "c", "d", "e", "f", "g", "h")
	for _, limit := range []int{1, 50} {
		if got := p.names(t, fmt.Sprintf("gateway__n=null&ordering=gateway&limit=%d", limit))[:2]; !slices.Equal(got, []string{"h", "g"}) {
			t.Errorf("by their gateways: %v", got)
		}
	}
	_, token := p.User(t, "limited", apitest.Grant{Types: []string{"trial.port"}, Actions: []string{"view"}, Constraints: []map[string]any{
		{"prefix__net_contained_or_equal": "10.1.0.0/16"}, {"gateway__address__net_host": "192.0.2.9"}}})
	if n := p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/", Token: token}).Page(t).Count; n != 4 {
		t.Errorf("%d are seen, want 4", n)
	}
	_, token = p.User(t, "exact", apitest.Grant{Types: []string{"trial.port"}, Actions: []string{"view"}, Constraints: map[string]any{
		"address": []string{"10.0.0.9", "9.0.0.1"}}})
	if n := p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/", Token: token}).Page(t).Count; n != 1 {
		t.Errorf("%d are seen by an address without a length, want 1", n)
	}
}

// TestMeasure orders weights by what number and unit mean together, and finds them by a number alone or with a unit.
func TestMeasure(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	for name, w := range map[string][2]any{"a": {2, "kg"}, "b": {500, "g"}, "c": {1, "lb"}, "d": {0.5, "kg"}, "e": {nil, nil},
		"f": {20, "oz"}} {
		p.post(t, name, map[string]any{"weight": w[0], "weight_unit": w[1]}).Want(t, http.StatusCreated)
	}
	for query, want := range map[string]string{"ordering=weight,name": "[c b d f a e]", "ordering=-weight,name": "[e a f b d c]",
		"weight__empty=false&ordering=-weight,-name": "[a f d b c]"} {
		for _, limit := range []int{1, 2, 50} {
			if got := fmt.Sprint(p.names(t, fmt.Sprintf("%s&limit=%d", query, limit))); got != want {
				t.Errorf("%s by %d: %s, want %s", query, limit, got, want)
			}
		}
	}
	for query, want := range map[string][]string{
		"weight=500%20g": {"b", "d"}, "weight=0.5kg": {"b", "d"}, "weight=500": {"b"}, "weight__gte=500g": {"a", "b", "d", "f"},
		"weight__lt=500g": {"c"}, "weight__lt=2": {"c", "d"},
		"weight__n=0.5kg": {"a", "c", "e", "f"}, "weight=20&weight=1lb": {"c", "f"}, "weight__empty=true": {"e"}, "weight_unit=kg": {"a", "d"},
	} {
		p.finds(t, query, want...)
	}
	p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/?weight=2m", Token: p.Admin}).Want(t, http.StatusBadRequest)
	p.finds(t, "weight=null", "e")
	p.finds(t, "weight=null&weight=2&weight=500g", "a", "b", "d", "e")
	p.finds(t, "weight__n=null&weight__n=2", "b", "c", "d", "f")
	p.post(t, "h", map[string]any{"lag": map[string]any{"weight": 500}}).Want(t, http.StatusCreated)
	p.post(t, "i", map[string]any{"lag": map[string]any{"weight": "20 oz"}}).Want(t, http.StatusCreated)
	for _, weight := range []any{"500 g", 3, "3 kg", "x", []any{2}} { // several, none, and what is no weight
		p.post(t, "j", map[string]any{"lag": map[string]any{"weight": weight}}).Want(t, http.StatusBadRequest)
	}
	if errs := p.post(t, "g", map[string]any{"weight": 2}).Want(t, http.StatusBadRequest).Object(t); errs["weight_unit"] == nil {
		t.Errorf("a weight without a unit: %v", errs)
	}
	for i, c := range []struct {
		constraint map[string]any
		want       int64
	}{
		{map[string]any{"weight__gte": "1 kg"}, 1}, {map[string]any{"weight": nil}, 3}, {map[string]any{"weight": []any{nil, 2}}, 4},
		{map[string]any{"weight__n": nil}, 5},
	} {
		_, token := p.User(t, fmt.Sprintf("user%d", i), apitest.Grant{Types: []string{"trial.port"}, Actions: []string{"view"},
			Constraints: c.constraint})
		if n := p.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/", Token: token}).Page(t).Count; n != c.want {
			t.Errorf("%v: %d are seen, want %d", c.constraint, n, c.want)
		}
	}
}

// TestNewKindsNested shows the new kinds in a record that another refers to, alone or in a set, as the record itself shows them.
func TestNewKindsNested(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	host := p.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/hosts/", Token: p.Admin, Body: map[string]any{"address": "2001:DB8::7",
		"network": "192.0.2.7/24", "mac_address": "001b44113ab7", "seen": "2026-01-31", "ports": []int{443, 80}}}).
		Want(t, http.StatusCreated).Object(t)
	made := p.post(t, "a", map[string]any{"gateway": apitest.ID(host), "hosts": []int64{apitest.ID(host)}}).
		Want(t, http.StatusCreated).Object(t)
	read := p.Do(t, apitest.Call{Method: "GET", Path: made["url"].(string)[len(p.URL):], Token: p.Admin}).Object(t)
	for _, port := range []map[string]any{made, read} {
		for _, nested := range []any{port["gateway"], port["hosts"].([]any)[0]} {
			got := nested.(map[string]any)
			for name, want := range map[string]any{"address": "2001:db8::7/128", "network": "192.0.2.0/24", "mac_address": "00:1B:44:11:3A:B7",
				"seen": "2026-01-31", "ports": []any{443.0, 80.0}, "display": "2001:db8::7/128"} {
				if !reflect.DeepEqual(got[name], want) {
					t.Errorf("%s is shown as %v, want %v", name, got[name], want)
				}
			}
		}
	}
	for _, body := range []map[string]any{{"address": "2001:db8::7/128", "network": "192.0.2.0/24"},
		{"address": "2001:db8::8/128", "network": "192.0.2.0/24", "mac_address": "00-1b-44-11-3a-b7"}} {
		p.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/hosts/", Token: p.Admin, Body: body}).Want(t, http.StatusBadRequest)
	}
}

// TestNullableReferenceInOrder pages through crates, which come in the order of shelves that they may lack: forward and back, by pages
// of any size, each is there once, and those without a shelf come last.
func TestNullableReferenceInOrder(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	add := func(path string, body map[string]any) int64 {
		t.Helper()
		return apitest.ID(p.Do(t, apitest.Call{Method: "POST", Path: path, Token: p.Admin, Body: body}).Want(t, http.StatusCreated).Object(t))
	}
	kit, lower := add("/api/trial/kits/", map[string]any{"name": "k"}), add("/api/trial/shelves/", map[string]any{"name": "lower"})
	for name, shelf := range map[string]any{"c1": nil, "c2": lower, "c10": nil, "c3": p.shelf, "c20": lower, "c4": nil, "c5": p.shelf} {
		add("/api/trial/crates/", map[string]any{"name": name, "kit": kit, "shelf": shelf})
	}
	want := []string{"c3", "c5", "c2", "c20", "c1", "c4", "c10"}
	for limit := 1; limit <= 8; limit++ {
		var forward, back []string
		var last *string
		path := fmt.Sprintf("/api/trial/crates/?limit=%d", limit)
		for path != "" {
			page := p.Do(t, apitest.Call{Method: "GET", Path: path, Token: p.Admin}).Want(t, http.StatusOK).Page(t)
			for _, row := range page.Results {
				forward = append(forward, row["name"].(string))
			}
			if path = ""; page.Next != nil {
				path = (*page.Next)[len(p.URL):]
			}
			last = page.Previous
		}
		for last != nil {
			page := p.Do(t, apitest.Call{Method: "GET", Path: (*last)[len(p.URL):], Token: p.Admin}).Want(t, http.StatusOK).Page(t)
			var names []string
			for _, row := range page.Results {
				names = append(names, row["name"].(string))
			}
			back, last = append(names, back...), page.Previous
		}
		if !slices.Equal(forward, want) || !slices.Equal(back, want[:len(back)]) || len(back) != (len(want)-1)/limit*limit {
			t.Errorf("by %d: %v and back %v, want %v", limit, forward, back, want)
		}
	}
}
