package api_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestMessagesEndWithOneStop: a message that quotes another one ends with one full stop.
func TestMessagesEndWithOneStop(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	for what, a := range map[string]apitest.Answer{
		"the value of a constraint": admin.do(t, "POST", grants,
			obj{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"}, "constraints": obj{"id": "x"}}),
		"the key of a constraint": admin.do(t, "POST", grants,
			obj{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"}, "constraints": obj{"x": 1}}),
		"a regular expression": admin.do(t, "POST", defs, obj{"name": "f", "content_types": []string{"dcim.site"}, "validation_regex": "("}),
		"a header":             admin.do(t, "POST", webhooks, hook("w", "additional_headers", "X: {{ (")),
	} {
		if a.Want(t, http.StatusBadRequest); strings.Contains(string(a.Raw), `.."`) || !strings.Contains(string(a.Raw), `."`) {
			t.Errorf("%s: %s", what, a.Raw)
		}
	}
}

// TestHelpOfDefaults: the API accepts JSON and says so; the form accepts lines and says that.
func TestHelpOfDefaults(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	options := string(adminOf(s).do(t, "OPTIONS", defs, nil).Want(t, http.StatusOK).Raw)
	form := s.Do(t, apitest.Call{Method: "GET", Path: "/extras/custom-fields/add/",
		Header: map[string]string{"Accept": "text/html", "Cookie": s.Login(t, "admin")}}).Want(t, http.StatusOK)
	if strings.Contains(options, "line") || !strings.Contains(options, "none of their own, as JSON") ||
		!strings.Contains(string(form.Raw), "several choices one on each line") {
		t.Error("the help of a custom field's default is not that of its reader")
	}
}
