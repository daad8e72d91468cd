package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestDeviceShape checks the parts of a device that are shown in a form of their own: the device that houses it, the two names of its
// role, and the context, which can be excluded.
func TestDeviceShape(t *testing.T) {
	t.Parallel()
	s := trays{apitest.New(t)}
	made := func(list string, body obj) float64 {
		t.Helper()
		return s.call(t, "POST", "/api/dcim/"+list+"/", body).Want(t, http.StatusCreated).Object(t)["id"].(float64)
	}
	maker := made("manufacturers", obj{"name": "m", "slug": "m"})
	role, site := made("device-roles", obj{"name": "r", "slug": "r"}), made("sites", obj{"name": "s", "slug": "s"})
	chassis := made("device-types", obj{"manufacturer": maker, "model": "c", "slug": "c", "subdevice_role": "parent"})
	blade := made("device-types", obj{"manufacturer": maker, "model": "b", "slug": "b", "u_height": 0, "subdevice_role": "child"})
	outer := made("devices", obj{"name": "outer", "device_type": chassis, "role": role, "site": site})
	inner := made("devices", obj{"name": "inner", "device_type": blade, "device_role": role, "site": site,
		"local_context_data": obj{"a": 1}})
	made("device-bays", obj{"name": "bay", "device": outer, "installed_device": inner})
	path := fmt.Sprintf("/api/dcim/devices/%.0f/", inner)
	device := s.call(t, "GET", path, nil).Want(t, http.StatusOK).Object(t)
	same(t, "the device that houses it", device["parent_device"], obj{"name": "outer",
		"device_bay": obj{"name": "bay", "device": obj{"name": "outer"}}})
	for _, name := range []string{"role", "device_role"} {
		same(t, name, device[name], obj{"name": "r", "slug": "r"})
	}
	same(t, "its context", device["config_context"], obj{"a": 1.0})
	same(t, "an empty context", s.call(t, "GET", fmt.Sprintf("/api/dcim/devices/%.0f/", outer), nil).Object(t)["config_context"], obj{})
	if _, shown := s.call(t, "GET", path+"?exclude=config_context", nil).Object(t)["config_context"]; shown {
		t.Error("the excluded context is shown")
	}
	s.call(t, "GET", "/api/dcim/devices/?exclude=serial", nil).Want(t, http.StatusBadRequest)
}
