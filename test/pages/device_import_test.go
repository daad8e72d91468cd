package pages_test

import (
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// TestImportDevices: a file names the type, role, site and rack of devices as people do, and what does not fit is named by its line.
func TestImportDevices(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	create(t, s, "/api/dcim/device-roles/", obj{"name": "Server", "slug": "server"})
	create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x"})
	create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site})
	send := func(rows string) apitest.Answer {
		return b.post(t, "/dcim/devices/import/", url.Values{"format": {"csv"}, "mode": {"import"},
			"text": {"name,device_type,device_role,site,rack,position,face\n" + rows}})
	}
	shows(t, send("a,x,server,lis1,R1,1,front\nb,x,server,lis1,R9,2,front\n").Want(t, http.StatusBadRequest), "<td>3</td>", "Rack")
	// Racks of other sites have the same name, and so have aggregates of other devices: the site and the device tell them apart.
	other := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2"})
	create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": other})
	send("a,x,server,lis1,R1,1,front\nb,x,server,lis1,R1,2.5,rear\n").Want(t, http.StatusSeeOther)
	shows(t, b.get(t, "/dcim/racks/1/").Want(t, http.StatusOK), ">a</text>", ">b</text>", "U2.5–U3")
	for _, device := range []string{"a", "b"} {
		create(t, s, "/api/dcim/interfaces/", obj{"device": obj{"name": device}, "name": "ae0", "type": "lag"})
	}
	b.post(t, "/dcim/interfaces/import/", url.Values{"format": {"csv"}, "mode": {"import"},
		"text": {"device,name,type,lag\na,1,virtual,\na,2,1000base-t,ae0\nb,2,1000base-t,ae0\n"}}).Want(t, http.StatusSeeOther)
	own := "SELECT count(*) FROM dcim_interface i JOIN dcim_interface lag ON lag.id = i.lag_id AND lag.device_id = i.device_id"
	if n := number(t, s, own); n != 2 {
		t.Errorf("%d interfaces are in the aggregate of their device, want 2", n)
	}
	// Without the site nothing is guessed.
	shows(t, b.post(t, "/dcim/devices/import/", url.Values{"format": {"csv"}, "mode": {"import"},
		"text": {"name,device_type,device_role,site,rack\nc,x,server,nowhere,R1\n"}}).Want(t, http.StatusBadRequest), "Several are called")
}
