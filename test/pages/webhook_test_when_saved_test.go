package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestTestWhenSaved: a new webhook gets a test if its author asks for one, and the author sees its delivery. A test that
// can't be sent leaves the webhook as it is.
func TestTestWhenSaved(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	tests := func() int64 {
		return number(t, s, "SELECT count(*) FROM extras_delivery WHERE object_type LIKE 'test.%'")
	}
	if form := text(b.get(t, hooks+"add/")); !strings.Contains(form, `name="test_when_saved" value="true">`) {
		t.Error("the form of a new webhook does not offer a test, or has it selected")
	}
	b.post(t, hooks+"add/", hookForm("name", "quiet")).Want(t, http.StatusSeeOther)
	if n := tests(); n != 0 {
		t.Errorf("%d tests that nobody asked for", n)
	}
	to := b.post(t, hooks+"add/", hookForm("name", "tested", "test_when_saved", "true")).Want(t, http.StatusSeeOther).Header.Get("Location")
	if n := tests(); n != 1 || !strings.HasPrefix(to, "/extras/deliveries/") {
		t.Errorf("%d tests, and the author is led to %s", n, to)
	}
	refused := hookForm("name", "refused", "test_when_saved", "true", "payload_url", "nowhere")
	form := text(b.post(t, hooks+"add/", refused).Want(t, http.StatusBadRequest))
	if !strings.Contains(form, `name="test_when_saved" value="true" checked>`) {
		t.Error("a refused form forgets that a test was asked for")
	}
	off := hookForm("name", "off", "test_when_saved", "true")
	off.Del("enabled")
	to = b.post(t, hooks+"add/", off).Want(t, http.StatusSeeOther).Header.Get("Location")
	made := number(t, s, "SELECT count(*) FROM extras_webhook WHERE name = 'off'")
	if made != 1 || tests() != 1 || !strings.HasPrefix(to, hooks) {
		t.Errorf("a disabled webhook: %d made, %d tests, led to %s", made, tests(), to)
	}
	if form := text(b.get(t, to+"edit/")); strings.Contains(form, "test_when_saved") {
		t.Error("the form of an existing webhook offers it too")
	}
	_, _ = s.User(t, "adder", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view", "add"}})
	if form := text(login(t, s, "adder").get(t, hooks+"add/")); strings.Contains(form, "test_when_saved") {
		t.Error("it is offered to somebody who may not send a test")
	}
}
