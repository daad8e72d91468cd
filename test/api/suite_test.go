// Package api_test tests the API as data. The suite in this file runs over every
// registered type: a new type is tested without new test code.
package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// suite is one type on one server.
type suite struct {
	*sampler
	t *record.Type
}

// TestEveryType runs the suite, for several types at once. With the race detector it takes the trial types, which use every part of a
// declaration, and every sixth of the others: one client who waits for each answer finds few races. `make test-api` takes all types.
func TestEveryType(t *testing.T) {
	t.Parallel()
	servers := make(chan *apitest.Server, runtime.GOMAXPROCS(0)) // for one type at a time each: others would add to its lists
	first := apitest.NewWith(t, trial.Types())
	servers <- first
	for range cap(servers) - 1 {
		servers <- apitest.NewWith(t, trial.Types())
	}
	for i, typ := range first.App.Registry.Types() {
		if typ.ReadOnly || apitest.RaceDetector() && typ.App != "trial" && i%6 != 0 {
			continue
		}
		t.Run(typ.Key(), func(t *testing.T) {
			t.Parallel()
			if typ.Key() == "extras.customfield" { // those that remain add required values to the samples of other types
				testType(t, apitest.NewWith(t, trial.Types()), typ.Key())
				return
			}
			s := <-servers
			defer func() { servers <- s }()
			testType(t, s, typ.Key())
		})
	}
}

// testType runs the suite over one type.
func testType(t *testing.T, s *apitest.Server, key string) {
	for name, test := range map[string]func(suite, *testing.T){
		"Create": suite.testCreate, "Patch": suite.testPatch, "PatchNothing": suite.testPatchNothing, "Put": suite.testPut,
		"Match": suite.testMatch, "Delete": suite.testDelete, "Bulk": suite.testBulk, "BulkAllOrNone": suite.testBulkAllOrNone,
		"Required": suite.testRequired, "Invalid": suite.testInvalid, "Unique": suite.testUnique, "Attributes": suite.testAttributes,
		"Views": suite.testViews, "Search": suite.testSearch, "Filters": suite.testFilters, "Ordering": suite.testOrdering,
		"Options": suite.testOptions,
	} {
		t.Run(name, func(t *testing.T) {
			// Each test has its own range of sample numbers.
			test(suite{&sampler{s: s, n: 5_000 * next()}, s.App.Registry.Type(key)}, t)
		})
	}
}

func (u suite) do(t *testing.T, method, path string, body any) apitest.Answer {
	t.Helper()
	return u.s.Do(t, apitest.Call{Method: method, Path: path, Token: u.s.Admin, Body: body})
}

func (u suite) path(id int64) string { return fmt.Sprintf("%s%d/", u.t.Path(), id) }

// shown reports whether the API shows a value as the result of what was sent.
func shown(f record.Field, sent, got any) bool {
	switch x := f.(type) {
	case record.File: // sent as a data URL; a type with rules for names has tests of its own
		address, _ := got.(string)
		return (sent == nil) == (got == nil) && strings.Contains(address, record.FilesPath+x.Folder+"/") == (sent != nil)
	case record.Choice:
		if x.Bare {
			return got == sent
		}
		m, _ := got.(map[string]any)
		return m["value"] == sent
	case record.NumberChoice:
		m, _ := got.(map[string]any)
		return m["value"] == plain(sent)
	case record.Ref:
		if sent == nil {
			return got == nil
		}
		if x.Bare {
			return got == plain(sent)
		}
		m, _ := got.(map[string]any)
		return m["id"] == plain(sent)
	case record.Refs, record.Tags:
		if refs, ok := x.(record.Refs); ok && refs.Slugs {
			return reflect.DeepEqual(plain(sent), got)
		}
		list, _ := got.([]any)
		ids := []any{}
		for _, item := range list {
			ids = append(ids, item.(map[string]any)["id"])
		}
		return reflect.DeepEqual(plain(sent), ids)
	case record.Secret:
		if x.Shown { // to the superuser who asks here
			return got == sent
		}
		return got == nil // shown once at most
	}
	return reflect.DeepEqual(plain(sent), got)
}

