package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terrier/internal/fault"
)

// TestBusy: a caller who is delayed by others gets 503, with the time after which to try again.
func TestBusy(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	new(API).Fail(w, httptest.NewRequest(http.MethodGet, "/api/dcim/sites/", http.NoBody),
		&fault.Error{Kind: fault.Busy, RetryAfter: time.Second, Detail: "Try again."})
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "Try again") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
