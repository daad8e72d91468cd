package feed

import (
	"net/netip"
	"testing"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// TestRoom: a caller, and all of them together, have so many waiting readers at most. Who leaves makes room.
func TestRoom(t *testing.T) {
	t.Parallel()
	r := New(nil)
	greedy, modest := access.Asker{User: 1}, access.Asker{User: 2}
	var leave func()
	for range waitingOfOne {
		var err error
		if leave, err = r.enter(greedy); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.enter(greedy); fault.KindOf(err) != fault.Throttled {
		t.Errorf("one more of the same caller: %v", err)
	}
	if _, err := r.enter(modest); err != nil {
		t.Errorf("another caller: %v", err)
	}
	leave()
	if _, err := r.enter(greedy); err != nil {
		t.Errorf("after one has left: %v", err)
	}
	for i := 0; r.waiting.InUse() < waitingOfAll; i++ {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if _, err := r.enter(access.Asker{Address: netip.PrefixFrom(from, 32)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.enter(access.Asker{User: 3}); fault.KindOf(err) != fault.Busy {
		t.Errorf("one more than all: %v", err)
	}
}
