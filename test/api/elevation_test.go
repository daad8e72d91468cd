package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestElevation: the elevation of a rack lists its half units from the top, with the devices on a face and those of full depth. A device
// that the caller may not see takes its place without a name.
func TestElevation(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	type obj = map[string]any
	made := func(path string, body any) int64 {
		t.Helper()
		return apitest.ID(s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body}).Want(t, http.StatusCreated).Object(t))
	}
	site := made("/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := made("/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	role := made("/api/dcim/device-roles/", obj{"name": "Server", "slug": "server", "color": "ff0000"})
	model := func(name string, height float64, full bool) int64 {
		return made("/api/dcim/device-types/", obj{"manufacturer": maker, "model": name, "slug": name, "u_height": height, "is_full_depth": full})
	}
	shallow, deep, half, none := model("shallow", 1, false), model("deep", 2, true), model("half", 0.5, false), model("none", 0, false)
	rack := made("/api/dcim/racks/", obj{"name": "R1", "site": site, "u_height": 6})
	device := func(name string, typ int64, position any, face any) int64 {
		return made("/api/dcim/devices/", obj{"name": name, "device_type": typ, "device_role": role, "site": site, "rack": rack,
			"position": position, "face": face})
	}
	device("a", shallow, 1, "front")
	device("b", deep, 3, "rear")
	device("c", half, 5.5, "front")
	device("behind", shallow, 1, "rear")
	device("0U", none, nil, nil)
	device("loose", shallow, nil, nil)
	_, some := s.User(t, "some", apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}, Constraints: obj{"name": "a"}})
	path := fmt.Sprintf("/api/dcim/racks/%d/elevation/", rack)
	units := func(token, query string) string {
		t.Helper()
		page := s.Do(t, apitest.Call{Method: "GET", Path: path + "?limit=0&" + query, Token: token}).Want(t, http.StatusOK).Page(t)
		var out []string
		for _, u := range page.Results {
			text := strings.TrimPrefix(fmt.Sprint(u["name"]), "U")
			if text != fmt.Sprint(u["id"]) || u["display"] != u["name"] {
				t.Errorf("a unit is %v", u)
			}
			switch named, isNamed := u["device"].(obj); {
			case isNamed:
				text += fmt.Sprint("=", named["name"])
			case u["occupied"] == true:
				text += "=?"
			}
			out = append(out, text)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ token, query, want string }{
		{s.Admin, "", "6.5 6 5.5=c 5 4.5=b 4=b 3.5=b 3=b 2.5 2 1.5=a 1=a"},
		{s.Admin, "face=rear", "6.5 6 5.5 5 4.5=b 4=b 3.5=b 3=b 2.5 2 1.5=behind 1=behind"},
		{s.Admin, "expand_devices=false", "6.5 6 5.5=c 5 4.5 4 3.5 3=b 2.5 2 1.5 1=a"},
		{s.Admin, "exclude=2&q=4", "4.5 4"},
		{s.Admin, "q=U5", "5.5=c 5"},
		{some, "", "6.5 6 5.5=? 5 4.5=? 4=? 3.5=? 3=? 2.5 2 1.5=a 1=a"},
		{some, "exclude=2&q=4", "4.5=? 4=?"}, // what they may not see can't be left out either
	} {
		if got := units(c.token, c.query); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.query, got, c.want)
		}
	}
	for query, field := range map[string]string{"face=top": "face", "render=png": "render", "exclude=x": "exclude",
		"unit_width=0":     "unit_width",
		"expand_devices=x": "expand_devices", "render=svg&highlight=5": "highlight"} {
		a := s.Do(t, apitest.Call{Method: "GET", Path: path + "?" + query, Token: s.Admin}).Want(t, http.StatusBadRequest)
		if a.Object(t)[field] == nil {
			t.Errorf("%s: %s, want an error on %s", query, a.Raw, field)
		}
	}
	drawn := string(s.Do(t, apitest.Call{Method: "GET", Path: path + "?render=svg&unit_width=100&highlight=id:1", Token: some}).Want(t,
		http.StatusOK).Raw)
	for _, want := range []string{`width="145"`, `fill="#ff0000" stroke="#d63384"`, ">a</text>", ">Taken</text>"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("the picture has no %s: %s", want, drawn)
		}
	}
	if strings.Contains(drawn, ">b</text>") || strings.Contains(drawn, "behind") {
		t.Error("the picture names what the caller may not see")
	}
	s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/dcim/racks/%d/", rack), Token: s.Admin,
		Body: obj{"desc_units": true}}).Want(t, http.StatusOK)
	if got, want := units(s.Admin, ""), "1=a 1.5=a 2 2.5 3=b 3.5=b 4=b 4.5=b 5 5.5=c 6 6.5"; got != want {
		t.Errorf("numbered from the top: %s\nwant %s", got, want)
	}
}
