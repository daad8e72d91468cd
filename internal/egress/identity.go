package egress

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"strings"
)

// Identity is a client certificate with its key, by which a receiver recognises us. Its key is never printed.
type Identity struct {
	pair tls.Certificate
	hash [sha256.Size]byte // of the certificates; the first belongs to one key only
}

func (*Identity) String() string         { return "a client certificate" }
func (i *Identity) GoString() string     { return i.String() }
func (i *Identity) LogValue() slog.Value { return slog.StringValue(i.String()) }

// present implements tls.Config.GetClientCertificate, for nobody too. The certificate is sent whatever authorities the receiver names: its
// refusal tells more than its complaint that there was none.
func (i *Identity) present(asks *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if used, ok := asks.Context().Value(connectionKey{}).(*connection); ok {
		used.asked.Store(true)
	}
	if i == nil {
		return &tls.Certificate{}, nil
	}
	return &i.pair, nil
}

// What is wrong with a client certificate or its key. None of these repeats what was given.
var (
	errNoCertificate = errors.New("this is not a certificate in PEM: one begins with -----BEGIN CERTIFICATE-----")
	errKeyExposed    = errors.New("this contains a private key, and a certificate is shown to everybody who may see the webhook: " +
		"give the key as client_key and only the certificate here")
	errBadCertificate = errors.New("a certificate in this text is damaged: copy the whole file again")
	errNoKey          = errors.New("this is not a private key in PEM: one begins with -----BEGIN PRIVATE KEY-----")
	errKeyEncrypted   = errors.New("the key has a passphrase, which nobody could enter when a request is sent: remove it with " +
		"`openssl pkey -in key.pem -out plain.pem` and give the content of plain.pem, which is kept encrypted here")
	errOtherKey = errors.New("the key does not belong to the client certificate: give both as they were made together")
	errBadKey   = errors.New("the key can't be read: give an RSA, ECDSA or Ed25519 key in PEM")
)

// ParseCertificate returns the first certificate of a text in PEM: the client certificate. Those of its issuers follow it.
func ParseCertificate(text string) (*x509.Certificate, error) {
	if strings.Contains(text, "PRIVATE KEY") {
		return nil, errKeyExposed
	}
	var first *x509.Certificate
	for rest := []byte(text); ; {
		block, after := pem.Decode(rest)
		if block == nil {
			break
		}
		rest = after
		found, err := x509.ParseCertificate(block.Bytes)
		switch {
		case block.Type != "CERTIFICATE":
			return nil, errNoCertificate
		case err != nil:
			return nil, errBadCertificate
		case first == nil:
			first = found
		}
	}
	if first == nil {
		return nil, errNoCertificate
	}
	return first, nil
}

// NewIdentity makes an identity of a certificate, which ParseCertificate accepts, and its key. The error is about the key.
func NewIdentity(certificate, key string) (*Identity, error) {
	if err := checkKey([]byte(key)); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	switch {
	case err != nil && strings.Contains(err.Error(), "does not match"): // crypto/tls has no type for it
		return nil, errOtherKey
	case err != nil:
		return nil, errBadKey
	}
	hash := sha256.New()
	for _, der := range pair.Certificate {
		hash.Write(der) // each begins with its length
	}
	return &Identity{pair, [sha256.Size]byte(hash.Sum(nil))}, nil
}

// checkKey refuses a text without a private key that can be read without a passphrase.
func checkKey(text []byte) error {
	for {
		block, rest := pem.Decode(text)
		switch {
		case block == nil:
			return errNoKey
		case block.Type == "ENCRYPTED PRIVATE KEY", strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
			return errKeyEncrypted
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil
		}
		text = rest // such as EC PARAMETERS
	}
}
