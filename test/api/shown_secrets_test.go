package api_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestAuthenticationKeys: the key of an FHRP group is shown to callers who may change the group, and nowhere else.
func TestAuthenticationKeys(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	h := &hardware{actor: adminOf(s)}
	const canary, other = "c4n4ry", "c4n4ry-other"
	admin := h.actor
	list := h.list("fhrpgroup")
	admin.create(t, webhooks, hook("w", "content_types", []string{"ipam.fhrpgroup"}, "type_create", true, "type_update", true))
	made := h.made(t, "fhrpgroup", "auth_key", canary, "name", "Gateways")
	id := apitest.ID(made)
	place := at(list, id)
	foreign := h.make(t, "fhrpgroup", "auth_key", other, "name", "Other")
	h.groupAddress(t, id, "192.0.2.1/24")
	_, changer := newActor(t, s, "changer", apitest.Grant{Types: []string{"ipam.fhrpgroup"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"ipam.fhrpgroup"}, Actions: []string{"change"}, Constraints: obj{"name": "Gateways"}})
	_, reader := newActor(t, s, "reader", apitest.Grant{Types: []string{"ipam.fhrpgroup", "extras.objectchange"}, Actions: []string{"view"}})
	kept := func() string {
		return one[string](t, s, "SELECT auth_key_sealed FROM ipam_fhrpgroup WHERE id = $1", id)
	}

	t.Run("who sees it", func(t *testing.T) {
		want(t, "the answer", made["auth_key"], any(canary))
		for _, query := range []string{"", "?fields=auth_key", "?omit=name"} {
			want(t, "admin "+query, admin.get(t, place+query).Object(t)["auth_key"], any(canary))
			want(t, "changer "+query, changer.get(t, place+query).Object(t)["auth_key"], any(canary))
			want(t, "reader "+query, reader.get(t, place+query).Object(t)["auth_key"], any(""))
		}
		want(t, "one that may not be changed", changer.get(t, at(list, foreign)).Object(t)["auth_key"], any(""))
		want(t, "a list", names(changer.page(t, list+"?ordering=id").Results, "auth_key"), canary+" ")
		if _, shown := changer.get(t, place+"?brief=1").Object(t)["auth_key"]; shown {
			t.Error("the brief form has the key")
		}
	})
	t.Run("who does not", func(t *testing.T) {
		pages := []string{
			"/ipam/fhrp-groups/export/?format=csv", "/ipam/fhrp-groups/export/?format=json", "/ipam/fhrp-groups/export/?format=yaml",
			"/ipam/fhrp-groups/", "/search/?q=Gateways"}
		for _, user := range []string{"admin", "reader"} {
			cookie := s.Login(t, user)
			page := func(path string) string {
				a := s.Do(t, apitest.Call{Method: http.MethodGet, Path: path, Header: map[string]string{"Cookie": cookie, "Accept": "text/html"}})
				return string(a.Want(t, http.StatusOK).Raw)
			}
			for _, path := range pages {
				if text := page(path); strings.Contains(text, canary) || !strings.Contains(text, "Gateways") {
					t.Errorf("%s of %s: %s", path, user, text)
				}
			}
			record := page(strings.TrimPrefix(place, "/api"))
			want(t, "the page of "+user, strings.Contains(record, canary), user == "admin")
		}
		for _, path := range []string{changeLog + "?limit=0", list + "?brief=1", deliveries + "?limit=0", list + "?q=" + canary,
			h.list("ipaddress")} {
			if raw := string(admin.get(t, path).Want(t, http.StatusOK).Raw); strings.Contains(strings.ReplaceAll(raw, "q="+canary, ""), canary) {
				t.Errorf("%s: %s", path, raw)
			}
		}
		want(t, "q", admin.page(t, list+"?q="+canary).Count, 0)
		for _, query := range []string{"auth_key=x", "auth_key__ic=x", "auth_key__empty=true", "ordering=auth_key"} {
			admin.get(t, list+"?"+query).Want(t, http.StatusBadRequest)
		}
		if hits := inTables(t, s, canary); len(hits) > 0 {
			t.Errorf("in clear: %v", hits)
		}
		if strings.Contains(s.Log.String(), canary) {
			t.Error("the log holds the key")
		}
	})
	t.Run("writes", func(t *testing.T) {
		was := kept()
		want(t, "absent keeps", h.set(t, "fhrpgroup", id, "description", "x")["auth_key"], any(canary))
		h.set(t, "fhrpgroup", id, "auth_key", canary)
		want(t, "the same keeps", kept(), was)
		h.unset(t, "auth_key", "fhrpgroup", id, "auth_key", "********")
		h.unset(t, "auth_key", "fhrpgroup", id, "auth_key", nil)
		want(t, "what is refused keeps", kept(), was)
		want(t, "another one", h.set(t, "fhrpgroup", id, "auth_key", other)["auth_key"], any(other))
		want(t, "the change log", admin.changes(t, "ipam.fhrpgroup", id)[0]["postchange_data"].(obj)["auth_key"], any("********"))
		want(t, "empty clears", h.set(t, "fhrpgroup", id, "auth_key", "")["auth_key"], any(""))
		want(t, "what is stored", kept(), "")
		rows := admin.changes(t, "ipam.fhrpgroup", id)
		want(t, "the change log", rows[len(rows)-1]["postchange_data"].(obj)["auth_key"], any(""))
	})
}
