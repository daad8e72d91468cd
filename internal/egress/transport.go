package egress

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
	"time"
)

const (
	maxHeader      = 64 << 10
	keptPerHost    = 256
	keptForAll     = 1024
	keptFor        = 30 * time.Second // shorter than firewalls remember, so that a kept connection is rarely dead
	maxPrivatePool = 128
)

// pool is the connections that share one way of verifying certificates, and one identity.
type pool struct {
	kept   *http.Transport
	single *http.Transport // a new connection for each request
	used   uint64          // in pools: when it was last used
}

func (p *pool) close() {
	p.kept.CloseIdleConnections()
	p.single.CloseIdleConnections()
}

// newPool returns connections that trust roots, nil meaning the system's, and present an identity, if there is one.
//
// HTTP/2 is off: a receiver could keep its connection busy with pings, settings and resets, all sends to a host would
// share that one connection, and a webhook is a small request for which HTTP/1.1 over kept connections is as fast.
func (c *Client) newPool(roots *x509.CertPool, blind bool, identity *Identity) *pool {
	var http1 http.Protocols
	http1.SetHTTP1(true)
	config := tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		InsecureSkipVerify: blind, // only for webhooks whose owner switched verification off

		GetClientCertificate: identity.present,
	}
	transport := func(single bool) *http.Transport {
		return &http.Transport{
			Proxy:                  nil, // a proxy from the environment would dial for us and bypass the policy
			DialContext:            c.dialer.DialContext,
			TLSClientConfig:        config.Clone(),
			TLSHandshakeTimeout:    maxTimeout,
			Protocols:              &http1,
			DisableCompression:     true, // read decompresses answers that are compressed anyway
			DisableKeepAlives:      single,
			MaxIdleConns:           keptForAll,
			MaxIdleConnsPerHost:    keptPerHost,
			IdleConnTimeout:        keptFor,
			MaxResponseHeaderBytes: maxHeader, // of all 1xx answers and the final one together
		}
	}
	return &pool{kept: transport(false), single: transport(true)}
}

// poolFor returns the pool for the way in which a request verifies its receiver's certificate, and for its identity: a
// connection is what the receiver knows us by, so it is never used with another.
func (c *Client) poolFor(r Request) (*pool, error) {
	key := poolKey{trust: systemRoots}
	if r.Identity != nil {
		key.identity = r.Identity.hash
	}
	var content []byte
	switch {
	case r.InsecureSkipVerify:
		key.trust = anybody
	case r.CAFile != "":
		var err error
		if content, err = c.readCA(r.CAFile); err != nil {
			return nil, err
		}
		key.trust, key.authority = fileRoots, sha256.Sum256(content)
	}
	switch key {
	case poolKey{trust: systemRoots}:
		return c.verified, nil
	case poolKey{trust: anybody}:
		return c.blind, nil
	}
	return c.private.find(key, func() (*pool, error) {
		if key.trust != fileRoots {
			return c.newPool(nil, key.trust == anybody, r.Identity), nil
		}
		roots, err := parseCA(content)
		if err != nil {
			return nil, err
		}
		return c.newPool(roots, false, r.Identity), nil
	})
}

// trust is who may have signed the receiver's certificate.
type trust int

const (
	systemRoots trust = iota // an authority that the machine trusts
	fileRoots                // one in a CA file
	anybody
)

// poolKey is what the connections of a pool have in common. It has the content of a CA file, so that a changed file is
// noticed and gets new connections.
type poolKey struct {
	trust     trust
	authority [sha256.Size]byte
	identity  [sha256.Size]byte
}

// pools keeps the pools with a CA file or an identity.
type pools struct {
	mu    sync.Mutex
	clock uint64 // counts uses
	byKey map[poolKey]*pool
}

func (p *pools) find(key poolKey, build func() (*pool, error)) (*pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	found := p.byKey[key]
	if found == nil {
		var err error
		if found, err = build(); err != nil {
			return nil, err
		}
		if p.byKey == nil {
			p.byKey = map[poolKey]*pool{}
		}
		if len(p.byKey) >= maxPrivatePool {
			p.dropOldest()
		}
		p.byKey[key] = found
	}
	found.used = p.clock
	return found, nil
}

// dropOldest forgets the pool that was unused for the longest time. Its requests end normally; their connections are
// then closed.
func (p *pools) dropOldest() {
	var least poolKey
	var oldest *pool
	for key, candidate := range p.byKey {
		if oldest == nil || candidate.used < oldest.used {
			least, oldest = key, candidate
		}
	}
	delete(p.byKey, least)
	oldest.close()
}

func (p *pools) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range p.byKey {
		pool.close()
	}
}
