package account

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"terrier/internal/fault"
)

func TestPasswordsHashAndVerify(t *testing.T) {
	p, ctx := NewPasswords(), context.Background()
	hash, err := p.Hash(ctx, "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash %q, error %v", hash, err)
	}
	for plain, want := range map[string]bool{"correct horse": true, "correct horsE": false, "": false} {
		if same, err := p.Verify(ctx, home, plain, hash); err != nil || same != want {
			t.Errorf("Verify(%q) = %v, %v", plain, same, err)
		}
	}
	if _, err := p.Verify(ctx, home, "x", "no hash"); err == nil {
		t.Error("a broken hash is no error")
	}
}

// The dummy must cost what a real hash costs, so it must carry the same parameters.
func TestDummyHashCostsTheSame(t *testing.T) {
	params, _, _, err := argon2id.DecodeHash(NewPasswords().dummy)
	if err != nil || *params != hashParams {
		t.Errorf("parameters %+v, error %v", params, err)
	}
	if err := NewPasswords().VerifyDummy(context.Background(), home, "x"); err != nil {
		t.Error(err)
	}
}

// Half of the cores hash, at least one; a bounded number waits, of one address half of it, and the next is refused.
func TestPasswordsQueue(t *testing.T) {
	for cores, atOnce := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2, 9: 4} {
		t.Run(fmt.Sprint(cores, " cores"), func(t *testing.T) { testPasswordsQueue(t, cores, atOnce) })
	}
}

func testPasswordsQueue(t *testing.T, cores, atOnce int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	synctest.Test(t, func(t *testing.T) {
		p, release := NewPasswords(), make(chan struct{})
		var running, most atomic.Int64
		p.hash = func(string, *argon2id.Params) (string, error) {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-release
			running.Add(-1)
			return "hash", nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var wg sync.WaitGroup
		var cancelled, hashed atomic.Int64
		hash := func(ctx context.Context) {
			switch _, err := p.Hash(ctx, "x"); {
			case fault.KindOf(err) == fault.Busy:
				cancelled.Add(1)
			case err == nil:
				hashed.Add(1)
			}
		}
		for range (atOnce+hashQueue+1)/2 - 1 {
			wg.Go(func() { hash(context.Background()) })
		}
		synctest.Wait()
		if leave, err := p.Enter(home); err != nil {
			t.Errorf("another address finds no place in half a queue: %v", err)
		} else {
			leave()
		}
		wg.Go(func() { hash(ctx) })
		synctest.Wait()

		_, err := p.Hash(context.Background(), "x")
		wantFault(t, err, fault.Throttled, "Request was throttled. Expected available in 1 seconds.")
		if e, _ := errors.AsType[*fault.Error](err); e.RetryAfter != time.Second {
			t.Errorf("retry after %v", e.RetryAfter)
		}

		cancel() // the one that waits with this context leaves the queue and makes room
		synctest.Wait()
		if cancelled.Load() != 1 {
			t.Fatal("a waiter outlived its context")
		}
		wg.Go(func() { hash(context.Background()) })
		close(release)
		wg.Wait()
		if hashed.Load() != int64((atOnce+hashQueue+1)/2) || most.Load() != int64(atOnce) {
			t.Errorf("%d hashed, at most %d at once", hashed.Load(), most.Load())
		}
		if p.queue.InUse() != 0 || p.slots.InUse() != 0 {
			t.Error("a turn was not given back")
		}
	})
}

// The list is searched by halving, so it must be sorted; entries shorter than the shortest password are useless.
func TestCommonPasswordsAreInOrder(t *testing.T) {
	words := strings.Fields(commonPasswords)
	if !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) || len(words) < 300 || len(words) > 1000 {
		t.Errorf("%d words, in order: %v", len(words), slices.IsSorted(words))
	}
	for _, word := range words {
		if word != strings.ToLower(word) || utf8.RuneCountInString(word) < minPassword {
			t.Errorf("%q is of no use", word)
		}
		if CheckPassword(strings.ToUpper(word[:1])+word[1:]) == "" {
			t.Errorf("%q passes with a capital", word)
		}
	}
}

func TestCheckPassword(t *testing.T) {
	for _, tc := range []struct {
		name, plain string
		good        bool
	}{
		{"8 characters", "12345687", true},
		{"7 characters", "1234567", false},
		{"empty", "", false},
		{"7 characters in 14 bytes", strings.Repeat("é", 7), false},
		{"128 bytes", strings.Repeat("x", 128), true},
		{"129 bytes", strings.Repeat("x", 129), false},
		{"65 characters in 130 bytes", strings.Repeat("é", 65), false},
		{"broken UTF-8", "12345678\xff", false},
		{"several words", "correct horse battery staple", true},
		{"a common one", "password1", false},
		{"a common one in capitals", "PassWord1", false},
		{"digits in a row", "12345678", false},
		{"keys in a row", "qwertyuiop", false},
		{"a season and a year", "Summer2025", false},
		{"a common one and more", "password1 and more", true},
	} {
		if msg := CheckPassword(tc.plain); (msg == "") != tc.good {
			t.Errorf("%s: %q", tc.name, msg)
		}
	}
}
