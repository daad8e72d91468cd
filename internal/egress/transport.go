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
	maxPrivatePool = 64
)

// pool is the connections that share one way of verifying certificates.
type pool struct {
	kept   *http.Transport
	single *http.Transport // a new connection for each request
	used   uint64          // in pools: when it was last used
}

func (p *pool) close() {
	p.kept.CloseIdleConnections()
	p.single.CloseIdleConnections()
}

// newPool returns connections that trust roots, nil meaning the system's.
//
// HTTP/2 is off: a receiver could keep its connection busy with pings, settings and resets, all sends to a host would
// share that one connection, and a webhook is a small request for which HTTP/1.1 over kept connections is as fast.
func (c *Client) newPool(roots *x509.CertPool, blind bool) *pool {
	var http1 http.Protocols
	http1.SetHTTP1(true)
	config := tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		InsecureSkipVerify: blind, // only for webhooks whose owner switched verification off
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

// poolFor returns the pool for the way in which a request verifies its receiver's certificate.
func (c *Client) poolFor(r Request) (*pool, error) {
	switch {
	case r.InsecureSkipVerify:
		return c.blind, nil
	case r.CAFile == "":
		return c.verified, nil
	}
	content, err := c.readCA(r.CAFile)
	if err != nil {
		return nil, err
	}
	return c.private.find(content, func(roots *x509.CertPool) *pool { return c.newPool(roots, false) })
}

// pools keeps a pool for each content of a CA file, so that a changed file is noticed and gets new connections.
type pools struct {
	mu     sync.Mutex
	clock  uint64 // counts uses
	byHash map[[sha256.Size]byte]*pool
}

func (p *pools) find(content []byte, build func(*x509.CertPool) *pool) (*pool, error) {
	hash := sha256.Sum256(content)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	found := p.byHash[hash]
	if found == nil {
		roots, err := parseCA(content)
		if err != nil {
			return nil, err
		}
		if p.byHash == nil {
			p.byHash = map[[sha256.Size]byte]*pool{}
		}
		if len(p.byHash) >= maxPrivatePool {
			p.dropOldest()
		}
		found = build(roots)
		p.byHash[hash] = found
	}
	found.used = p.clock
	return found, nil
}

// dropOldest forgets the pool that was unused for the longest time. Its requests end normally; their connections are
// then closed.
func (p *pools) dropOldest() {
	var hash [sha256.Size]byte
	var oldest *pool
	for h, candidate := range p.byHash {
		if oldest == nil || candidate.used < oldest.used {
			hash, oldest = h, candidate
		}
	}
	delete(p.byHash, hash)
	oldest.close()
}

func (p *pools) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range p.byHash {
		pool.close()
	}
}
