package api_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/internal/intake"
	"terrier/test/apitest"
)

// TestOwnTokensTakeSmallBodies: what everybody may write accepts large bodies only from callers with a permission to
// write it.
func TestOwnTokensTakeSmallBodies(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, nobody := newActor(t, s, "nobody")
	_, viewer := newActor(t, s, "viewer", apitest.Grant{Types: []string{"users.token"}, Actions: []string{"view"}})
	_, giver := newActor(t, s, "giver", apitest.Grant{Types: []string{"users.token"}, Actions: []string{"add"}})
	small := obj{"description": "small", "filler": strings.Repeat("x", intake.Small-100)}
	large := obj{"description": "large", "filler": strings.Repeat("x", intake.Small)}
	for name, row := range map[string]struct {
		who    actor
		method string
		body   obj
		status int
	}{
		"nobody's small body":        {nobody, "POST", small, http.StatusCreated},
		"nobody's large body":        {nobody, "POST", large, http.StatusRequestEntityTooLarge},
		"a viewer's large body":      {viewer, "POST", large, http.StatusRequestEntityTooLarge},
		"a giver's large body":       {giver, "POST", large, http.StatusCreated},
		"a giver's large PUT":        {giver, "PUT", large, http.StatusRequestEntityTooLarge},
		"an administrator's":         {adminOf(s), "POST", large, http.StatusCreated},
		"an administrator's of many": {adminOf(s), "PATCH", large, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) { row.who.do(t, row.method, tokens, row.body).Want(t, row.status) })
	}
}
