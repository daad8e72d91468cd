package egress

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terrier/test/mutual"
)

// identify makes an identity that an authority has signed.
func identify(t testing.TB, a *mutual.Authority, name string) *Identity {
	t.Helper()
	identity, err := NewIdentity(a.Client(t, name, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

// A receiver that demands a client certificate gets it, and only the one of the request. Without one, the error says what
// is missing, however the race between the receiver's alert and our request ends.
func TestClientCertificate(t *testing.T) {
	authority, stranger := mutual.New(t), mutual.New(t)
	ours, theirs := identify(t, authority, "ours"), identify(t, stranger, "theirs")
	older := func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }
	for _, tc := range []struct {
		name     string
		receiver *httptest.Server
		identity *Identity
		want     string // of the error
	}{
		{"TLS 1.3", authority.Receiver(t), ours, ""},
		{"TLS 1.3, none", authority.Receiver(t), nil, "demands a client certificate: give the webhook one, with client_certificate"},
		{"TLS 1.3, of another authority", authority.Receiver(t), theirs, "it does not accept the client certificate"},
		{"TLS 1.2", authority.Receiver(t, older), ours, ""},
		{"TLS 1.2, none", authority.Receiver(t, older), nil, "it may demand a client certificate"},
		{"TLS 1.2, of another authority", authority.Receiver(t, older), theirs, "it does not accept the client certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newClient(t)
			for range 20 {
				r := post(tc.receiver.URL)
				r.InsecureSkipVerify, r.Identity = true, tc.identity
				answer, err := c.Send(context.Background(), r)
				switch {
				case tc.want != "":
					wantError(t, err, Untrusted, tc.want)
				case err != nil || string(answer.Body) != "ours":
					t.Fatalf("answer %s, error %v", answer.Body, err)
				}
			}
		})
	}
}

// A receiver that asks for a client certificate and resets the connection has perhaps refused what it got: the reset may hide its alert.
func TestResetAfterIdentity(t *testing.T) {
	authority := mutual.New(t)
	ours := identify(t, authority, "ours")
	for _, tc := range []struct {
		name     string
		asks     tls.ClientAuthType
		identity *Identity
		kind     Kind
		want     string
	}{
		{"none", tls.RequestClientCert, nil, Untrusted, "no answer; perhaps the receiver demands a client certificate: give the webhook one"},
		{"ours", tls.RequestClientCert, ours, Untrusted, "no answer; perhaps it does not accept the client certificate"},
		{"not asked", tls.NoClientCert, ours, Broken, "connection reset by"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := authority.Receiver(t).TLS.Clone()
			config.ClientAuth = tc.asks
			receiver, err := tls.Listen("tcp", "127.0.0.1:0", config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = receiver.Close() })
			go func() {
				conn, err := receiver.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 1)) // the handshake, and the beginning of the request
				tcp := conn.(*tls.Conn).NetConn().(*net.TCPConn)
				_ = tcp.SetLinger(0) // a reset instead of an orderly end
				_ = tcp.Close()
			}()
			r := post("https://" + receiver.Addr().String() + "/")
			r.InsecureSkipVerify, r.Identity = true, tc.identity
			_, err = newClient(t).Send(context.Background(), r)
			wantError(t, err, tc.kind, tc.want)
		})
	}
}

// A connection with one certificate never carries a request that has another, or none.
func TestConnectionsAreNotSharedAcrossIdentities(t *testing.T) {
	authority := mutual.New(t)
	receiver := authority.Receiver(t, func(c *tls.Config) { c.ClientAuth = tls.VerifyClientCertIfGiven })
	dir := t.TempDir()
	writeFile(t, dir+"/ca.pem", authority.PEM)
	writeFile(t, dir+"/empty.pem", nil)
	c := newClient(t, func(config *Config) { config.CADir = dir })
	identities := map[string]*Identity{"a": identify(t, authority, "a"), "b": identify(t, authority, "b"), "nobody": nil}
	for range 3 {
		for name, identity := range identities {
			for _, ca := range []string{"", "ca.pem"} {
				r := post(receiver.URL)
				r.InsecureSkipVerify, r.CAFile, r.Identity = ca == "", ca, identity
				if answer := mustSend(t, c, r); string(answer.Body) != name {
					t.Errorf("with %s the receiver saw %s", name, answer.Body)
				}
			}
		}
	}
	// Nor one that trusts the system's authorities a request that trusts those of a file, even of an empty one.
	r := post(receiver.URL)
	r.Identity = identities["a"]
	_, err := c.Send(context.Background(), r)
	wantError(t, err, Untrusted, "unknown authority")
	r.CAFile = "empty.pem"
	_, err = c.Send(context.Background(), r)
	wantError(t, err, Invalid, errCA.Error())
}

