package database_test

import (
	"os"
	"testing"
)

// drill marks a test that rehearses what operators do once a year. It takes long, so `make drills` runs it and CI does not.
func drill(t *testing.T) {
	t.Helper()
	if os.Getenv("TERRIER_DRILLS") == "" {
		t.Skip("a drill: make drills")
	}
	t.Parallel()
}