// plain is a value as JSON decodes it.
func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

// changes returns the change rows of an object, newest first.
func (u suite) changes(t *testing.T, id int64) []map[string]any {
	t.Helper()
	return u.do(t, "GET", fmt.Sprintf("/api/extras/object-changes/?changed_object_type=%s&changed_object_id=%d", u.t.Key(), id),
		nil).Page(t).Results
}

func (u suite) testCreate(t *testing.T) {
	body := u.body(t, u.t)
	before := u.do(t, "GET", u.t.Path()+"?limit=1", nil).Page(t).Count
	a := u.do(t, "POST", u.t.Path(), body).Want(t, http.StatusCreated)
	made := a.Object(t)
	id := apitest.ID(made)
	if got, want := a.Header.Get("Location"), u.s.URL+u.path(id); got != want || made["url"] != want {
		t.Errorf("Location is %q and url %q, want %q", got, made["url"], want)
	}
	if a.Header.Get("ETag") != `"1"` {
		t.Errorf("ETag of a new record is %s", a.Header.Get("ETag"))
	}
	for i, f := range u.t.All() {
		in := u.t.Infos()[i]
		if sent, ok := body[in.Name]; ok && !in.Hidden && !shown(f, sent, made[in.Name]) {
			t.Errorf("%s: sent %v, shown %v", in.Name, sent, made[in.Name])
		}
		if _, ok := made[in.Name]; ok == (in.Hidden || in.OnRequest) {
			t.Errorf("%s: hidden is %t, on request is %t, present is %t", in.Name, in.Hidden, in.OnRequest, ok)
		}
	}
	got := u.do(t, "GET", u.path(id), nil).Want(t, http.StatusOK).Object(t)
	if _, secret := made["key"]; secret {
		made["key"], got["last_used"] = nil, made["last_used"]
	}
	if !reflect.DeepEqual(made, got) {
		t.Errorf("created %v\nread    %v", made, got)
	}
	if after := u.do(t, "GET", u.t.Path()+"?limit=1", nil).Page(t).Count; after <= before {
		t.Errorf("the count went from %d to %d", before, after)
	}
	rows := u.changes(t, id)
	if len(rows) != 1 {
		t.Fatalf("a creation made %d change rows", len(rows))
	}
	c := rows[0]
	if c["action"].(map[string]any)["value"] != "create" || c["prechange_data"] != nil || c["user_name"] != "admin" ||
		c["request_id"] != a.Header.Get("X-Request-ID") {
		t.Errorf("change row: %v", c)
	}
	u.checkSnapshot(t, c["postchange_data"], made)
}

// checkSnapshot compares a minimal state with what the API showed.
func (u suite) checkSnapshot(t *testing.T, snapshot any, shown map[string]any) {
	t.Helper()
	state, _ := snapshot.(map[string]any)
	for i, f := range u.t.All() {
		in := u.t.Infos()[i]
		if in.Hidden || f.Column().Storage == record.NoStorage {
			continue
		}
		want := shown[in.Name]
		switch x := f.(type) {
		case record.Secret:
			if _, ok := state[in.Name]; ok != x.Shown {
				t.Errorf("the snapshot of the secret %s: %v", in.Name, state[in.Name])
			}
			if want = ""; !x.Shown {
				continue
			} else if shown[in.Name] != "" {
				want = "********"
			}
		case record.Choice, record.NumberChoice:
			if m, ok := want.(map[string]any); ok {
				want = m["value"]
			} else if want == "" { // a bare one that is not set
				want = nil
			}
		case record.Ref:
			if m, ok := want.(map[string]any); ok {
				want = m["id"]
			}
		case record.File: // its path
			if address, ok := want.(string); ok {
				want = strings.TrimPrefix(address, u.s.URL+record.FilesPath)
			}
		case record.Tags:
			want = each(want, "name")
		case record.Refs:
			if x.Slugs { // their ids are not shown
				want, state[in.Name] = len(want.([]any)), len(state[in.Name].([]any))
				break
			}
			want = each(want, "id")
		}
		if !reflect.DeepEqual(state[in.Name], want) {
			t.Errorf("snapshot of %s is %v, want %v", in.Name, state[in.Name], want)
		}
	}
}

