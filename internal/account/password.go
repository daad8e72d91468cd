package account

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"terrier/internal/fault"
	"terrier/internal/limit"
)

const (
	minPassword = 8   // characters
	maxPassword = 128 // bytes, so that a longer text can't cause more work

	hashQueue = 32 // bounds how long a login waits for earlier ones
)

// hashParams cost 19 MiB and two passes, the minimum that is recommended for argon2id with one lane.
var hashParams = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Passwords hashes passwords, few at a time.
type Passwords struct {
	dummy string
	queue *limit.Semaphore[netip.Addr] // all who hash or wait
	slots *limit.Semaphore[netip.Addr] // those who hash

	hash    func(plain string, params *argon2id.Params) (string, error)
	compare func(plain, hash string) (bool, error)
}

// NewPasswords returns a hasher. A process needs exactly one, because it limits the number of hashes at once. It uses
// at most half of the cores, so that a flood of logins leaves the others to requests.
func NewPasswords() *Passwords {
	atOnce := int64(max(1, runtime.GOMAXPROCS(0)/2))
	return &Passwords{
		dummy:   dummyHash(),
		queue:   limit.New[netip.Addr](limit.Budget{Name: "logins", Size: atOnce + hashQueue, Each: (atOnce + hashQueue + 1) / 2}),
		slots:   limit.New[netip.Addr](limit.Budget{Name: "hashing", Size: atOnce, Each: atOnce}),
		hash:    argon2id.CreateHash,
		compare: argon2id.ComparePasswordAndHash,
	}
}

// Hash hashes a password that CheckPassword has accepted.
func (p *Passwords) Hash(ctx context.Context, plain string) (hash string, err error) {
	var setting netip.Addr // all who set passwords count as one caller: the command line has no address
	leave, err := p.Enter(setting)
	if err != nil {
		return "", err
	}
	defer leave()
	err = p.inTurn(ctx, setting, func() (err error) {
		hash, err = p.hash(plain, &hashParams)
		return err
	})
	return hash, err
}

// Verify reports whether the password that an address sent is the one that was hashed. Call Enter first.
func (p *Passwords) Verify(ctx context.Context, from netip.Addr, plain, hash string) (same bool, err error) {
	err = p.inTurn(ctx, from, func() (err error) {
		same, err = p.compare(plain, hash)
		return err
	})
	return same, err
}

// VerifyDummy does the work of Verify where there is no hash, so that the response time does not reveal which users
// exist.
func (p *Passwords) VerifyDummy(ctx context.Context, from netip.Addr, plain string) error {
	_, err := p.Verify(ctx, from, plain, p.dummy)
	return err
}

// Queue returns how many passwords are being hashed or wait for it.
func (p *Passwords) Queue() int64 { return p.queue.InUse() }

// Enter takes a place in the queue and returns a function that gives it back. It refuses if the queue is full, or half of it taken by the
// same address.
func (p *Passwords) Enter(from netip.Addr) (leave func(), err error) {
	leave, ok := p.queue.TryAcquire(from, 1)
	if !ok {
		return nil, throttled(time.Second)
	}
	return leave, nil
}

var errBusyLogins = &fault.Error{Kind: fault.Busy, Detail: "Too many logins at once: try again.", RetryAfter: time.Second}

// inTurn does work when a core is free for it.
func (p *Passwords) inTurn(ctx context.Context, from netip.Addr, work func() error) error {
	done, err := p.slots.Acquire(ctx, from, 1)
	if err != nil {
		return errBusyLogins
	}
	defer done()
	if err := work(); err != nil {
		return fmt.Errorf("hash a password: %w", err)
	}
	return nil
}

// CheckPassword judges a new password. It returns what is wrong with it, or the empty string.
func CheckPassword(plain string) string {
	switch {
	case !utf8.ValidString(plain):
		return "A password must be valid UTF-8 text."
	case utf8.RuneCountInString(plain) < minPassword:
		return fmt.Sprintf("A password must have at least %d characters.", minPassword)
	case len(plain) > maxPassword:
		return fmt.Sprintf("A password must have at most %d bytes.", maxPassword)
	case isCommon(plain):
		return "This password is one of the most common ones, which are tried first. Choose another, such as several words."
	}
	return ""
}

//go:embed common_passwords.txt
var commonPasswords string

// isCommon reports whether a password, in any case, is in the list of the most common ones. The list is sorted, in
// lower case, one per line.
func isCommon(plain string) bool {
	_, found := slices.BinarySearch(strings.Fields(commonPasswords), strings.ToLower(plain))
	return found
}

// dummyHash has the form and the cost of a real hash. Its key is random, not computed, so no password is known to
// match and making it costs nothing.
func dummyHash() string {
	salt, key := make([]byte, hashParams.SaltLength), make([]byte, hashParams.KeyLength)
	_, _ = rand.Read(salt)
	_, _ = rand.Read(key)
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s",
		hashParams.Memory, hashParams.Iterations, hashParams.Parallelism,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// throttled is the refusal that says when to try again, in whole seconds as in Retry-After.
func throttled(after time.Duration) error {
	seconds := max(1, int64((after+time.Second-1)/time.Second))
	return &fault.Error{
		Kind:       fault.Throttled,
		Detail:     fmt.Sprintf("Request was throttled. Expected available in %d seconds.", seconds),
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}
