package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestHasSecret: a script can check whether a webhook has a secret, and find those that have none. Nobody sees the secret: it stays null.
func TestHasSecret(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	without := apitest.ID(admin.do(t, "POST", webhooks, hook("without")).Want(t, http.StatusCreated).Object(t))
	with := apitest.ID(admin.do(t, "POST", webhooks, hook("with", "secret", "c4n4ry")).Want(t, http.StatusCreated).Object(t))
	for id, want := range map[int64]bool{without: false, with: true} {
		shown := admin.do(t, "GET", at(webhooks, id), nil).Want(t, http.StatusOK).Object(t)
		if secret, named := shown["secret"]; shown["has_secret"] != want || !named || secret != nil {
			t.Errorf("webhook %d: has_secret %v, secret %v (named: %v)", id, shown["has_secret"], secret, named)
		}
		list := admin.do(t, "GET", fmt.Sprintf("%s?has_secret=%v", webhooks, want), nil).Want(t, http.StatusOK).Page(t)
		if list.Count != 1 || apitest.ID(list.Results[0]) != id {
			t.Errorf("has_secret=%v lists %v", want, list.Results)
		}
	}
	if got := admin.do(t, "PATCH", at(webhooks, with), obj{"secret": ""}).Want(t, http.StatusOK).Object(t); got["has_secret"] != false {
		t.Errorf("cleared, and has_secret is %v", got["has_secret"])
	}
}
