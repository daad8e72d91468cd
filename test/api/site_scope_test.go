package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

// siteWorld has two sites with racks, devices and every kind of component. Both use the same device type, roles, tenant and tag. The user
// may see both sites, but only what is at the first one.
type siteWorld struct {
	admin, user   actor
	shared        *least
	shown, hidden *least
	paths         map[*record.Type]string // how records of a type lead to their site, as a constraint says it
	placed        []*record.Type          // the types in paths
}

// pathToSite returns the way from records of a type to their site through required references, "" if there is none.
func pathToSite(t *record.Type) string {
	for _, ref := range t.References() {
		if ref.Target == nil || ref.Target == t || ref.Many || !t.All()[ref.Index].Info().Required {
			continue
		}
		if ref.Target.Key() == "dcim.site" {
			return ref.Name
		}
		if path := pathToSite(ref.Target); path != "" {
			return ref.Name + "__" + path
		}
	}
	return ""
}

func newSiteWorld(t *testing.T) *siteWorld {
	t.Helper()
	s := apitest.New(t)
	w := &siteWorld{admin: adminOf(s), shared: newLeast(s), shown: newLeast(s), hidden: newLeast(s), paths: map[*record.Type]string{}}
	site := s.App.Registry.Type("dcim.site")
	for i, l := range []*least{w.shown, w.hidden} {
		l.n = 1000 * (i + 1) // so that names differ
		l.first[site] = w.admin.create(t, sites, obj{"name": fmt.Sprint("Site ", i), "slug": fmt.Sprint("site-", i)})
	}
	rights := []string{"view", "add", "change", "delete"}
	var grants []apitest.Grant
	for _, typ := range s.App.Registry.Types() {
		path := pathToSite(typ)
		switch {
		case path != "":
			w.paths[typ], w.placed = path, append(w.placed, typ)
			grants = append(grants, apitest.Grant{Types: []string{typ.Key()}, Actions: rights, Constraints: obj{path: w.shown.first[site]}})
		case typ.App == "dcim" || typ.App == "tenancy" || typ.Key() == "extras.tag" || typ.Key() == "users.user":
			grants = append(grants, apitest.Grant{Types: []string{typ.Key()}, Actions: rights[:1]})
			if typ != site {
				first := w.shared.firstOf(t, typ)
				w.shown.first[typ], w.hidden.first[typ] = first, first
			}
		}
	}
	for i, l := range []*least{w.shown, w.hidden} {
		for _, typ := range w.placed {
			for _, id := range []int64{l.firstOf(t, typ), second(l.create(t, typ))} {
				w.share(t, typ, id)
			}
		}
		device := s.App.Registry.Type("dcim.device")
		w.admin.patch(t, devices, l.first[device], obj{"vc_position": i + 1,
			"virtual_chassis": w.shared.first[s.App.Registry.Type("dcim.virtualchassis")]})
	}
	_, w.user = newActor(t, s, "user", grants...)
	return w
}

func second[A, B any](_ A, b B) B { return b }

// share lets a record refer to what both sites use.
func (w *siteWorld) share(t *testing.T, typ *record.Type, id int64) {
	t.Helper()
	body := obj{}
	for _, ref := range typ.References() {
		first := w.shared.first[ref.Target]
		switch in := typ.All()[ref.Index].Info(); {
		case first == 0 || in.Required || in.ReadOnly || ref.Name == "virtual_chassis":
		case ref.Many:
			body[ref.Name] = []int64{first}
		default:
			body[ref.Name] = first
		}
	}
	w.admin.patch(t, typ.Path(), id, body)
}

// idsOf lists what somebody sees of a type.
func idsOf(t *testing.T, who actor, path string) []int64 {
	t.Helper()
	return who.page(t, path+"?limit=0&ordering=id").IDs()
}

