package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestWritingATokenNeedsTheRightOfItsOwner: changing or deleting a token needs the right to make one for its present
// owner and for its next. Everybody has it for themselves; for others it takes grant on users.token; only superusers
// may write a superuser's tokens.
func TestWritingATokenNeedsTheRightOfItsOwner(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	everything := func(more ...string) apitest.Grant {
		return apitest.Grant{Types: []string{"users.token"}, Actions: append([]string{"view", "add", "change", "delete"}, more...)}
	}
	seeUsers := apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}}
	services := apitest.Grant{Types: []string{"users.token"}, Actions: []string{"grant"},
		Constraints: obj{"user__username__startswith": "svc-"}}
	owners := map[string]int64{"root": apitest.ID(admin.page(t, users+"?username=admin").Results[0])}
	owners["person"], _ = newActor(t, s, "person")
	owners["service"], _ = newActor(t, s, "svc-backup")

	for _, row := range []struct {
		name    string
		grants  []apitest.Grant
		allowed string // owners besides the caller
	}{
		{"nobody-special", nil, ""},
		{"writer", []apitest.Grant{everything(), seeUsers}, ""},
		{"services-only", []apitest.Grant{everything(), seeUsers, services}, "service"},
		{"granter", []apitest.Grant{everything("grant"), seeUsers}, "person service"},
		{"another-root", nil, "person service root"},
	} {
		t.Run(row.name, func(t *testing.T) {
			id, who := newActor(t, s, row.name, row.grants...)
			if row.name == "another-root" {
				admin.patch(t, users, id, obj{"is_superuser": true})
			}
			may := func(owner string) bool {
				return owner == "self" || slices.Contains(strings.Fields(row.allowed), owner)
			}
			all := map[string]int64{"self": id, "person": owners["person"], "service": owners["service"], "root": owners["root"]}
			for owner, ownerID := range all {
				for what, body := range map[string]obj{
					"expires": {"expires": nil}, "write_enabled": {"write_enabled": true}, "allowed_ips": {"allowed_ips": []string{}},
					"description": {"description": "x"}, "the owner, to the caller": {"user": id},
				} {
					for _, bulk := range []bool{false, true} {
						token := admin.create(t, tokens, obj{"user": ownerID, "expires": "2099-01-01T00:00:00Z", "write_enabled": false,
							"allowed_ips": []string{"10.0.0.0/8"}})
						checkWrite(t, s, who, fmt.Sprintf("%s of %s's token", what, owner), "PATCH", token, body, bulk, may(owner))
					}
				}
				for _, bulk := range []bool{false, true} {
					token := admin.create(t, tokens, obj{"user": ownerID})
					checkWrite(t, s, who, "delete "+owner+"'s token", "DELETE", token, obj{}, bulk, may(owner))
				}
				token := admin.create(t, tokens, obj{"user": id})
				if row.name != "nobody-special" { // without seeing the next owner they can't name them
					status := http.StatusForbidden
					if may(owner) {
						status = http.StatusOK
					}
					who.do(t, "PATCH", at(tokens, token), obj{"user": ownerID}).Want(t, status)
				}
			}
		})
	}
}

// checkWrite fails the test unless a write succeeds, or the token is not found and stays as it is.
func checkWrite(t *testing.T, s *apitest.Server, who actor, what, method string, token int64, body obj, bulk, allowed bool) {
	t.Helper()
	version := func() (n int64) {
		if err := s.DB.QueryRow(t.Context(), "SELECT coalesce(max(version), 0) FROM users_token WHERE id = $1", token).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, path, sent, refused := version(), at(tokens, token), any(body), http.StatusNotFound
	if bulk {
		body["id"] = token
		path, sent, refused = tokens, []obj{body}, http.StatusBadRequest
	}
	a := who.do(t, method, path, sent)
	delete(body, "id")
	switch {
	case allowed && a.Status >= 300:
		t.Errorf("%s (bulk %v) is refused: %d %s", what, bulk, a.Status, a.Raw)
	case !allowed && (a.Status != refused || version() != before):
		t.Errorf("%s (bulk %v): status %d, want %d; version %d, was %d", what, bulk, a.Status, refused, version(), before)
	}
}
