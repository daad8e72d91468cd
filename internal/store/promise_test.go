package store

import "testing"

// TestPromiseReadTooEarly holds that nobody can take the answer of a statement that was not sent for an empty one.
func TestPromiseReadTooEarly(t *testing.T) {
	if n := Answered(7).Get(); n != 7 {
		t.Errorf("an answered promise is %d, want 7", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("an answer could be read that had not come")
		}
	}()
	(&Promise[[]int64]{}).Get()
}
