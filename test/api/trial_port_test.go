package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// ports is a server with a shelf, and what makes ports on it.
type ports struct {
	*apitest.Server
	shelf int64
}

func newPorts(t *testing.T) ports {
	t.Helper()
	s := apitest.NewWith(t, trial.Types())
	shelf := s.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/shelves/", Token: s.Admin, Body: map[string]any{"name": "upper"}}).Want(t, http.StatusCreated)
	return ports{s, apitest.ID(shelf.Object(t))}
}

// post sends a body that makes a port of the name.
func (p ports) post(t *testing.T, name string, body map[string]any) apitest.Answer {
	t.Helper()
	whole := map[string]any{"shelf": p.shelf, "name": name}
	for key, value := range body {
		whole[key] = value
	}
	return p.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/ports/", Token: p.Admin, Body: whole})
}

// names lists the ports that a query finds, page by page.
func (p ports) names(t *testing.T, query string) []string {
	t.Helper()
	names := []string{}
	for path := "/api/trial/ports/?" + query; path != ""; {
		page := p.Do(t, apitest.Call{Method: "GET", Path: path, Token: p.Admin}).Want(t, http.StatusOK).Page(t)
		for _, row := range page.Results {
			names = append(names, row["name"].(string))
		}
		if path = ""; page.Next != nil {
			path = (*page.Next)[len(p.URL):]
		}
	}
	return names
}

// finds asks that a query finds these ports and no other.
func (p ports) finds(t *testing.T, query string, want ...string) {
	t.Helper()
	got := p.names(t, query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s found %v, want %v", query, got, want)
	}
}

// TestSortKey puts ports in the order of their names as people read them: by default, by ordering=, by what refers to them,
// forward and back, whatever the size of a page.
func TestSortKey(t *testing.T) {
	t.Parallel()
	p := newPorts(t)
	want := []string{"Gi1/0/1", "Gi1/0/2", "gi1/0/2.7", "Gi1/0/10", "Gi2/0/1", "Eth1", "Eth1.100", "Eth2", "Eth10"}
	for i, name := range []string{"Eth10", "Gi2/0/1", "Eth1.100", "Gi1/0/10", "Eth2", "gi1/0/2.7", "Eth1", "Gi1/0/2", "Gi1/0/1"} {
		p.post(t, name, map[string]any{"alias": map[bool]any{true: "0" + name}[i%2 == 0]}).Want(t, http.StatusCreated)
	}
	reverse := slices.Clone(want)
	slices.Reverse(reverse)
	for _, limit := range []int{1, 2, 4, 50} {
		for query, want := range map[string][]string{"": want, "ordering=name&": want, "ordering=-name&": reverse, "ordering=shelf,-name&": reverse} {
			if got := p.names(t, fmt.Sprintf("%slimit=%d", query, limit)); !slices.Equal(got, want) {
				t.Errorf("%slimit=%d: %v, want %v", query, limit, got, want)
			}
		}
	}
	lag := apitest.ID(p.post(t, "Ae2", map[string]any{"lag": map[string]any{"name": "Eth10"}}).Want(t, http.StatusCreated).Object(t))
	p.post(t, "Ae1", map[string]any{"lag": lag}).Want(t, http.StatusCreated)
	p.post(t, "Ae3", map[string]any{"lag": map[string]any{"name": "Eth2"}}).Want(t, http.StatusCreated)
	for _, limit := range []int{1, 50} {
		if got := p.names(t, fmt.Sprintf("lag__n=null&ordering=lag&limit=%d", limit))[:3]; !slices.Equal(got, []string{"Ae1", "Ae3", "Ae2"}) {
			t.Errorf("by what they refer to: %v", got)
		}
	}
}
