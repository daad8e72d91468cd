package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestDeletePageBesideAnotherChange: if somebody else is changing the record, the page says to try again, and when.
func TestDeletePageBesideAnotherChange(t *testing.T) {
	s := apitest.New(t)
	b := login(t, s, "admin")
	path := fmt.Sprintf("/dcim/sites/%d/delete/", newSite(t, s, "a", "active"))
	other, err := s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Rollback(context.Background()) })
	if _, err := other.Exec(t.Context(), "SELECT FROM dcim_site FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	a := b.get(t, path).Want(t, http.StatusServiceUnavailable)
	shows(t, a, "Busy at this moment", "Somebody else is changing these records", "try again")
	hides(t, a, "took too long", "Ask for less", "narrow the filter")
	if after := a.Header.Get("Retry-After"); after != "1" {
		t.Errorf("Retry-After is %q", after)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.get(t, path).Want(t, http.StatusOK)
}
