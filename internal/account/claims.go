package account

import (
	"net/netip"
	"sync"
	"time"

	"terrier/internal/access"
)

// claims remembers tokens that were just looked up. It decides nothing: whoever uses a claim must prove that the
// accounts have not changed since (store.Claim), and every refusal comes from a fresh lookup.
type claims struct {
	mu       sync.Mutex
	byDigest map[string]claim
}

type claim struct {
	token *TokenRecord
	at    time.Time
}

// maxClaims bounds the memory; more tokens than this are rarely in use at once.
const maxClaims = 10_000

func (c *claims) keep(token *TokenRecord, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byDigest == nil || len(c.byDigest) >= maxClaims {
		c.byDigest = map[string]claim{}
	}
	c.byDigest[string(token.Digest)] = claim{token, at}
}

func (c *claims) forget(digests [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range digests {
		delete(c.byDigest, string(d))
	}
}

func (c *claims) find(digest []byte) (claim, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byDigest[string(digest)]
	return found, ok
}

// Claim returns who the caller with this key was a moment ago. A
// claim is valid for as long as a use of the token need not be recorded.
func (a *Authenticator) Claim(key string, from netip.Addr) (subject *access.Subject, ok bool) {
	if !wellFormed(key) {
		return nil, false
	}
	found, ok := a.claims.find(a.Keys.TokenDigest(key))
	now := a.Now()
	if !ok || now.Sub(found.at) >= TouchInterval {
		return nil, false
	}
	if _, err := found.token.refuse(from, now); err != nil {
		return nil, false
	}
	return found.token.subject(), true
}
