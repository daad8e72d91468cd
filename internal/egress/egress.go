// Package egress owns the guarded HTTP client through which webhooks are sent.
//
// Whoever may write a webhook chooses where the worker connects to, so the client trusts
// neither the URL nor the receiver: the address really dialled must be one that the policy
// allows, redirects are returned and never followed, a CA file is read only from
// directories of authorities, and one deadline and a few caps bound what a receiver can cost.
// What to send, and whether an answer means success, is decided by delivery.
package egress

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	maxTimeout     = 30 * time.Second
	defaultMaxBody = 64 << 10
)

// Config is what a Client is made of. Its zero value is a working client for public
// addresses.
type Config struct {
	Policy    Policy
	CADir     string        // where CA files are; empty: in the well-known directories of authorities
	Timeout   time.Duration // one deadline over DNS, connect, TLS, headers and body; default 10 s, at most 30 s
	MaxBody   int64         // bytes of an answer that are kept, after decompression; default 64 KiB
	UserAgent string        // for requests that name none; default "Terrier"
	Resolver  *net.Resolver // nil: the system's
}

// Client sends requests. It is safe for concurrent use and should be shared, because it
// keeps connections.
type Client struct {
	config   Config
	caPlaces caPlaces
	dialer   *net.Dialer
	verified *pool // trusts the system's roots
	blind    *pool // without verification
	private  pools // trust the roots of a CA file, or have a client certificate
}

// New makes a Client.
func New(config Config) *Client {
	if config.MaxBody <= 0 {
		config.MaxBody = defaultMaxBody
	}
	if config.UserAgent == "" {
		config.UserAgent = "Terrier"
	}
	if config.Timeout <= 0 {
		config.Timeout = defaultTimeout
	}
	c := &Client{config: config, caPlaces: wellKnown()}
	if config.CADir != "" {
		c.caPlaces = caPlaces{dirs: []string{config.CADir}}
	}
	c.dialer = &net.Dialer{
		// net/http continues to dial after its request has ended, so that a later request finds the connection. This bounds
		// such a dial too.
		Timeout:        maxTimeout,
		Resolver:       config.Resolver,
		ControlContext: config.Policy.control,
	}
	c.verified = c.newPool(nil, false, nil)
	c.blind = c.newPool(nil, true, nil)
	return c
}

// CloseIdle closes the connections that are kept for later and ends dials that nobody
// waits for.
func (c *Client) CloseIdle() {
	c.verified.close()
	c.blind.close()
	c.private.close()
}

// Request is one request to send. Host, Content-Length and Transfer-Encoding follow from
// the other fields; Connection, Upgrade and Expect are not sent even if Header has them.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte

	InsecureSkipVerify bool          // CAFile is then ignored
	CAFile             string        // https trusts only its certificates
	Identity           *Identity     // presented to receivers that ask for a client certificate; nil for none
	Timeout            time.Duration // 0: the Config's; at most 30 s
}

// Response is what came back.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte // decompressed
	Truncated bool   // the body went on beyond the cap
	Duration  time.Duration
	Remote    netip.AddrPort // the address really dialled
	SentAt    time.Time      // when there was a connection and the request was begun to be written; zero if there was none
}

// Send sends a request once and returns the answer, whatever its status. The error is an *Error; the Response beside
// it has what was known when it happened.
//
// A request is repeated only if a kept connection was closed before the first byte of an answer: the receiver closed
// an idle connection just as it was used. The second try has a new connection, so there is never a third.
func (c *Client) Send(ctx context.Context, r Request) (Response, error) {
	start := time.Now()
	var answer Response
	err := c.send(ctx, r, start, &answer)
	answer.Duration = time.Since(start)
	return answer, err
}

func (c *Client) send(ctx context.Context, r Request, start time.Time, answer *Response) error {
	target, err := parseURL(r.URL)
	if err != nil {
		return &Error{Invalid, err.Error(), nil}
	}
	r.URL = EncodeURL(r.URL)
	via := c.verified
	if target.Scheme == "https" {
		if via, err = c.poolFor(r); err != nil {
			return &Error{Invalid, err.Error(), nil}
		}
	}
	ctx, cancel := context.WithDeadline(ctx, start.Add(c.timeout(r)))
	defer cancel()

	var used connection
	ctx = httptrace.WithClientTrace(context.WithValue(ctx, connectionKey{}, &used), used.trace())
	resp, err := c.try(ctx, via.kept, r)
	if err != nil && used.wentAway() && ctx.Err() == nil {
		resp, err = c.try(ctx, via.single, r)
	}
	answer.Remote, answer.SentAt = used.remote, used.since
	if err != nil {
		refused := explain(ctx, err, start, used.remote, noAnswer)
		if used.asked.Load() {
			refused = refused.afterIdentity(r.Identity)
		}
		return refused
	}
	defer func() { _ = resp.Body.Close() }() // only what was read matters
	answer.Status, answer.Header = resp.StatusCode, resp.Header
	answer.Body, answer.Truncated, err = c.read(resp)
	if err != nil {
		return explain(ctx, err, start, used.remote, partAnswer)
	}
	return nil
}

// Timeout returns how long a request may take that has no timeout of its own.
func (c *Client) Timeout() time.Duration { return c.timeout(Request{}) }

func (c *Client) timeout(r Request) time.Duration {
	if r.Timeout > 0 {
		return min(r.Timeout, maxTimeout)
	}
	return min(c.config.Timeout, maxTimeout)
}

// try makes one round trip. It bypasses http.Client, which would add redirects, cookies and, to every error, the URL.
func (c *Client) try(ctx context.Context, via *http.Transport, r Request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Connection", "Upgrade", "Expect": // these are about the connection, which is ours
		default:
			req.Header[name] = values
		}
	}
	if _, named := req.Header["User-Agent"]; !named {
		req.Header["User-Agent"] = []string{c.config.UserAgent}
	}
	resp, err := via.RoundTrip(req)
	if err == nil && resp.StatusCode < 100 { // net/http accepts 000 as a status; ours means no answer
		_ = resp.Body.Close() // its content is not needed
		return nil, errors.New("the status is below 100")
	}
	return resp, err
}

// connection is what is known about the connection that carries a request.
type connection struct {
	remote   netip.AddrPort
	since    time.Time
	reused   bool
	answered atomic.Bool // set by the transport's goroutine
	asked    atomic.Bool // the receiver asked for a client certificate when it was made
}

// connectionKey is the key of the connection in the context of a request, for its handshake.
type connectionKey struct{}

func (u *connection) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			u.reused, u.since = info.Reused, time.Now()
			if addr, ok := info.Conn.RemoteAddr().(*net.TCPAddr); ok {
				to := addr.AddrPort()
				u.remote = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
			}
		},
		GotFirstResponseByte: func() { u.answered.Store(true) },
	}
}

func (u *connection) wentAway() bool { return u.reused && !u.answered.Load() }
