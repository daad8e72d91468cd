package delivery

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBackoff: the wait doubles, has jitter of at most a half, and ends at two days.
func TestBackoff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tries := rapid.Int64Range(0, 100).Draw(t, "tries")
		whole := lastRetry
		if tries < 15 {
			whole = min(lastRetry, firstRetry<<tries)
		}
		if got := backoff(firstRetry, tries); got < whole/2 || got > whole {
			t.Fatalf("after %d tries: %s, not within %s and %s", tries, got, whole/2, whole)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for given, want := range map[string]time.Duration{
		"":                              0,
		"soon":                          0,
		"7":                             7 * time.Second,
		"0":                             time.Second,
		"-5":                            time.Second,
		"5.5":                           0,
		"5s":                            0,
		"007":                           7 * time.Second,
		"86400":                         24 * time.Hour,
		"86401":                         24 * time.Hour,
		"99999999999":                   24 * time.Hour,
		"99999999999999999999999":       24 * time.Hour,
		"-99999999999999999999999":      time.Second,
		"Sun, 15 Nov 2026 12:00:30 GMT": 30 * time.Second,
		"Sun, 15 Nov 2026 11:00:00 GMT": time.Second,
		"Sun, 15 Nov 2099 12:00:00 GMT": 24 * time.Hour,
	} {
		if got, ok := retryAfter(http.Header{"Retry-After": {given}}, now); got != want || ok != (want != 0) {
			t.Errorf("%q: %s %v, want %s", given, got, ok, want)
		}
	}
	// The receiver's clock may be wrong, and so may ours.
	given := http.Header{"Date": {now.Add(time.Hour).Format(http.TimeFormat)},
		"Retry-After": {now.Add(time.Hour + time.Minute).Format(http.TimeFormat)}}
	if got, ok := retryAfter(given, now); got != time.Minute || !ok {
		t.Errorf("in a minute by its own clock: %v, %v", got, ok)
	}
}