// TestSiteScope: a user whose permissions are for one site sees, counts and writes what is there, and nothing of another site.
func TestSiteScope(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	if len(w.placed) < 16 {
		t.Fatalf("only %d types are at a site", len(w.placed))
	}
	for _, typ := range w.placed {
		t.Run("write "+typ.Key(), func(t *testing.T) {
			t.Run("what is at the site", func(t *testing.T) { w.writeShown(t, typ) })
			t.Run("what is elsewhere", func(t *testing.T) { w.writeHidden(t, typ) })
			t.Run("references to what is elsewhere", func(t *testing.T) { w.referToHidden(t, typ) })
		})
	}
	t.Run("moves to another site", func(t *testing.T) {
		site := w.user.s.App.Registry.Type("dcim.site")
		for _, typ := range w.placed {
			if w.paths[typ] != "site" {
				continue
			}
			path, id := typ.Path(), second(w.shown.create(t, typ))
			body := obj{"site": w.hidden.first[site]}
			wantDetail(t, w.user.do(t, "PATCH", at(path, id), body), http.StatusForbidden, denied)
			body["id"] = id
			wantDetail(t, w.user.do(t, "PATCH", path, []obj{body}), http.StatusForbidden, denied)
			if got := apitest.ID(w.user.get(t, at(path, id)).Object(t)["site"].(obj)); got != w.shown.first[site] {
				t.Errorf("%s moved to site %d", typ.Key(), got)
			}
		}
	})
	w.readAndDelete(t)
}

// writeShown checks that the user may create, change and delete records of a type at their site.
func (w *siteWorld) writeShown(t *testing.T, typ *record.Type) {
	path, body := typ.Path(), w.shown.body(t, typ)
	for _, name := range exclusive(typ) {
		_, body[name] = w.shown.create(t, record.TargetOf(typ.Field(name)))
	}
	id := w.user.create(t, path, body)
	w.user.patch(t, path, id, obj{"tags": []int64{}})
	w.user.do(t, "DELETE", at(path, id), nil).Want(t, http.StatusNoContent)
}

// writeHidden checks that the user can't create, change or delete records of a type at the other site, and learns no more than that they
// are not found.
func (w *siteWorld) writeHidden(t *testing.T, typ *record.Type) {
	path, id := typ.Path(), w.hidden.first[typ]
	before, changes := string(w.admin.get(t, at(path, id)).Raw), w.admin.page(t, changeLog+"?limit=1").Count
	status := http.StatusBadRequest // what it belongs to is not found
	if w.paths[typ] == "site" {
		status = http.StatusForbidden
	}
	body := w.hidden.body(t, typ)
	w.user.do(t, "POST", path, body).Want(t, status)
	w.user.do(t, "POST", path, []obj{w.shown.body(t, typ), body}).Want(t, status)
	for _, method := range []string{"GET", "PATCH", "PUT", "DELETE"} {
		wantDetail(t, w.user.do(t, method, at(path, id), bodyOf(method, body)), http.StatusNotFound, notFound)
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		w.user.do(t, method, path, []obj{{"id": w.shown.first[typ]}, {"id": id}}).Want(t, http.StatusBadRequest)
	}
	if after := string(w.admin.get(t, at(path, id)).Raw); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if n := w.admin.page(t, changeLog+"?limit=1").Count; n != changes {
		t.Errorf("%d change rows", n-changes)
	}
}

func bodyOf(method string, body obj) any {
	if method == http.MethodPatch || method == http.MethodPut {
		return body
	}
	return nil
}

// referToHidden checks that a record at the site can't refer to one elsewhere, and that the answer is that for one that does not exist.
func (w *siteWorld) referToHidden(t *testing.T, typ *record.Type) {
	path, id := typ.Path(), w.shown.first[typ]
	const missing int64 = 987654321
	for _, ref := range typ.References() {
		targets := ref.Targets
		if ref.Target != nil {
			targets = []*record.Type{ref.Target}
		}
		for _, target := range targets {
			if w.paths[target] == "" {
				continue
			}
			refuse := func(to int64) string {
				body := obj{ref.Name: to}
				if ref.Many {
					body = obj{ref.Name: []int64{to}}
				} else if ref.TypeField != "" {
					body = obj{ref.TypeField: target.Key(), ref.IDField: to}
				}
				raw := string(w.user.do(t, "PATCH", at(path, id), body).Want(t, http.StatusBadRequest).Raw)
				return strings.ReplaceAll(raw, strconv.FormatInt(to, 10), "ID")
			}
			hidden, none := refuse(w.hidden.first[target]), refuse(missing)
			if hidden != none || !strings.Contains(hidden, "ID") {
				t.Errorf("%s: a hidden %s is refused with\n%s\none that does not exist with\n%s", ref.Name, target.Key(), hidden, none)
			}
		}
	}
}

