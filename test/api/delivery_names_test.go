package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestRetryingFilter: a delivery that waits for an automatic retry is failed, as the contract says, and differs
// from those that have failed for good.
func TestRetryingFilter(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.fail(t, fmt.Sprintf("webhook_id = %d", p.b))
	exec(t, p.s, "UPDATE extras_delivery SET retry_at = now() + interval '1 hour' WHERE state = 'failed' AND object_type = 'dcim.region'")
	for _, row := range []struct {
		query string
		want  int
	}{{"retrying=true", 1}, {"retrying=false", 6}, {"state=failed", 4}, {"state=failed&retrying=true", 1},
		{"state=failed&retrying=false", 3}, {"state=queued&retrying=true", 0}, {"retrying=true&retrying=false", 7}} {
		page := p.admin.page(t, deliveries+"?"+row.query)
		if len(page.Results) != row.want || page.Count != int64(row.want) {
			t.Errorf("%s: %d rows, count %d, want %d", row.query, len(page.Results), page.Count, row.want)
		}
		for _, d := range page.Results {
			if d["retrying"] != (d["retry_at"] != nil) || d["retrying"] == true && d["state"].(obj)["value"] != "failed" {
				t.Errorf("%s: %v", row.query, d)
			}
		}
	}
	for _, bad := range []string{"retrying=maybe", "retrying__n=true", "retrying=", "tries=1", "max_retries=1"} {
		p.admin.get(t, deliveries+"?"+bad).Want(t, http.StatusBadRequest)
	}
	if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": obj{"retrying": false}, "dry_run": true}).
		Want(t, http.StatusOK).Object(t)["count"]; got != 3.0 {
		t.Errorf("%v would be retried", got)
	}
}

// TestDeliveryNamesTheRecord: a delivery shows the name that its record had at the change, and is found by it, for
// those who may see that change. Nobody else learns the name, neither by reading nor by searching.
func TestDeliveryNamesTheRecord(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.admin.do(t, "PATCH", at(sites, p.sites[0]), obj{"name": "Renamed"}).Want(t, http.StatusOK)
	p.admin.do(t, "DELETE", at(sites, p.sites[1]), nil).Want(t, http.StatusNoContent)
	see := apitest.Grant{Types: []string{"extras.delivery"}, Actions: []string{"view"}}
	log := func(constraints any) apitest.Grant {
		return apitest.Grant{Types: []string{"extras.objectchange"}, Actions: []string{"view"}, Constraints: constraints}
	}
	_, blind := newActor(t, p.s, "blind", see)
	_, all := newActor(t, p.s, "all", see, log(nil))
	_, some := newActor(t, p.s, "some", see, log(obj{"changed_object_type": "dcim.region"}))
	for _, row := range []struct {
		name  string
		who   actor
		sees  string         // of all names
		finds map[string]int // by a search
	}{
		{"superuser", p.admin, "R Renamed S0 S1 S2", map[string]int{"renamed": 2, "s0": 2, "S1": 4, "R": 3, "nobody": 0, "enam": 2, "_": 0}},
		{"sees the change log", all, "R Renamed S0 S1 S2", map[string]int{"renamed": 2, "s0": 2}},
		{"sees changes of regions", some, "R", map[string]int{"renamed": 0, "s0": 0, "r": 1}},
		{"sees no change", blind, "", map[string]int{"renamed": 0, "s0": 0, "r": 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			names := map[string]bool{}
			page := row.who.page(t, deliveries+"?limit=0")
			if page.Count != 11 {
				t.Errorf("%d deliveries", page.Count)
			}
			for _, d := range page.Results {
				whole := row.who.get(t, deliveryAt(d)).Want(t, http.StatusOK).Object(t)
				if fmt.Sprint(whole["object_repr"]) != fmt.Sprint(d["object_repr"]) || whole["display"] != d["display"] {
					t.Errorf("in the list %v, alone %v", d["object_repr"], whole["object_repr"])
				}
				if name, ok := d["object_repr"].(string); ok {
					names[name] = true
					if !strings.Contains(d["display"].(string), name) {
						t.Errorf("display %v of %s", d["display"], name)
					}
				} else if d["object_repr"] != nil || strings.Contains(fmt.Sprint(d), "S0") {
					t.Errorf("%v", d)
				}
			}
			if got := strings.Join(sorted(names), " "); got != row.sees {
				t.Errorf("sees %q, want %q", got, row.sees)
			}
			for text, want := range row.finds {
				if page := row.who.page(t, deliveries+"?q="+query(text)); len(page.Results) != want || page.Count != int64(want) {
					t.Errorf("q=%s: %d rows, count %d, want %d", text, len(page.Results), page.Count, want)
				}
			}
		})
	}
	t.Run("with a reason, a filter and a page", func(t *testing.T) {
		p.fail(t, "TRUE")
		for text, want := range map[string]int64{"q=answered": 11, fmt.Sprintf("q=s1&webhook_id=%d", p.a): 2, "q=s1&event=created": 2,
			"q=s1&state=queued": 0} {
			page := p.admin.page(t, deliveries+"?limit=1&"+text)
			n := int64(len(page.Results))
			for page.Next != nil {
				page = p.admin.page(t, local(t, p.s, page.Next))
				n += int64(len(page.Results))
			}
			if n != want || page.Count != want {
				t.Errorf("%s: %d rows, count %d, want %d", text, n, page.Count, want)
			}
		}
		if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": obj{"q": "S1"}}).Want(t, http.StatusOK).
			Object(t)["count"]; got != 4.0 {
			t.Errorf("%v were queued", got)
		}
	})
	t.Run("a constraint on names is refused", func(t *testing.T) {
		p.admin.do(t, "POST", "/api/users/permissions/",
			obj{"name": "x", "object_types": []string{"extras.delivery"}, "actions": []string{"view"},
				"constraints": obj{"object_repr": "S0"}}).Want(t, http.StatusBadRequest)
	})
}

func sorted(set map[string]bool) (names []string) { return slices.Sorted(maps.Keys(set)) }
