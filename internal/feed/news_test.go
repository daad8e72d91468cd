package feed

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// TestNews: whoever waits is woken by a later position, by the end of their time, and by the end of the server, and by nothing else.
func TestNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n News
		n.tell(5)
		if err := n.after(t.Context(), 4); err != nil {
			t.Errorf("there is a later position, but: %v", err)
		}
		woken := make(chan error, 1)
		wait := func(ctx context.Context) { go func() { woken <- n.after(ctx, 5) }(); synctest.Wait() }
		wait(t.Context())
		n.tell(5)
		n.tell(3)
		synctest.Wait()
		if len(woken) > 0 || !n.IsAwaited() {
			t.Error("an older position woke somebody")
		}
		n.tell(6)
		if err := <-woken; err != nil || n.IsAwaited() {
			t.Errorf("a later position: %v", err)
		}
		n.tell(5)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wait(short)
		if err := <-woken; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the end of the time: %v", err)
		}
		wait(t.Context())
		n.End()
		if err := <-woken; !errors.Is(err, errEnded) || n.IsAwaited() {
			t.Errorf("the end of the server: %v", err)
		}
		if err := n.after(t.Context(), 5); !errors.Is(err, errEnded) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestWaitingRoom: a caller, and all of them together, have so many waiting requests at most. Who leaves makes room.
func TestWaitingRoom(t *testing.T) {
	t.Parallel()
	var n News
	greedy, modest := access.Asker{User: 1}, access.Asker{User: 2}
	var leave func()
	for range waitingOfOne {
		var err error
		if leave, err = n.enter(greedy); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := n.enter(greedy); fault.KindOf(err) != fault.Throttled {
		t.Errorf("one more of the same caller: %v", err)
	}
	if _, err := n.enter(modest); err != nil {
		t.Errorf("another caller: %v", err)
	}
	leave()
	if _, err := n.enter(greedy); err != nil {
		t.Errorf("after one has left: %v", err)
	}
	for i := 0; n.all < waitingOfAll; i++ {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if _, err := n.enter(access.Asker{Address: netip.PrefixFrom(from, 32)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := n.enter(access.Asker{User: 3}); fault.KindOf(err) != fault.Busy {
		t.Errorf("one more than all: %v", err)
	}
}