func each(list any, key string) any {
	out := []any{}
	for _, item := range list.([]any) {
		out = append(out, item.(map[string]any)[key])
	}
	return out
}

// testPatch changes each field on its own and checks that nothing else changes.
func (u suite) testPatch(t *testing.T) {
	for i, f := range u.t.All() {
		in := u.t.Infos()[i]
		if in.ReadOnly || isLeftOut(u.t, in.Name) || slices.Contains(tied[u.t.Key()], in.Name) {
			continue
		}
		before := u.create(t, u.t)
		id := apitest.ID(before)
		u.n += 7
		value, ok := u.value(t, u.t, f, in, u.n)
		if !ok || (!in.Hidden && shown(f, value, before[in.Name])) || u.within(in.Name) {
			continue
		}
		a := u.do(t, "PATCH", u.path(id), map[string]any{in.Name: value})
		if in.Immutable != "" {
			if errs := a.Want(t, http.StatusBadRequest).Object(t); !reflect.DeepEqual(errs[in.Name], []any{in.Immutable}) {
				t.Errorf("%s, which lasts: %v", in.Name, errs)
			}
			continue
		}
		after := a.Want(t, http.StatusOK).Object(t)
		if a.Header.Get("ETag") != `"2"` {
			t.Errorf("%s: ETag after one change is %s", in.Name, a.Header.Get("ETag"))
		}
		if !in.Hidden && !shown(f, value, after[in.Name]) {
			t.Errorf("%s: sent %v, shown %v", in.Name, value, after[in.Name])
		}
		for name, was := range before {
			if name != in.Name && u.keeps(name) && !reflect.DeepEqual(was, after[name]) {
				t.Errorf("changing %s changed %s from %v to %v", in.Name, name, was, after[name])
			}
		}
		rows := u.changes(t, id)
		if len(rows) != 2 || rows[0]["action"].(map[string]any)["value"] != "update" {
			t.Fatalf("%s: change rows after an update: %v", in.Name, rows)
		}
		if !reflect.DeepEqual(rows[0]["prechange_data"], rows[1]["postchange_data"]) {
			t.Errorf("%s: the state before is not the state after the change before", in.Name)
		}
		u.checkSnapshot(t, rows[0]["postchange_data"], after)
	}
}

// keeps reports whether a field stays the same when others change. Derived fields may change, and a key is shown
// once.
func (u suite) keeps(name string) bool {
	var derived bool
	switch u.t.Field(name).(type) {
	case record.Computed, record.Depth, record.Back, record.BackList, record.IPFamily, record.Inside, record.Around:
		derived = true
	}
	derived = derived || u.t.Field(name) != nil && u.t.Field(name).Info().AliasOf != ""
	return !derived && name != "last_updated" && name != "display" && name != "key"
}

// within tells whether a field is tied to others by a rule between records.
func (u suite) within(name string) bool {
	return slices.ContainsFunc(u.t.Same, func(r record.Same) bool { return name == r.Ref || name == r.Path || name == r.Here }) ||
		slices.ContainsFunc(u.t.Follows, func(r record.Follows) bool { return name == r.Of || slices.Contains(r.Fields, name) })
}

// keepLasting sets the immutable fields of a body to those of a record.
func (u suite) keepLasting(body, made map[string]any) {
	for _, in := range u.t.Infos() {
		if in.Immutable != "" {
			body[in.Name] = made[in.Name]
		}
	}
}

func (u suite) testPatchNothing(t *testing.T) {
	body := u.body(t, u.t)
	delete(body, "password") // a new hash of the same password is a change
	made := u.do(t, "POST", u.t.Path(), withPassword(u, body)).Want(t, http.StatusCreated).Object(t)
	id := apitest.ID(made)
	a := u.do(t, "PATCH", u.path(id), body).Want(t, http.StatusOK)
	if a.Header.Get("ETag") != `"1"` || a.Object(t)["last_updated"] != made["last_updated"] {
		t.Errorf("nothing changed, but the version is %s", a.Header.Get("ETag"))
	}
	if rows := u.changes(t, id); len(rows) != 1 {
		t.Errorf("nothing changed, but there are %d change rows", len(rows))
	}
}

