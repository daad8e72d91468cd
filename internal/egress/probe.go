package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Target is an address at which a receiver may be reached, and the policy's refusal to dial it, nil where it allows it.
type Target struct {
	Addr    netip.AddrPort
	Refused error
}

// Resolve looks up the host of a URL, without connecting to it.
func (c *Client) Resolve(ctx context.Context, rawURL string) ([]Target, error) {
	host, port, err := hostPort(rawURL)
	if err != nil {
		return nil, &Error{Invalid, err.Error(), nil}
	}
	start := time.Now()
	resolver := c.config.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, explain(ctx, err, start, netip.AddrPort{}, noAnswer)
	}
	return c.targets(ctx, addrs, port), nil
}

// targets asks the policy about each address of a host.
func (c *Client) targets(ctx context.Context, addrs []netip.Addr, port uint16) []Target {
	targets := make([]Target, len(addrs))
	for i, addr := range addrs {
		to := netip.AddrPortFrom(addr.Unmap(), port)
		targets[i] = Target{to, c.config.Policy.Allows(ctx, to)}
	}
	return targets
}

// Forbids returns why the policy forbids every address of a URL's host, nil if it allows one or that is not known. A name is looked up for
// at most so long; with 0 only localhost is known.
func (c *Client) Forbids(ctx context.Context, rawURL string, lookUp time.Duration) error {
	host, port, err := hostPort(rawURL)
	if err != nil {
		return nil // that is said elsewhere
	}
	ctx, cancel := context.WithTimeout(ctx, max(lookUp, time.Second)) // an address needs no time
	defer cancel()
	var targets []Target
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil:
		targets = c.targets(ctx, []netip.Addr{addr}, port)
	case lookUp > 0:
		if targets, err = c.Resolve(ctx, rawURL); err != nil {
			return nil // it may be known later
		}
	case isLocalhost(host):
		targets = c.targets(ctx, localhost, port)
	}
	if len(targets) == 0 || slices.ContainsFunc(targets, func(t Target) bool { return t.Refused == nil }) {
		return nil
	}
	return targets[0].Refused
}

// demandWait is how long a receiver may take to refuse us because there is no client certificate. With TLS 1.3 it does so after the
// handshake.
const demandWait = 500 * time.Millisecond

// Handshake connects to the receiver of a request as Send would, agrees on TLS with it, and sends nothing. It returns
// when its certificate expires, or one of those that it was verified with, if that is earlier. It presents no identity. If
// the receiver asks for one, its own certificate was verified by then: for a webhook that has an identity the handshake ends there, and
// for any other it goes on without, and fails if the receiver demands one.
func (c *Client) Handshake(ctx context.Context, r Request, hasIdentity bool) (expires time.Time, err error) {
	host, port, err := hostPort(r.URL)
	if err != nil {
		return expires, &Error{Invalid, err.Error(), nil}
	}
	via, err := c.poolFor(r)
	if err != nil {
		return expires, &Error{Invalid, err.Error(), nil}
	}
	start := time.Now()
	ctx, cancel := context.WithDeadline(ctx, start.Add(c.timeout(r)))
	defer cancel()
	conn, err := c.dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return expires, explain(ctx, err, start, netip.AddrPort{}, noAnswer)
	}
	defer func() { _ = conn.Close() }() // nothing was sent
	config := via.kept.TLSClientConfig.Clone()
	config.ServerName = host
	asked := false
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		asked = true
		if hasIdentity {
			return nil, errors.New("there is nothing more to learn")
		}
		return &tls.Certificate{}, nil
	}
	secure := tls.Client(conn, config)
	err = secure.HandshakeContext(ctx)
	switch {
	case asked && hasIdentity:
	case asked && (isAlert(err) || err == nil && isRefused(secure)):
		return expires, &Error{Untrusted, demandsCertificate, err}
	case err != nil:
		return expires, explain(ctx, err, start, netip.AddrPort{}, noAnswer)
	}
	state := secure.ConnectionState()
	chain := state.PeerCertificates[:1] // a receiver may send more than is needed
	if len(state.VerifiedChains) > 0 {
		chain = state.VerifiedChains[0]
	}
	first := slices.MinFunc(chain, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	return first.NotAfter, nil
}

// isAlert reports whether an error is the receiver's refusal of TLS.
func isAlert(err error) bool {
	alert, ok := errors.AsType[*net.OpError](err)
	return ok && alert.Op == "remote error"
}

// isRefused reports whether a receiver refuses a connection soon after the handshake.
func isRefused(conn *tls.Conn) bool {
	if conn.SetReadDeadline(time.Now().Add(demandWait)) != nil {
		return false
	}
	_, err := conn.Read(make([]byte, 1))
	return isAlert(err)
}

// hostPort returns where a URL leads.
func hostPort(rawURL string) (host string, port uint16, err error) {
	target, err := parseURL(rawURL)
	if err != nil {
		return "", 0, err
	}
	port = map[string]uint16{"http": 80, "https": 443}[target.Scheme]
	if given, err := strconv.ParseUint(target.Port(), 10, 16); err == nil {
		port = uint16(given)
	}
	return target.Hostname(), port, nil
}
