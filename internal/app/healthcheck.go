package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"terrier/internal/listen"
)

// Healthcheck asks the server on this machine, or the process that monitoring reaches, for path and returns a good
// answer. It needs neither database nor keys, so that it works where only the address is set.
func Healthcheck(ctx context.Context, cfg Config, path string, monitoring bool) (string, error) {
	setting, address, secure := "TERRIER_LISTEN", cfg.Listen, cfg.TLSCert != ""
	if monitoring {
		setting, address, secure = "TERRIER_METRICS_LISTEN", cfg.MetricsListen, false
	}
	if address == "" {
		return "", fmt.Errorf("%s is not set: name the address that the process listens on", setting)
	}
	network, at, err := listen.Split(address)
	if err != nil {
		return "", fmt.Errorf("%s is %q: %w", setting, address, err)
	}
	text, err := ask(ctx, target{network, reachable(network, at), secure}, path)
	if err != nil {
		return "", fmt.Errorf("no good answer from %s: %w", address, err)
	}
	return text, nil
}

// reachable returns where a server is reached that listens at an address: 0.0.0.0 and :: mean every address of the
// machine, and this one is among them.
func reachable(network, at string) string {
	host, port, err := net.SplitHostPort(at)
	if network == "unix" || err != nil {
		return at
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

type target struct {
	network, at string
	secure      bool
}

// longestReason bounds what is printed of an answer.
const longestReason = 1 << 10

// ask returns the text of a good answer.
func ask(ctx context.Context, to target, path string) (text string, err error) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, to.network, to.at)
		},
		// The certificate is for the name that clients use. Here only our own process answers, and nothing secret is sent.
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}
	scheme := "http"
	if to.secure {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost"+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := transport.RoundTrip(request) // no redirects, and no proxy of the environment
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestReason))
	text = strings.TrimSpace(string(body))
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", answer.Status, cmp.Or(text, "no reason is given"))
	}
	return text, err
}
