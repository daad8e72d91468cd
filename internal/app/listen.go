package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"terrier/internal/background"
	"terrier/internal/listen"
)

// listen opens the socket that requests arrive on, with TLS if there is a certificate.
func (a *App) listen(ctx context.Context) (net.Listener, error) {
	listener, err := listen.On(a.cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if a.cfg.TLSCert == "" {
		return listener, nil
	}
	certificate, err := listen.LoadCertificate(a.cfg.TLSCert, a.cfg.TLSKey, a.log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("TERRIER_TLS_CERT and TERRIER_TLS_KEY: %w", err), listener.Close())
	}
	(&background.Group{Log: a.log}).Loop(ctx, "certificate", func(ctx context.Context) { certificate.Watch(ctx, a.Reload) })
	return certificate.Wrap(listener), nil
}

// validateListen reports what is wrong with the socket that requests arrive on.
func (c *Config) validateListen() error {
	var problems []error
	if _, _, err := listen.Split(c.Listen); err != nil {
		problems = append(problems, fmt.Errorf(
			"TERRIER_LISTEN is %q and needs a host and a port, such as 127.0.0.1:8000, or unix: and a path, such as unix:/run/terrier/http.sock",
			c.Listen))
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		problems = append(problems, errors.New("TERRIER_TLS_CERT and TERRIER_TLS_KEY belong together: set both, or neither"))
	}
	return errors.Join(problems...)
}
