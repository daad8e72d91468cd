package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

func (u suite) testViews(t *testing.T) {
	made := u.create(t, u.t)
	id := apitest.ID(made)
	keys := func(query string) map[string]bool {
		out := map[string]bool{}
		for _, path := range []string{u.path(id) + "?" + query, fmt.Sprintf("%s?id=%d&%s", u.t.Path(), id, query)} {
			object := u.do(t, "GET", path, nil).Want(t, http.StatusOK).Object(t)
			if results, ok := object["results"].([]any); ok {
				object = results[0].(map[string]any)
			}
			for k := range object {
				out[k] = true
			}
		}
		return out
	}
	want := map[string]bool{"id": true, "url": true, "display": true}
	for _, name := range slices.Concat(u.t.Brief, u.t.BriefList) {
		want[name] = true
	}
	if got := keys("brief=true"); !reflect.DeepEqual(got, want) {
		t.Errorf("brief shows %v, want %v", got, want)
	}
	if got := keys("fields=id,created"); !reflect.DeepEqual(got, map[string]bool{"id": true, "created": true}) {
		t.Errorf("fields=id,created shows %v", got)
	}
	if got := keys("omit=created,url"); got["created"] || got["url"] || len(got) != len(made)-2 {
		t.Errorf("omit=created,url shows %v", got)
	}
}

func (u suite) testSearch(t *testing.T) {
	for _, f := range u.t.SearchFields() {
		in := f.Info()
		name := in.Name
		u.n += 5
		body := u.body(t, u.t)
		text, ok := u.value(t, u.t, f, in, 2_500+u.n)
		if !ok {
			continue
		}
		for _, other := range tied[u.t.Key()] {
			i := u.t.Index(other)
			body[other], _ = u.value(t, u.t, u.t.All()[i], u.t.Infos()[i], 2_500+u.n)
		}
		body[name] = text
		id := u.do(t, "POST", u.t.Path(), body).Want(t, http.StatusCreated).Object(t)["id"]
		sought := fmt.Sprint(text)
		if f.Column().Storage == record.StoreJSON {
			raw, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			sought = strings.Trim(string(raw), "{}[]")
			sought, _, _ = strings.Cut(sought, ":")
		}
		found := false
		for _, r := range u.do(t, "GET", u.t.Path()+"?limit=0&q="+query(strings.ToUpper(sought)), nil).Page(t).Results {
			found = found || r["id"] == id
		}
		if !found {
			t.Errorf("q does not find the text of %s", name)
		}
	}
}

func (u suite) testOptions(t *testing.T) {
	o := u.do(t, "OPTIONS", u.t.Path(), nil).Want(t, http.StatusOK).Object(t)
	post := o["actions"].(map[string]any)["POST"].(map[string]any)
	for _, in := range u.t.Infos() {
		if in.AliasOf != "" {
			continue // it is described under its first name
		}
		if in.Hidden && in.ReadOnly {
			continue
		}
		f, ok := post[in.Name].(map[string]any)
		if !ok || f["required"] != in.Required || f["read_only"] != in.ReadOnly || f["label"] != in.Label || f["type"] != in.Type {
			t.Errorf("OPTIONS of %s: %v", in.Name, post[in.Name])
		}
		if choices, _ := f["choices"].([]any); len(choices) != len(in.Choices) {
			t.Errorf("OPTIONS of %s lists %d of %d choices", in.Name, len(choices), len(in.Choices))
		}
	}
}
