package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/internal/store"
	"terrier/test/apitest"
)

// TestReplayPageWhileRetentionWorks: the page says why it has to wait, beside the filled-in form.
func TestReplayPageWhileRetentionWorks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "before", "active")
	path := fmt.Sprintf("%s%d/replay/", hooks, create(t, s, "/api/extras/webhooks/", saved(nil)))
	other, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Rollback(context.Background()) }) // the pool is not closed before
	for _, sql := range []string{
		"CREATE TABLE extras_objectchange_old PARTITION OF extras_objectchange FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')",
		"UPDATE extras_objectchange SET changed_at = '2020-01-07' WHERE object_type = 'dcim.site'",
	} {
		if _, err := s.DB.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", store.RetentionLock); err != nil {
		t.Fatal(err)
	}
	shows(t, b.get(t, path+"?count=true").Want(t, http.StatusOK), "1 change matches")
	a := b.post(t, path, url.Values{"type": {"dcim.site"}}).Want(t, http.StatusServiceUnavailable)
	shows(t, a, "past their retention are being removed", "Try again in a few minutes", `<option value="dcim.site" selected>`)
	hides(t, a, "Narrow")
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.post(t, path, url.Values{"type": {"dcim.site"}}).Want(t, http.StatusSeeOther)
}