// readAndDelete checks that the user's lists have what is at the site, and that all answers are the same bytes before and after
// everything at the other site is deleted.
func (w *siteWorld) readAndDelete(t *testing.T) {
	registry := w.user.s.App.Registry
	site, device := registry.Type("dcim.site"), registry.Type("dcim.device")
	queries := []string{"/api/dcim/"}
	hidden := map[*record.Type][]int64{}
	for _, typ := range registry.Types() {
		if w.paths[typ] == "" && w.shared.first[typ] == 0 && typ != site || typ.App == "users" {
			continue
		}
		path := typ.Path()
		queries = append(queries, path+"?limit=0", path+"?limit=1&offset=1", path+"?q=least", path+"?brief=1&limit=0")
		if w.paths[typ] == "" {
			continue
		}
		queries = append(queries, fmt.Sprintf("%s?id=%d", path, w.hidden.first[typ]), path+"?ordering=-id&limit=2")
		if w.paths[typ] != "rack__site" && typ.Key() != "dcim.module" && typ.Key() != "dcim.virtualdevicecontext" {
			queries = append(queries, path+"?site=site-1", path+"?site__n=site-1")
		}
		if strings.HasPrefix(w.paths[typ], "device__") {
			queries = append(queries, fmt.Sprintf("%s?device_id=%d", path, w.hidden.first[device]))
		}
		ids := idsOf(t, w.user, path)
		for _, id := range idsOf(t, w.admin, path) {
			if !slices.Contains(ids, id) {
				hidden[typ] = append(hidden[typ], id)
			}
		}
		if !slices.Contains(ids, w.shown.first[typ]) || !slices.Contains(hidden[typ], w.hidden.first[typ]) {
			t.Errorf("%s: the user sees %v and not %v", typ.Key(), ids, hidden[typ])
		}
	}
	before := map[string]string{}
	for _, q := range queries {
		before[q] = string(w.user.get(t, q).Want(t, http.StatusOK).Raw)
	}
	t.Run("counts", func(t *testing.T) {
		want := len(idsOf(t, w.user, devices))
		role := w.user.get(t, at("/api/dcim/device-roles/", w.shared.first[registry.Type("dcim.devicerole")])).Object(t)
		other := w.user.get(t, at(sites, w.hidden.first[site])).Object(t)
		if role["device_count"] != float64(want) || other["device_count"] != 0. || other["rack_count"] != 0. {
			t.Errorf("%d devices: %v, %v", want, role, other)
		}
		if chassis := w.user.page(t, "/api/dcim/virtual-chassis/").Results[0]; chassis["member_count"] != 1. {
			t.Errorf("%v", chassis)
		}
	})
	for _, typ := range slices.Backward(w.placed) {
		var items []obj
		for _, id := range hidden[typ] {
			if w.admin.get(t, at(typ.Path(), id)).Status == http.StatusOK { // it may be gone with another one
				items = append(items, obj{"id": id})
			}
		}
		if items != nil {
			w.admin.do(t, "DELETE", typ.Path(), items).Want(t, http.StatusNoContent)
		}
	}
	for _, q := range queries {
		t.Run("unchanged "+q, func(t *testing.T) {
			if got := string(w.user.get(t, q).Raw); got != before[q] {
				t.Errorf("before\n%s\nafter\n%s", before[q], got)
			}
		})
	}
}
