package delivery

import (
	"time"

	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// checkIdentity checks that a client certificate and its key can be used, and belong together. A stored key that can't be
// opened can't be checked either.
func checkIdentity(v record.Values, keys Opener, errs fault.Fields) {
	certificate := v.Text("client_certificate")
	key, locked := given(v, "client_key", keys)
	if certificate == "" {
		if key != "" || locked != nil {
			errs.Add("client_certificate", `There is a client_key: give its certificate too, or remove the key with "".`)
		}
		return
	}
	if _, err := egress.ParseCertificate(certificate); err != nil {
		errs.Add("client_certificate", "%s", err.Error())
		return
	}
	if locked != nil {
		return
	}
	if key == "" {
		errs.Add("client_key", `There is a client_certificate: give its key too, or remove the certificate with "".`)
		return
	}
	if _, err := egress.NewIdentity(certificate, key); err != nil {
		errs.Add("client_key", "%s", err.Error())
	}
}

// CertificateExpires returns when the client certificate of a webhook expires; the zero time if it has none.
func CertificateExpires(v record.Values) time.Time {
	certificate, err := egress.ParseCertificate(v.Text("client_certificate"))
	if err != nil {
		return time.Time{}
	}
	return certificate.NotAfter.UTC()
}
