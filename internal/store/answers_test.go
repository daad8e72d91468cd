package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"terrier/internal/access"
)

// TestAnswersShareMemory: an answer that finds no memory is forgotten, and read again when there is some. A small one needs none, and
// one caller leaves half of it to others.
func TestAnswersShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Store{pools: pools{answers: newAnswerMemory()}}
		alice, bob := access.Asker{User: 1}, access.Asker{User: 2}
		read := func(by access.Asker, bytes int) (times *int, release func()) {
			times = new(int)
			_, release, err := Answer(t.Context(), s, by, func() (string, int, error) {
				*times++
				return "rows", bytes, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return times, release
		}
		_, first := read(alice, callerAnswers/2)
		_, second := read(alice, callerAnswers/2)
		third := make(chan int)
		go func() {
			times, release := read(alice, 1<<20)
			third <- *times
			release()
		}()
		synctest.Wait()
		if s.answers.any.Waiting() != 1 {
			t.Fatal("a third answer of one caller does not wait")
		}
		if times, release := read(bob, 1<<20); *times != 1 {
			t.Errorf("another caller's answer was read %d times", *times)
		} else {
			release()
		}
		if times, _ := read(alice, freeAnswer); *times != 1 {
			t.Errorf("a small answer was read %d times", *times)
		}
		first()
		if times := <-third; times != 2 {
			t.Errorf("an answer that waited was read %d times, want 2", times)
		}
		second()
		synctest.Wait()
		if held := s.answers.any.InUse(); held != 0 {
			t.Errorf("%d bytes are still held", held)
		}
	})
}

// TestAnswersThatFailHoldNothing: neither if they can't be read again, nor if their caller does not wait.
func TestAnswersThatFailHoldNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Store{pools: pools{answers: newAnswerMemory()}}
		full, err := s.HoldAnswer(t.Context(), access.Asker{User: 1}, callerAnswers)
		if err != nil {
			t.Fatal(err)
		}
		failed, times := errors.New("gone"), 0
		ended := make(chan error)
		go func() {
			_, _, err := Answer(t.Context(), s, access.Asker{User: 1}, func() (int, int, error) {
				if times++; times > 1 {
					return 0, 0, failed
				}
				return 0, 1 << 20, nil
			})
			ended <- err
		}()
		synctest.Wait()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		large := func() (int, int, error) { return 0, 1 << 20, nil }
		if _, _, err := Answer(gone, s, access.Asker{User: 1}, large); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who is gone: %v", err)
		}
		full()
		if err := <-ended; !errors.Is(err, failed) {
			t.Errorf("an answer that can't be read again: %v", err)
		}
		if held := s.answers.any.InUse(); held != 0 {
			t.Errorf("%d bytes are still held", held)
		}
	})
}

// TestLargeAnswersTakeTurns: those of one caller one by one, and two of all callers.
func TestLargeAnswersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pools{answers: newAnswerMemory()}
		hold := func(user int64) chan func() {
			got := make(chan func(), 1)
			go func() {
				release, err := p.HoldLarge(t.Context(), access.Asker{User: user})
				if err != nil {
					t.Error(err)
				}
				got <- release
			}()
			synctest.Wait()
			return got
		}
		alice, again, bob, carol := hold(1), hold(1), hold(2), hold(3)
		if len(alice) != 1 || len(again) != 0 || len(bob) != 1 || len(carol) != 0 {
			t.Fatalf("in are %d %d %d %d", len(alice), len(again), len(bob), len(carol))
		}
		(<-bob)()
		synctest.Wait()
		if len(carol) != 1 || len(again) != 0 {
			t.Fatalf("after the second: the one who waited %d, the first caller again %d", len(carol), len(again))
		}
		(<-alice)()
		(<-carol)()
		(<-again)()
		if held := p.answers.large.InUse(); held != 0 {
			t.Errorf("%d are still held", held)
		}
	})
}
