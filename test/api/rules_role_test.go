package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// roleByTwoNames: newer clients call the role of a device role. Answers have both names, a body may use either, and whatever is kept or
// described has device_role alone.
func roleByTwoNames(t *testing.T, h *hardware) {
	first, second := h.make(t, "devicerole"), h.made(t, "devicerole")
	body := h.body(t, "device", "role", first)
	delete(body, "device_role")
	a := h.do(t, http.MethodPost, h.list("device"), body).Want(t, http.StatusCreated)
	device := apitest.ID(a.Object(t))
	path := at(h.list("device"), device)
	both := func(got obj, role int64) {
		t.Helper()
		wantRef(t, got, "role", role)
		wantRef(t, got, "device_role", role)
		want(t, "the role by its other name", fmt.Sprint(got["role"]), fmt.Sprint(got["device_role"]))
	}
	both(a.Object(t), first)
	both(h.read(t, "device", device), first)
	both(h.first(t, "device", "id=%d", device), first)
	both(h.set(t, "device", device, "role", obj{"slug": second["slug"]}), apitest.ID(second))
	both(h.set(t, "device", device, "role", first, "device_role", first), first)
	both(h.set(t, "device", device, "device_role", apitest.ID(second)), apitest.ID(second))
	body["name"] = h.word()
	both(h.do(t, http.MethodPut, path, body).Want(t, http.StatusOK).Object(t), first)
	list := []obj{{"id": device, "role": second["id"]}}
	for _, row := range h.do(t, http.MethodPatch, h.list("device"), list).Want(t, http.StatusOK).List(t) {
		both(row, apitest.ID(second))
	}
	h.unset(t, "role", "device", device, "role", first, "device_role", second["id"])
	h.unset(t, "role", "device", device, "role", nil, "device_role", second["id"])
	h.refused(t, "role", "device", "role", first, "device_role", second["id"])
	for _, wrong := range []any{nil, "x", obj{"slug": "nowhere"}, 1 << 40} { // an error has the name that the body has
		h.unset(t, "role", "device", device, "role", wrong)
		h.unset(t, "device_role", "device", device, "device_role", wrong)
	}
	delete(body, "role")
	body["name"] = h.word()
	wantErrors(t, h.do(t, http.MethodPost, h.list("device"), body), "device_role")
	both(h.read(t, "device", device), apitest.ID(second))

	alone := func(what string, got obj) {
		t.Helper()
		_, is := got["device_role"]
		if _, other := got["role"]; other || !is {
			t.Errorf("%s has %v", what, got)
		}
	}
	for _, address := range []string{h.list("device"), path} {
		for method, fields := range h.do(t, http.MethodOptions, address, nil).Want(t, http.StatusOK).Object(t)["actions"].(obj) {
			alone(method+" of OPTIONS", fields.(obj))
		}
	}
	for n, change := range h.changes(t, "dcim.device", device) {
		alone("the state after a change", nestedIn(change, "postchange_data"))
		if n > 0 {
			alone("the state before a change", nestedIn(change, "prechange_data"))
		}
	}
	// A webhook is sent what is kept with the change, as it is: the record as the API shows it, and both states.
	var data, before, after string
	err := h.s.DB.QueryRow(t.Context(), `SELECT data, prechange, postchange FROM extras_objectchange
		WHERE object_type = 'dcim.device' AND object_id = $1 AND action = 'update' LIMIT 1`, device).Scan(&data, &before, &after)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"prechange of a webhook": before, "postchange of a webhook": after} {
		alone(what, decoded(t, text))
	}
	record := decoded(t, data)
	want(t, "the role by its other name, for a webhook", fmt.Sprint(record["role"]), fmt.Sprint(record["device_role"]))
}

// decoded returns a JSON object.
func decoded(t *testing.T, text string) (object obj) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
