package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/internal/account"
	"terrier/internal/rest"
	"terrier/test/apitest"
)

// lookups counts how often a token is looked up.
type lookups struct {
	account.TokenStore
	n int
}

func (l *lookups) LoadToken(ctx context.Context, digests [][]byte) (*account.TokenRecord, error) {
	l.n++
	return l.TokenStore.LoadToken(ctx, digests)
}

// TestRoutesThatProveClaims calls every address with a token that was just used. A marked route proves the claim without
// looking the caller up. Every other route, and every unknown address, looks the caller up.
func TestRoutesThatProveClaims(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	seen := &lookups{TokenStore: s.App.Server.Auth.Tokens}
	s.App.Server.Auth.Tokens = seen
	looksUp := func(c apitest.Call) bool {
		t.Helper()
		c.Token = s.Admin
		s.Do(t, apitest.Call{Method: "GET", Path: sites, Token: s.Admin}).Want(t, http.StatusOK) // leaves a claim
		before := seen.n
		s.Do(t, c) // also checks the answer against the document
		return seen.n > before
	}
	for _, r := range s.App.API.Routes() {
		if records := r.Type != nil && r.Actions == nil; records && !r.ProvesClaim("GET") {
			t.Errorf("%s reads records and is not marked", r.Pattern)
		}
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"} {
			if looked := looksUp(harmless(r, method)); looked == r.ProvesClaim(method) {
				t.Errorf("%s %s: marked as proving %v, looked up %v", method, r.Pattern, r.ProvesClaim(method), looked)
			}
		}
	}
	for _, r := range s.App.Site.Routes() {
		if r.Method == http.MethodGet && !looksUp(apitest.Call{Method: "GET", Path: pathOf(r.Path, "1")}) {
			t.Errorf("%s looks nobody up", r.Path)
		}
	}
	for _, path := range []string{"/api/nosuch/", "/api/dcim/nosuch/1/", sites + "1/nosuch/", sites + "1", "/nosuch/"} {
		if !looksUp(apitest.Call{Method: "GET", Path: path}) {
			t.Errorf("%s looks nobody up", path)
		}
	}
}

func pathOf(pattern, id string) string {
	return strings.NewReplacer("{$}", "", "{id}", id).Replace(pattern)
}

// harmless is a request that goes as far as reading or writing records, and changes none.
func harmless(r rest.Route, method string) apitest.Call {
	c := apitest.Call{Method: method, Path: pathOf(r.Pattern, "0")}
	if r.Type != nil {
		c.Path = pathOf(r.Pattern, r.Type.FormatID(1<<40))
	}
	switch {
	case r.Pattern == snapshots+"{$}":
		c.Path += "?type=dcim.site"
	case !slices.Contains(r.Methods, method) || method == http.MethodGet || r.Detail && method == http.MethodDelete:
	case r.Actions != nil && r.Detail:
	case r.Actions != nil:
		c.Body = obj{"filter": obj{}, "dry_run": true}
	case r.Detail || method == http.MethodPost:
		c.Body = obj{}
	default:
		c.Body = []obj{{"id": 1 << 40}}
	}
	return c
}
