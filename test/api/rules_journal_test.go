package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"terrier/test/apitest"
)

// listedTypes returns the types that the catalogue lists for the first field of a type and that Terrier has.
func (h *hardware) listedTypes(t *testing.T, name string) (keys []string) {
	t.Helper()
	raw, err := os.ReadFile("../catalogue/extras.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Types []struct {
			Name   string
			Fields []struct{ To any }
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for _, typ := range file.Types {
		if typ.Name != name {
			continue
		}
		for _, key := range typ.Fields[0].To.([]any) {
			if h.s.App.Registry.Type(key.(string)) != nil {
				keys = append(keys, key.(string))
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// entry creates a journal entry about a site.
func (h *hardware) entry(t *testing.T, site int64, more ...any) obj {
	t.Helper()
	return h.made(t, "journalentry", append([]any{"assigned_object_id", site}, more...)...)
}

func journalRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "assigned_object_id", "journalentry", "assigned_object_id", 1<<40)
			for _, key := range []string{"extras.journalentry", "extras.customlink", "extras.webhook", "extras.tag", "extras.customfield",
				"extras.configcontext", "ipam.fhrpgroupassignment", "users.user"} {
				h.refused(t, "assigned_object_type", "journalentry", "assigned_object_type", key, "assigned_object_id", 1)
			}
			options := h.do(t, http.MethodOptions, h.list("journalentry"), nil).Want(t, http.StatusOK).Object(t)
			var keys []string
			for _, choice := range nestedIn(nestedIn(nestedIn(options, "actions"), "POST"), "assigned_object_type")["choices"].([]any) {
				keys = append(keys, choice.(obj)["value"].(string))
			}
			slices.Sort(keys)
			if listed := h.listedTypes(t, "journalentry"); !slices.Equal(keys, listed) {
				t.Errorf("types with a journal: %q, the catalogue has %q", keys, listed)
			}
		},
		2: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			want(t, "created_by", h.entry(t, site)["created_by"], any(1.0))
			grant := apitest.Grant{Types: []string{"extras.journalentry", "dcim.site"}, Actions: []string{"view", "add", "change"}}
			id, writer := newActor(t, h.s, "writer", grant)
			body := h.body(t, "journalentry", "assigned_object_id", site)
			own := writer.do(t, http.MethodPost, h.list("journalentry"), body).Want(t, http.StatusCreated).Object(t)
			want(t, "created_by", own["created_by"], any(float64(id)))
			want(t, "created_by as given", h.entry(t, site, "created_by", id)["created_by"], any(float64(id)))
			want(t, "created_by of nobody", h.entry(t, site, "created_by", nil)["created_by"], any(nil))
			want(t, "created_by after a change", h.set(t, "journalentry", apitest.ID(own), "comments", "new")["created_by"], any(float64(id)))
			want(t, "created_by, emptied", h.set(t, "journalentry", apitest.ID(own), "created_by", nil)["created_by"], any(nil))
			h.refused(t, "created_by", "journalentry", "assigned_object_id", site, "created_by", 1<<40)
			want(t, "by name", len(h.find(t, "journalentry", "assigned_object_id=%d&created_by=writer", site)), 1)
			want(t, "by id", len(h.find(t, "journalentry", "assigned_object_id=%d&created_by_id=%d", site, id)), 1)
		},
		3: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			entry := h.entry(t, site, "kind", "warning")
			want(t, "assigned_object_type", entry["assigned_object_type"], any("dcim.site"))
			want(t, "assigned_object_id", entry["assigned_object_id"], any(float64(site)))
			wantKeys(t, "assigned_object", entry["assigned_object"], "id", "url", "display", "name", "slug")
			wantKeys(t, "entry", entry, "id", "url", "display", "assigned_object_type", "assigned_object_id", "assigned_object", "created",
				"created_by", "kind", "comments", "tags", "custom_fields", "last_updated")
			wantKeys(t, "brief", h.first(t, "journalentry", "brief=1&assigned_object_id=%d", site), "id", "url", "display", "created")
			number := h.s.App.Registry.Type("dcim.site").ContentTypeID()
			want(t, "by the number of the type", len(h.find(t, "journalentry", "assigned_object_type_id=%d&assigned_object_id=%d", number, site)), 1)
		},
		4: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			first := h.entry(t, site, "created", "2001-01-01T00:00:00Z")
			second := h.entry(t, site)
			if at, err := time.Parse(time.RFC3339, first["created"].(string)); err != nil || at.Year() == 2001 {
				t.Errorf("created is %v: the server sets it", first["created"])
			}
			for query, found := range map[string]string{
				"created_after=" + second["created"].(string):  fmt.Sprint(second["id"]),
				"created_before=" + first["created"].(string):  fmt.Sprint(first["id"]),
				"created_after=" + first["created"].(string):   fmt.Sprint(second["id"], " ", first["id"]),
				"created_before=2001-01-01":                    "",
				"created_after=2001-01-01&created_before=2001": "refused",
			} {
				path := fmt.Sprintf("%s?assigned_object_id=%d&%s", h.list("journalentry"), site, query)
				if found == "refused" {
					h.get(t, path).Want(t, http.StatusBadRequest)
					continue
				}
				want(t, query, names(h.page(t, path).Results, "id"), found)
			}
		},
		5: func(t *testing.T, h *hardware) {
			site, other := h.make(t, "site"), h.make(t, "site")
			gone, left := h.entry(t, site), h.entry(t, other)
			deleted := h.remove(t, "site", site)
			h.gone(t, "journalentry", apitest.ID(gone))
			h.read(t, "journalentry", apitest.ID(left))
			h.changed(t, deleted, "delete extras.journalentry", "delete site")
		},
		6: func(t *testing.T, h *hardware) {
			entry := h.entry(t, h.make(t, "site"), "kind", "danger")
			at, err := time.Parse(time.RFC3339, entry["created"].(string))
			if err != nil {
				t.Fatal(err)
			}
			want(t, "display", entry["display"], any(at.UTC().Format("2006-01-02 15:04 UTC")+" (Danger)"))
			changes := h.changes(t, "extras.journalentry", apitest.ID(entry))
			want(t, "display in the change log", nestedIn(changes[0], "changed_object")["display"], entry["display"])
		},
		7: func(t *testing.T, h *hardware) {
			h.create(t, defs, obj{"name": "ticket", "content_types": []string{"extras.journalentry"}})
			tag := h.create(t, tags, obj{"name": "Outage", "slug": "outage"})
			entry := h.entry(t, h.make(t, "site"), "tags", []int64{tag}, "custom_fields", obj{"ticket": "T-1"})
			want(t, "tags", names([]obj{entry["tags"].([]any)[0].(obj)}, "slug"), "outage")
			want(t, "custom_fields", nestedIn(entry, "custom_fields")["ticket"], any("T-1"))
			want(t, "by custom field", len(h.find(t, "journalentry", "cf_ticket=T-1&tag=outage")), 1)
		},
	}
}
