package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestRoleOfDevicesOnPages: forms and exports know the role of a device by its first name alone. The API has a second one, and an import
// takes both.
func TestRoleOfDevicesOnPages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	typ := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Server", "slug": "server"})
	id := create(t, s, "/api/dcim/devices/", obj{"name": "a", "device_type": typ, "role": role, "site": site})
	for _, path := range []string{"add/", fmt.Sprint(id, "/edit/")} {
		page := b.get(t, "/dcim/devices/"+path).Want(t, http.StatusOK)
		shows(t, page, `name="device_role"`)
		hides(t, page, `name="role"`)
	}
	edit := b.post(t, "/dcim/devices/edit/", url.Values{"id": {fmt.Sprint(id)}}).Want(t, http.StatusOK)
	shows(t, edit, `name="to.device_role"`)
	hides(t, edit, `name="to.role"`, `value="role"`)
	for _, format := range []string{"csv", "json", "yaml"} {
		file := string(b.get(t, "/dcim/devices/export/?format="+format).Want(t, http.StatusOK).Raw)
		rest := strings.NewReplacer("device_role", "", "/device-roles/", "").Replace(file)
		if strings.Contains(rest, "role") || !strings.Contains(file, "device_role") {
			t.Errorf("the %s file is %s", format, file)
		}
	}
	send := func(name, column string) apitest.Answer {
		return b.post(t, "/dcim/devices/import/", url.Values{"format": {"csv"}, "mode": {"import"},
			"text": {"name,device_type,site," + column + "\n" + name + ",x,lis1,server\n"}})
	}
	send("b", "role").Want(t, http.StatusSeeOther)
	send("c", "device_role").Want(t, http.StatusSeeOther)
	if n := list(t, s, "/api/dcim/devices/?role=server").Count; n != 3 {
		t.Errorf("%d devices have the role", n)
	}
}