func withPassword(u suite, body map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range body {
		out[k] = v
	}
	if u.t.Index("password") >= 0 {
		out["password"] = "correct horse battery"
	}
	return out
}

// half tells whether a field holds a part of a reference to one of several types.
func (u suite) half(name string) bool {
	return slices.ContainsFunc(u.t.References(), func(f record.ReferenceField) bool { return f.TypeField == name || f.IDField == name })
}

// testPut demands every required field, and keeps what is not given.
func (u suite) testPut(t *testing.T) {
	before := u.create(t, u.t)
	id := apitest.ID(before)
	answer := u.do(t, "PUT", u.path(id), map[string]any{})
	required := map[string]any{}
	for i, in := range u.t.Infos() {
		if in.Required {
			v, ok := u.value(t, u.t, u.t.All()[i], in, u.n)
			if u.half(in.Name) {
				v, ok = before[in.Name], true
			}
			if !ok {
				t.Fatalf("no sample for %s", in.Name)
			}
			required[in.Name] = v
			if u.within(in.Name) || in.Immutable != "" && record.TargetOf(u.t.All()[i]) != nil {
				required[in.Name] = apitest.ID(before[in.Name].(map[string]any))
			}
			if in.Name != u.t.Owner && (answer.Status != http.StatusBadRequest || answer.Object(t)[in.Name] == nil) {
				t.Errorf("PUT without %s: %d %s", in.Name, answer.Status, answer.Raw)
			}
		}
	}
	after := u.do(t, "PUT", u.path(id), required).Want(t, http.StatusOK).Object(t)
	for name, was := range before {
		if _, given := required[name]; !given && u.keeps(name) && !reflect.DeepEqual(was, after[name]) {
			t.Errorf("PUT changed %s, which was not given, from %v to %v", name, was, after[name])
		}
	}
}

func (u suite) testMatch(t *testing.T) {
	id := apitest.ID(u.create(t, u.t))
	name, value := u.changeable(t)
	call := apitest.Call{Method: "PATCH", Path: u.path(id), Token: u.s.Admin, Body: map[string]any{name: value},
		Header: map[string]string{"If-Match": `"7"`}}
	u.s.Do(t, call).Want(t, http.StatusPreconditionFailed)
	if rows := u.changes(t, id); len(rows) != 1 {
		t.Errorf("a refused change left a change row")
	}
	call.Header["If-Match"] = `"1"`
	u.s.Do(t, call).Want(t, http.StatusOK)
	u.s.Do(t, call).Want(t, http.StatusPreconditionFailed)
	u.s.Do(t, apitest.Call{Method: "DELETE", Path: u.path(id), Token: u.s.Admin, Header: map[string]string{"If-Match": `"1"`}}).
		Want(t, http.StatusPreconditionFailed)
}

// changeable returns a field and a new value for it: a text, or else a number or the tags.
func (u suite) changeable(t *testing.T) (string, any) {
	t.Helper()
	isText := func(f record.Field) bool {
		_, text := f.(record.Text)
		_, network := f.(record.Network)
		return text || network
	}
	isOther := func(f record.Field) bool {
		number, _ := f.(record.Int)
		_, tags := f.(record.Tags)
		return number.Required || tags
	}
	for _, fits := range []func(record.Field) bool{isText, isOther} {
		for i, f := range u.t.All() {
			if in := u.t.Infos()[i]; fits(f) && !in.ReadOnly && in.Immutable == "" {
				u.n += 3
				v, _ := u.value(t, u.t, f, in, u.n)
				return in.Name, v
			}
		}
	}
	t.Fatalf("%s has no field to change", u.t.Key())
	return "", nil
}

