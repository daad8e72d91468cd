package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

const unknownFields = "X-Unknown-Fields"

// TestUnknownFieldsAreNamed: a key that the type does not know is ignored and named in a header, whether the write is done or refused.
func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, sites, site("A"))
	many := obj{"facility": "many"}
	for i := range 30 {
		many[fmt.Sprintf("key-%02d", i)] = i
	}
	var first20 []string
	for i := range 20 {
		first20 = append(first20, fmt.Sprintf("key-%02d", i))
	}
	read := merge(admin.get(t, at(sites, id)).Object(t), []any{"status", "active"})
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
		want               string
	}{
		{"a create", "POST", sites, site("B", "nam", "x", "colour", "red"), 201, "colour, nam"},
		{"nothing unknown", "POST", sites, site("C"), 201, ""},
		{"what was read", "PUT", at(sites, id), read, 200, ""},
		{"a refused create", "POST", sites, obj{"nam": "D", "slug": "d"}, 400, "nam"},
		{"a refused change", "PATCH", at(sites, id), obj{"status": "?", "Nam": "x"}, 400, "Nam"},
		{"no such record", "PATCH", at(sites, 999), obj{"nam": "x"}, 404, "nam"},
		{"a change", "PATCH", at(sites, id), obj{"facility": "1", "custom_field": obj{}}, 200, "custom_field"},
		{"a bulk create", "POST", sites, []obj{site("E", "b", 1, "a", 1), site("F"), site("G", "c", 1, "a", 1)}, 201, "a, b, c"},
		{"a bulk change", "PATCH", sites, []obj{{"id": id, "b": 1}, {"id": id, "a": 1, "facility": "2"}}, 200, "a, b"},
		{"a bulk without ids", "PATCH", sites, []obj{{"b": 1}}, 400, "b"},
		{"a bulk delete", "DELETE", sites, []obj{{"id": 999, "idd": 1}}, 400, "idd"},
		{"no more than 20", "PATCH", at(sites, id), many, 200, strings.Join(first20, ", ")},
		{"a provisioned token", "POST", tokens + "provision/",
			obj{"username": "admin", "password": apitest.Password, "desc": "x", "key": "x"}, 201, "desc, key"},
		{"a refused one", "POST", tokens + "provision/", obj{"usrname": "admin", "password": apitest.Password}, 400, "usrname"},
		{"a wholly known one", "POST", tokens + "provision/",
			obj{"username": "admin", "password": apitest.Password, "expires": nil, "write_enabled": false, "description": "",
				"allowed_ips": []string{"::/0", "0.0.0.0/0"}}, 201, ""},
		{"only plain names", "PATCH", at(sites, id), obj{"facility": "3", "a b": 1, "x\r\nSet-Cookie: y": 1, "é": 1, "": 1, "a,b": 1,
			strings.Repeat("x", 65): 1,
			"<script>":              1, strings.Repeat("y", 64): 1, "Ok_1-2": 1}, 200, "Ok_1-2, " + strings.Repeat("y", 64)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := admin.do(t, row.method, row.path, row.body).Want(t, row.status).Header.Get(unknownFields); got != row.want {
				t.Errorf("%s: %q, want %q", unknownFields, got, row.want)
			}
		})
	}
	if got := admin.get(t, at(sites, id)+"?nam=1").Want(t, http.StatusOK).Header.Get(unknownFields); got != "" {
		t.Errorf("a read names %q", got)
	}
}
