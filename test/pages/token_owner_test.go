package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// TestTokensOfOthersCanNotBeWritten: the pages, single and bulk, write no token whose owner the person may not act
// for, and offer no button for it.
func TestTokensOfOthersCanNotBeWritten(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	everything := []string{"view", "add", "change", "delete"}
	s.User(t, "writer", apitest.Grant{Types: []string{"users.token"}, Actions: everything},
		apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}})
	s.User(t, "granter", apitest.Grant{Types: []string{"users.token"}, Actions: append(everything, "grant")},
		apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}})
	person, _ := s.User(t, "person")
	root := apitest.ID(s.Do(t, apitest.Call{Method: "GET", Path: "/api/users/users/?username=admin", Token: s.Admin}).Page(t).Results[0])
	version := func(id int64) (n int64) {
		if err := s.DB.QueryRow(t.Context(), "SELECT coalesce(max(version), 0) FROM users_token WHERE id = $1", id).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, row := range []struct {
		who     string
		owner   int64
		allowed bool
	}{{"writer", person, false}, {"writer", root, false}, {"granter", person, true}, {"granter", root, false}} {
		b := login(t, s, row.who)
		another := func() int64 { return create(t, s, tokensAPI, obj{"user": row.owner, "write_enabled": false}) }
		id := another()
		at := fmt.Sprintf("%s%d/", allTokens, id)
		page := b.get(t, at).Want(t, http.StatusOK)
		if row.allowed {
			shows(t, page, at+"edit/", at+"delete/")
		} else {
			hides(t, page, at+"edit/", at+"delete/")
		}
		b.post(t, at+"edit/", url.Values{"user": {row.who}, "write_enabled": {"true"}})
		edited := version(id) != 1
		id = another()
		asked := b.post(t, allTokens+"edit/", ticked(id)).Want(t, http.StatusOK)
		b.post(t, allTokens+"edit/", with(hidden(asked), "change", "description", "to.description", "x"))
		bulkEdited := version(id) != 1
		b.post(t, fmt.Sprintf("%s%d/delete/", allTokens, id), url.Values{})
		deleted := version(id) == 0
		id = another()
		b.post(t, allTokens+"delete/", hidden(b.post(t, allTokens+"edit/", ticked(id)))) // the one form is as good as the other
		bulkDeleted := version(id) == 0
		if edited != row.allowed || bulkEdited != row.allowed || deleted != row.allowed || bulkDeleted != row.allowed {
			t.Errorf("%s, tokens of user %d: edited %v, in bulk %v, deleted %v, in bulk %v; want %v", row.who, row.owner, edited, bulkEdited,
				deleted, bulkDeleted, row.allowed)
		}
	}
}

// TestTooManyTokensInThePages: the forms say why no further token can be made.
func TestTooManyTokensInThePages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id, _ := s.User(t, "alice")
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO users_token (version, user_id, key_sealed, key_hint, write_enabled, description,
		allowed_ips, created, last_updated)
		SELECT 1, $1, 'sealed ' || n, '', true, '', '{}', now(), now() FROM generate_series(1, 999) n`, id); err != nil {
		t.Fatal(err)
	}
	const problem = "A user can have at most 1000 tokens that have not expired."
	shows(t, login(t, s, "alice").post(t, ownTokens+"add/", tokenForm()).Want(t, http.StatusBadRequest), problem)
	shows(t, login(t, s, "admin").post(t, allTokens+"add/", url.Values{"user": {"alice"}}).Want(t, http.StatusBadRequest), problem)
}
