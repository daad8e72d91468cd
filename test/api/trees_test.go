package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/test/apitest"
)

// TestTreeFiltersKeepToTheView: a filter finds what is below a record by steps that the caller may see, including the
// first. So moving and deleting hidden records changes no answer.
func TestTreeFiltersKeepToTheView(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	_, user := newActor(t, s, "user", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view"}, Constraints: obj{"name__startswith": "Shown"}})
	_, blind := newActor(t, s, "blind", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	const nodes = 9
	ids := make([]int64, nodes)
	hidden := func(n int) bool { return n%3 == 1 }
	for n := range nodes {
		name := fmt.Sprint("Shown ", n)
		if hidden(n) {
			name = fmt.Sprint("Hidden ", n)
		}
		ids[n] = admin.create(t, regions, obj{"name": name, "slug": fmt.Sprint("r", n)})
		admin.create(t, sites, site(fmt.Sprint("S", n), "region", ids[n]))
	}
	// below returns the sites that a filter by a region must find, from the parents of all regions.
	below := func(start int, parents []int) string {
		var found []string
		for n := range nodes {
			for at, steps := n, 0; at >= 0 && !hidden(at) && steps < nodes; at, steps = parents[at], steps+1 {
				if at == start {
					found = append(found, fmt.Sprint("S", n))
					break
				}
			}
		}
		return strings.Join(found, " ")
	}
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		parents := make([]int, nodes) // of a lower number, so that there is no circle
		moves := make([]obj, nodes)
		for n := range nodes {
			parents[n] = rapid.IntRange(-1, n-1).Draw(t, fmt.Sprint("parent of ", n))
			moves[n] = obj{"id": ids[n], "parent": nil}
			if parents[n] >= 0 {
				moves[n]["parent"] = ids[parents[n]]
			}
		}
		answer := s.Do(tb, apitest.Call{Method: "PATCH", Path: regions, Token: admin.key, Body: moves})
		if answer.Status != http.StatusOK {
			t.Fatalf("%s", answer.Raw)
		}
		start := rapid.IntRange(0, nodes-1).Draw(t, "start")
		for _, filter := range []string{fmt.Sprint("region=r", start), fmt.Sprint("region_id=", ids[start])} {
			unknown := hidden(start) && !strings.Contains(filter, "_id") // to those who may see other regions
			for who, want := range map[actor]string{user: below(start, parents), blind: ""} {
				if unknown && who == user {
					want = strconv.Itoa(http.StatusBadRequest)
				}
				if got := s.Do(tb, apitest.Call{Method: "GET", Path: sites + "?ordering=id&" + filter, Token: who.key}); sitesOf(got) != want {
					t.Fatalf("%s finds %q, want %q", filter, sitesOf(got), want)
				}
			}
			if unknown {
				continue
			}
			not := s.Do(tb, apitest.Call{Method: "GET", Path: sites + "?ordering=id&" + strings.Replace(filter, "=", "__n=", 1), Token: user.key})
			if n, want := len(strings.Fields(sitesOf(not))), nodes-len(strings.Fields(below(start, parents))); n != want {
				t.Fatalf("not %s finds %d, want %d", filter, n, want)
			}
		}
	})
	t.Run("hidden records come and go", func(t *testing.T) {
		outside := admin.create(t, regions, obj{"name": "Hidden outside", "slug": "outside", "parent": ids[0]})
		var before []string
		queries := []string{"region=r0", "region__n=r0", "region=outside", fmt.Sprint("region_id=", ids[0]), "q=outside"}
		for _, q := range queries {
			before = append(before, string(user.get(t, sites+"?"+q).Raw))
		}
		admin.patch(t, regions, outside, obj{"parent": ids[3]})
		admin.do(t, "DELETE", at(regions, outside), nil).Want(t, http.StatusNoContent)
		for i, q := range queries {
			if got := string(user.get(t, sites+"?"+q).Raw); got != before[i] {
				t.Errorf("%s: before\n%s\nafter\n%s", q, before[i], got)
			}
		}
	})
}

func sitesOf(a apitest.Answer) string {
	var page struct{ Results []struct{ Name string } }
	if a.Status != http.StatusOK || json.Unmarshal(a.Raw, &page) != nil {
		return strconv.Itoa(a.Status)
	}
	var found []string
	for _, r := range page.Results {
		found = append(found, r.Name)
	}
	return strings.Join(found, " ")
}

// TestFiltersCompareWhatIsShown: a filter through a reference that is not into a tree compares a field that the
// record itself shows of it, or passes through what the caller may see. So it reveals nothing of a record that the
// caller may not see.
func TestFiltersCompareWhatIsShown(t *testing.T) {
	t.Parallel()
	for _, typ := range apitest.New(t).App.Registry.Types() {
		for _, name := range typ.FilterNames() {
			p, _, err := typ.ParseFilter(name, []string{"1"})
			if err != nil || len(p.Via) == 0 || p.Subtree || p.Seen {
				continue
			}
			if len(p.Via) > 1 || !slices.Contains(p.Via[0].Target.Brief, p.Field.Info().Name) {
				t.Errorf("%s: %s compares what a record does not show", typ.Key(), name)
			}
		}
	}
}
