package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/test/apitest"
)

func (u suite) testBulkAllOrNone(t *testing.T) {
	count := func() [2]int64 {
		return [2]int64{u.do(t, "GET", u.t.Path()+"?limit=1", nil).Page(t).Count,
			u.do(t, "GET", "/api/extras/object-changes/?limit=1", nil).Page(t).Count}
	}
	good, other := u.body(t, u.t), u.body(t, u.t)
	existing := u.create(t, u.t)
	wrong, bad := u.bad(t), u.bad(t)
	bad["id"] = apitest.ID(existing)
	u.keepLasting(bad, existing)
	name, value := u.changeable(t)
	before := count()
	positional := func(a apitest.Answer) {
		t.Helper()
		list := a.Want(t, http.StatusBadRequest).List(t)
		if len(list) != 3 || len(list[0]) != 0 || len(list[1]) == 0 || len(list[2]) != 0 {
			t.Errorf("errors by position: %s", a.Raw)
		}
		if after := count(); after != before {
			t.Errorf("a refused bulk went from %v to %v", before, after)
		}
	}
	positional(u.do(t, "POST", u.t.Path(), []any{good, wrong, other}))
	edit := map[string]any{"id": apitest.ID(existing), name: value}
	positional(u.do(t, "PATCH", u.t.Path(), []any{edit, bad, edit}))
	u.do(t, "DELETE", u.t.Path(), []any{map[string]any{"id": apitest.ID(existing)}, map[string]any{"id": 1 << 40}}).
		Want(t, http.StatusBadRequest)
	if after := count(); after != before {
		t.Errorf("a refused bulk delete went from %v to %v", before, after)
	}
}

// bad makes a body with one wrong field.
func (u suite) bad(t *testing.T) map[string]any {
	t.Helper()
	body := u.body(t, u.t)
	name, _ := u.changeable(t)
	body[name] = map[string]any{}
	return body
}

func (u suite) testRequired(t *testing.T) {
	errs := u.do(t, "POST", u.t.Path(), map[string]any{})
	for _, in := range u.t.Infos() {
		if in.Required && in.Name != u.t.Owner && !strings.Contains(string(errs.Raw), `"`+in.Name+`":["This field is required."]`) {
			t.Errorf("%s is not reported missing: %s", in.Name, errs.Raw)
		}
	}
}

// testInvalid sends, for each field, values that its kind refuses, all in one body: every
// error is reported, not only the first.
func (u suite) testInvalid(t *testing.T) {
	for _, wrong := range []func(record.Field, record.Info) (any, bool){wrongShape, wrongNull, wrongSize, wrongWord} {
		body := u.body(t, u.t)
		var fields []string
		for i, f := range u.t.All() {
			in := u.t.Infos()[i]
			if in.ReadOnly {
				continue
			}
			if v, ok := wrong(f, in); ok {
				body[in.Name] = v
				fields = append(fields, in.Name)
			}
		}
		if len(fields) == 0 {
			continue
		}
		errs := u.do(t, "POST", u.t.Path(), body).Want(t, http.StatusBadRequest).Object(t)
		for _, name := range fields {
			if errs[name] == nil {
				t.Errorf("%v for %s is not refused: %v", body[name], name, errs)
			}
		}
	}
}

func wrongShape(f record.Field, _ record.Info) (any, bool) {
	switch f.(type) {
	case record.JSON:
		return nil, false
	case record.Ref, record.CustomFields:
		return []any{1}, true
	}
	return map[string]any{"a": 1}, true
}

func wrongNull(_ record.Field, in record.Info) (any, bool) { return nil, !in.Null }

func wrongSize(f record.Field, in record.Info) (any, bool) {
	switch x := f.(type) {
	case record.Decimal:
		return x.Max + 1, true
	case record.Measure:
		return x.Max + 1, true
	case record.Ref:
		return 1 << 40, true
	case record.Refs, record.Tags:
		return []int64{1 << 40}, true
	case record.Int:
		return "99999999999999999999", true
	case record.Ints:
		return []string{"99999999999999999999"}, true
	case record.NumberChoice:
		return 1 << 40, true
	case record.Date:
		return "2030-02-30", true
	case record.Network, record.Address:
		return "10.0.0.0/33", true
	}
	return strings.Repeat("x", in.Max+1), in.Max > 0
}

func wrongWord(f record.Field, in record.Info) (any, bool) {
	switch f.(type) {
	case record.Choice, record.NumberChoice, record.Bool, record.Time, record.Date, record.Decimal, record.Measure, record.Int,
		record.MAC, record.WWN, record.Network, record.Address:
		return "no such thing", true
	case record.Ref:
		return map[string]any{"id": 1 << 40}, true
	case record.Slug:
		return "no slug!", true
	case record.ObjectTypes:
		return []string{"no.such"}, true
	case record.Actions:
		return []string{"chnage"}, true
	}
	return "a\x00b", in.Type == "string" && !in.Hidden
}

func (u suite) testUnique(t *testing.T) {
	for _, rule := range u.t.Rules() {
		if slices.ContainsFunc(rule.Fields, func(name string) bool { return isLeftOut(u.t, name) }) {
			continue
		}
		first := u.body(t, u.t)
		made := u.do(t, "POST", u.t.Path(), first).Want(t, http.StatusCreated).Object(t)
		second := u.body(t, u.t)
		for _, name := range rule.Fields {
			second[name] = first[name]
			if name == "key" { // shown once: this is how a test gets it
				second[name] = made[name]
			}
		}
		errs := u.do(t, "POST", u.t.Path(), second).Want(t, http.StatusBadRequest).Object(t)
		on := rule.Fields[0]
		if rule.Message != "" {
			on = fault.General
		}
		if errs[on] == nil {
			t.Errorf("%s: %v", rule.Name, errs)
		}
		twice := u.body(t, u.t)
		again := u.body(t, u.t)
		for _, name := range rule.Fields {
			if name == "key" {
				twice[name] = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d4c"
			}
			again[name] = twice[name]
		}
		list := u.do(t, "POST", u.t.Path(), []any{twice, again}).Want(t, http.StatusBadRequest).List(t)
		if len(list[0]) != 0 || list[1][on] == nil {
			t.Errorf("%s inside one bulk: %v", rule.Name, list)
		}
	}
}