// Handshake learns about a receiver's certificate without the client's, and whether one is missing.
func TestHandshakeWithoutIdentity(t *testing.T) {
	authority := mutual.New(t)
	for _, tc := range []struct {
		name        string
		version     uint16
		asks        tls.ClientAuthType
		hasIdentity bool
		want        string // of the error
	}{
		{"TLS 1.2", tls.VersionTLS12, tls.RequireAndVerifyClientCert, true, ""},
		{"TLS 1.3", tls.VersionTLS13, tls.RequireAndVerifyClientCert, true, ""},
		{"TLS 1.2, none", tls.VersionTLS12, tls.RequireAndVerifyClientCert, false, demandsCertificate},
		{"TLS 1.3, none", tls.VersionTLS13, tls.RequireAndVerifyClientCert, false, demandsCertificate},
		{"TLS 1.2, none is needed", tls.VersionTLS12, tls.VerifyClientCertIfGiven, false, ""},
		{"TLS 1.3, none is needed", tls.VersionTLS13, tls.VerifyClientCertIfGiven, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			receiver := authority.Receiver(t, func(c *tls.Config) { c.MaxVersion, c.ClientAuth = tc.version, tc.asks })
			expires, err := newClient(t).Handshake(t.Context(), Request{URL: receiver.URL, InsecureSkipVerify: true}, tc.hasIdentity)
			if tc.want != "" {
				wantError(t, err, Untrusted, tc.want)
			} else if left := time.Until(expires); err != nil || left < 50*time.Minute || left > time.Hour {
				t.Errorf("expires in %s, error %v", left, err)
			}
			_, err = newClient(t).Handshake(t.Context(), Request{URL: receiver.URL}, tc.hasIdentity)
			wantError(t, err, Untrusted, "unknown authority")
		})
	}
}

func TestNewIdentity(t *testing.T) {
	authority := mutual.New(t)
	certificate, key := authority.Client(t, "x", time.Hour)
	_, other := authority.Client(t, "y", time.Hour)
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	asPEM := func(kind string, headers map[string]string, content []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Headers: headers, Bytes: content}))
	}
	rsaKey := asPEM("RSA PRIVATE KEY", nil, x509.MarshalPKCS1PrivateKey(private))
	old := map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,0"}
	canary := []byte("canary")
	for _, tc := range []struct {
		name, certificate, key string
		want                   error
	}{
		{"a pair", certificate, key, nil},
		{"with its issuer", certificate + string(authority.PEM), key, nil},
		{"with words around it", "subject=x\n" + certificate, asPEM("EC PARAMETERS", nil, canary) + key, nil},
		{"words", "canary", key, errNoCertificate},
		{"nothing", "", key, errNoCertificate},
		{"a request for a certificate", asPEM("CERTIFICATE REQUEST", nil, canary), key, errNoCertificate},
		{"a damaged certificate", asPEM("CERTIFICATE", nil, canary), key, errBadCertificate},
		{"a damaged issuer", certificate + asPEM("CERTIFICATE", nil, canary), key, errBadCertificate},
		{"the key beside the certificate", certificate + key, key, errKeyExposed},
		{"half a key beside the certificate", certificate + key[:60], key, errKeyExposed},
		{"words as a key", certificate, "canary", errNoKey},
		{"the certificate as its key", certificate, certificate, errNoKey},
		{"a damaged key", certificate, asPEM("PRIVATE KEY", nil, canary), errBadKey},
		{"an encrypted key", certificate, asPEM("ENCRYPTED PRIVATE KEY", nil, canary), errKeyEncrypted},
		{"an encrypted key in the old form", certificate, asPEM("RSA PRIVATE KEY", old, canary), errKeyEncrypted},
		{"another key", certificate, other, errOtherKey},
		{"a key of another kind", certificate, rsaKey, errOtherKey},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseCertificate(tc.certificate)
			var identity *Identity
			if err == nil {
				identity, err = NewIdentity(tc.certificate, tc.key)
			}
			if err != tc.want || (identity == nil) != (tc.want != nil) { //nolint:errorlint // each is returned as it is
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error repeats what may be secret: %v", err)
			}
		})
	}
}

func TestIdentityHidesItsKey(t *testing.T) {
	identity := identify(t, mutual.New(t), "hidden name")
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "identity", identity, "request", Request{Identity: identity})
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		fmt.Fprintf(&log, format, identity)
	}
	if n := strings.Count(log.String(), "a client certificate"); n < 4 || strings.Contains(log.String(), "PrivateKey") ||
		strings.Contains(log.String(), "Curve") {
		t.Errorf("an identity is printed as %s", log.String())
	}
}
