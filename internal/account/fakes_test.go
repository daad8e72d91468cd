package account

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"terrier/internal/fault"
)

// The fakes below do what the interfaces promise, and no more.

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type fakeTokens struct {
	records  []*TokenRecord
	err      error // of LoadToken
	noteErr  error // of TouchToken and RehashToken
	loads    int
	touched  []time.Time
	rehashed [][]byte
}

func (f *fakeTokens) LoadToken(_ context.Context, digests [][]byte) (*TokenRecord, error) {
	f.loads++
	for _, r := range f.records {
		if slices.ContainsFunc(digests, func(d []byte) bool { return bytes.Equal(d, r.Digest) }) {
			return r, f.err
		}
	}
	return nil, f.err
}

func (f *fakeTokens) TouchToken(_ context.Context, _ int64, at time.Time) error {
	f.touched = append(f.touched, at)
	return f.noteErr
}

func (f *fakeTokens) RehashToken(_ context.Context, _ int64, digest []byte) error {
	f.rehashed = append(f.rehashed, digest)
	return f.noteErr
}

type fakeUsers struct {
	users []*UserRecord
	err   error
}

func (f *fakeUsers) LoadUserByName(_ context.Context, username string) (*UserRecord, error) {
	return f.find(func(u *UserRecord) bool { return u.Username == username })
}

func (f *fakeUsers) LoadUser(_ context.Context, id int64) (*UserRecord, error) {
	return f.find(func(u *UserRecord) bool { return u.ID == id })
}

func (f *fakeUsers) find(is func(*UserRecord) bool) (*UserRecord, error) {
	if i := slices.IndexFunc(f.users, is); i >= 0 && f.err == nil {
		u := *f.users[i]
		return &u, nil
	}
	return nil, f.err
}

// countingPasswords replaces the costly hash by a plain text behind a prefix and counts.
func countingPasswords() (*Passwords, *atomic.Int64) {
	p, n := NewPasswords(), new(atomic.Int64)
	p.hash = func(plain string, _ *argon2id.Params) (string, error) {
		n.Add(1)
		return "plain:" + plain, nil
	}
	p.compare = func(plain, hash string) (bool, error) {
		n.Add(1)
		return hash == "plain:"+plain, nil
	}
	return p, n
}

func testRing(t *testing.T) *Keyring {
	t.Helper()
	ring, err := NewKeyring(secretA, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func testLog() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

// wantFault checks the kind and the text of a refusal; no text means no error.
func wantFault(t *testing.T, err error, kind fault.Kind, detail string) {
	t.Helper()
	if detail == "" {
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return
	}
	if err == nil || err.Error() != detail || fault.KindOf(err) != kind {
		t.Fatalf("got error %v of kind %v, want %q of kind %v", err, fault.KindOf(err), detail, kind)
	}
}

// testKeys is a keyring for tests that don't look at keys.
var testKeys = func() *Keyring {
	ring, err := NewKeyring(strings.Repeat("a key for tests ", 4), nil)
	if err != nil {
		panic(err)
	}
	return ring
}()
