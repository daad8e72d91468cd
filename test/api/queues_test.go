package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestQueuesOfManyWebhooks: webhooks beyond the first page have a queue too.
func TestQueuesOfManyWebhooks(t *testing.T) {
	t.Parallel()
	const many = 1001
	s := apitest.New(t)
	admin := adminOf(s)
	hooks := make([]obj, many)
	for i := range hooks {
		hooks[i] = hook(fmt.Sprintf("hook %04d", i))
	}
	admin.do(t, "POST", webhooks, hooks).Want(t, http.StatusCreated)
	if got := admin.page(t, queues+"?limit=1000&offset=1000"); got.Count != many || len(got.Results) != 1 ||
		got.Results[0]["webhook"].(obj)["name"] != "hook 1000" {
		t.Errorf("%d queues, and the last are %v", got.Count, got.Results)
	}
	if listed, err := s.App.Webhooks(t.Context()); err != nil || len(listed) != many {
		t.Errorf("the command line lists %d: %v", len(listed), err)
	}
}
