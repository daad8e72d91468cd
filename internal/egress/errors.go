package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// Kind says what went wrong, in a word for logs and metrics.
type Kind string

const (
	Invalid     Kind = "invalid"     // the request cannot be sent: its URL, a header or the CA file
	Denied      Kind = "denied"      // the policy refuses the address; the cause is a *Refused
	Unresolved  Kind = "unresolved"  // no address for the host
	Unreachable Kind = "unreachable" // no connection
	Untrusted   Kind = "untrusted"   // no TLS, or a certificate that is not good
	Timeout     Kind = "timeout"     // the deadline
	Broken      Kind = "broken"      // a connection that broke, or an answer that is no HTTP
	Cancelled   Kind = "cancelled"   // the caller's context
)

// Error is why there is no whole answer. Its text is for people: short, and without anything from the URL or the
// headers.
type Error struct {
	Kind  Kind
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// Unwrap returns the error of the network, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// How far a request came.
const (
	noAnswer   = "no answer"
	partAnswer = "no complete answer"
)

// explain turns an error of the network into what a person needs to know.
func explain(ctx context.Context, err error, start time.Time, remote netip.AddrPort, phase string) *Error {
	fail := func(kind Kind, format string, args ...any) *Error {
		return &Error{kind, fmt.Sprintf(format, args...), err}
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		return fail(Denied, "%s", refused)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		err = context.Canceled
		return fail(Cancelled, "the request was cancelled")
	}
	if timedOut(ctx, err) {
		deadline, _ := ctx.Deadline()
		return fail(Timeout, "%s within %s", phase, span(deadline.Sub(start)))
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return fail(Unresolved, "host not found")
		}
		return fail(Unresolved, "the host cannot be looked up: its name server fails")
	}
	if e := explainTLS(err); e != nil {
		return e
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		switch {
		case dial.Addr == nil:
			return fail(Unreachable, "the host cannot be reached")
		case errors.Is(err, syscall.ECONNREFUSED):
			return fail(Unreachable, "connection refused by %s", dial.Addr)
		}
		return fail(Unreachable, "%s cannot be reached", dial.Addr)
	}
	return explainHTTP(err, remote, phase)
}

func timedOut(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	if _, lookup := errors.AsType[*net.DNSError](err); lookup {
		return false // a name server has its own, shorter deadline
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

func explainTLS(err error) *Error {
	var (
		authority   x509.UnknownAuthorityError
		invalid     x509.CertificateInvalidError
		name        x509.HostnameError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       *net.OpError
		text        string
	)
	switch {
	case errors.As(err, &authority):
		text = "certificate signed by unknown authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		text = "certificate has expired or is not yet valid"
	case errors.As(err, &name):
		text = "certificate is not for this host"
	case isAlert(err) && errors.As(err, &alert):
		text = explainAlert(strings.TrimPrefix(alert.Err.Error(), "tls: "))
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		text = "the receiver speaks HTTP, not HTTPS"
	case errors.As(err, &record):
		text = "the receiver does not speak TLS"
	case errors.As(err, &certificate):
		text = "certificate is not valid"
	case strings.HasPrefix(err.Error(), "tls: "):
		text = "TLS failed: " + strings.TrimPrefix(err.Error(), "tls: ")
	default:
		return nil
	}
	return &Error{Untrusted, text, err}
}

const demandsCertificate = "the receiver demands a client certificate: give the webhook one, with client_certificate and client_key"

// afterIdentity explains a reset after the receiver had asked for a client certificate. With TLS 1.3 its alert comes after the handshake,
// and a reset may hide it.
func (e *Error) afterIdentity(identity *Identity) *Error {
	if !errors.Is(e, syscall.ECONNRESET) && !errors.Is(e, syscall.EPIPE) {
		return e
	}
	perhaps := "it does not accept the client certificate"
	if identity == nil {
		perhaps = demandsCertificate
	}
	return &Error{Untrusted, e.text + "; perhaps " + perhaps, e.cause}
}

// explainAlert says why a receiver refused TLS. What it says about certificates is about the client's.
func explainAlert(alert string) string {
	text := "the receiver refused TLS: " + alert
	switch {
	case alert == "certificate required":
		return demandsCertificate
	case strings.Contains(alert, "certificate"):
		return text + " (it does not accept the client certificate, or there is none)"
	case alert == "handshake failure":
		return text + " (it may demand a client certificate)"
	}
	return text
}

func explainHTTP(err error, remote netip.AddrPort, phase string) *Error {
	// net/http has no types for these.
	text := strings.TrimPrefix(err.Error(), "net/http: ")
	kind := Broken
	switch {
	case strings.HasPrefix(text, "invalid header field"), strings.HasPrefix(text, "invalid method"):
		kind = Invalid // it names the header, not the value
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		text = fmt.Sprintf("connection reset by %s: %s", remote, phase)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed idle connection"):
		text = fmt.Sprintf("connection closed by %s: %s", remote, phase)
	case strings.Contains(text, "server response headers exceeded"):
		text = fmt.Sprintf("the answer's headers exceed %d KiB", maxHeader>>10)
	case strings.Contains(text, "readLoopPeekFail"):
		text = "the receiver answers before it is asked"
	case phase == partAnswer:
		text = "the answer's body is not valid"
	default:
		text = "the answer is not valid HTTP"
	}
	return &Error{kind, text, err}
}

// span writes a duration for people.
func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%g s", d.Round(100*time.Millisecond).Seconds())
}