func (u suite) testDelete(t *testing.T) {
	made := u.create(t, u.t)
	id := apitest.ID(made)
	before := u.do(t, "GET", u.t.Path()+"?limit=1", nil).Page(t).Count
	u.do(t, "DELETE", u.path(id), nil).Want(t, http.StatusNoContent)
	u.do(t, "GET", u.path(id), nil).Want(t, http.StatusNotFound)
	u.do(t, "DELETE", u.path(id), nil).Want(t, http.StatusNotFound)
	if after := u.do(t, "GET", u.t.Path()+"?limit=1", nil).Page(t).Count; after != before-1 {
		t.Errorf("the count went from %d to %d", before, after)
	}
	rows := u.changes(t, id)
	if len(rows) != 2 || rows[0]["action"].(map[string]any)["value"] != "delete" || rows[0]["postchange_data"] != nil {
		t.Fatalf("change rows after a delete: %v", rows)
	}
	u.checkSnapshot(t, rows[0]["prechange_data"], made)
}

func (u suite) testBulk(t *testing.T) {
	made := u.do(t, "POST", u.t.Path(), []any{u.body(t, u.t), u.body(t, u.t), u.body(t, u.t)}).Want(t, http.StatusCreated).List(t)
	if len(made) != 3 {
		t.Fatalf("made %d of 3", len(made))
	}
	for _, method := range []string{"PATCH", "PUT"} {
		edits := make([]map[string]any, len(made))
		for i, m := range made {
			body := u.body(t, u.t)
			for _, w := range u.t.Same {
				if delete(body, w.Ref); u.t.Field(w.Ref).Info().Required {
					body[w.Ref] = m[w.Ref]
				}
				if shared, ok := m[w.Path].(map[string]any); ok && w.Here == "" {
					body[w.Path] = apitest.ID(shared)
				}
			}
			u.keepLasting(body, m)
			edits[i] = withPassword(u, body)
			edits[i]["id"] = apitest.ID(m)
		}
		for i, m := range u.do(t, method, u.t.Path(), edits).Want(t, http.StatusOK).List(t) {
			if apitest.ID(m) != edits[i]["id"] {
				t.Errorf("%s: the answer has another order", method)
			}
		}
	}
	var ids []map[string]any
	for _, m := range made {
		ids = append(ids, map[string]any{"id": apitest.ID(m)})
	}
	u.do(t, "DELETE", u.t.Path(), ids).Want(t, http.StatusNoContent)
	for _, m := range made {
		u.do(t, "GET", u.path(apitest.ID(m)), nil).Want(t, http.StatusNotFound)
		if n := len(u.changes(t, apitest.ID(m))); n != 4 {
			t.Errorf("%d change rows for create, patch, put and delete", n)
		}
	}
}

// testAttributes writes each reference as an object of attributes.
func (u suite) testAttributes(t *testing.T) {
	for _, f := range u.t.All() {
		ref, ok := f.(record.Ref)
		if !ok || ref.ReadOnly || len(record.TargetOf(ref).Brief) == 0 || u.within(ref.Name) || isLeftOut(u.t, ref.Name) {
			continue
		}
		target := u.makeTarget(t, u.t, ref)
		attributes := map[string]any{}
		for _, name := range record.TargetOf(ref).Brief {
			attributes[name] = target[name]
			if choice, ok := target[name].(map[string]any); ok && choice["value"] != nil {
				attributes[name] = choice["value"] // as the brief form shows it
			}
		}
		body := u.body(t, u.t)
		body[ref.Name] = attributes
		made := u.do(t, "POST", u.t.Path(), body).Want(t, http.StatusCreated).Object(t)
		if ref.Bare {
			if made[ref.Name] != target["id"] {
				t.Errorf("%s by attributes: %v, want %v", ref.Name, made[ref.Name], target["id"])
			}
		} else if nested := made[ref.Name].(map[string]any); nested["id"] != target["id"] || nested["display"] != target["display"] ||
			nested["url"] != target["url"] {
			t.Errorf("%s by attributes: %v, want %v", ref.Name, nested, target)
		}
		body = u.body(t, u.t)
		body[ref.Name] = map[string]any{record.TargetOf(ref).Brief[0]: "there is none"}
		if errs := u.do(t, "POST", u.t.Path(), body).Want(t, http.StatusBadRequest).Object(t); errs[ref.Name] == nil {
			t.Errorf("%s by attributes of nothing: %v", ref.Name, errs)
		}
	}
}
