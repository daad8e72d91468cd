package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"terrier/internal/hops"
	"terrier/internal/store"
)

const proxyGroup = "proxy"

var proxyChecks = []Check{
	{proxyGroup, "trusted", "TERRIER_TRUSTED_PROXIES=ADDRESS", 0, (*examination).trusted},
	{proxyGroup, "reach", "curl -i URL/healthz", keys | outside, (*examination).reach},
	{proxyGroup, "forwarded", "TERRIER_TRUSTED_PROXIES=ADDRESS", keys | outside, (*examination).forwarded},
}

// checkVia refuses an address that can't be that of a server.
func checkVia(via string) error {
	if via == "" {
		return nil
	}
	u, err := url.Parse(via)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return errors.New("--via needs an address such as https://terrier.example.com")
	}
	return nil
}

// The widest network that proxies need.
const (
	widestIPv4 = 24
	widestIPv6 = 64
)

// trusted looks for networks that are so wide that others than proxies are in them: each can choose the address that it is known by.
func (e *examination) trusted(context.Context) (Finding, error) {
	var wide []string
	for _, p := range e.Settings.Proxies {
		if p.Addr().Is4() && p.Bits() < widestIPv4 || p.Addr().Is6() && p.Bits() < widestIPv6 {
			wide = append(wide, p.String())
		}
	}
	if len(wide) > 0 {
		return found(Warn, "name the addresses of the proxies alone: TERRIER_TRUSTED_PROXIES=ADDRESS",
			"X-Forwarded-For is trusted from all of %s: a client there can choose the address that limits and the audit log see",
			strings.Join(wide, ", "))
	}
	return ok("%s trusted", count(len(e.Settings.Proxies), "network"))
}

// hopsClient follows no redirect: what answers must be ours.
var hopsClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

const noVia = "left out: give --via URL"

func (e *examination) ask(ctx context.Context) (hops.Seen, error) {
	return hops.Ask(ctx, hopsClient, e.Settings.Keys, e.options.Via)
}

func (e *examination) reach(ctx context.Context) (Finding, error) {
	if e.options.Via == "" {
		return skip(noVia)
	}
	remedy := "curl -i " + strings.TrimRight(e.options.Via, "/") + "/healthz"
	_, err := e.ask(ctx)
	switch {
	case errors.Is(err, hops.ErrNotOurs):
		return found(Fail, remedy, "%s does not lead to a server with this secret key and a correct clock: %s", e.options.Via, err)
	case err != nil:
		return found(Fail, remedy, "%s can't be reached: %s", e.options.Via, store.Cause(err))
	}
	return ok("%s leads to a server of ours", e.options.Via)
}

// forwarded checks that a server learns the address of its clients, and that clients can't choose it.
func (e *examination) forwarded(ctx context.Context) (Finding, error) {
	if e.options.Via == "" {
		return skip(noVia)
	}
	seen, err := e.ask(ctx)
	if err != nil {
		return skip("no server was reached: see proxy-reach")
	}
	return judgeHops(seen), nil
}

// judgeHops decides by what arrived of a request that was sent with a forged X-Forwarded-For.
func judgeHops(seen hops.Seen) Finding {
	list := strings.Split(strings.Join(seen.ForwardedFor, ","), ",")
	last := strings.TrimSpace(list[len(list)-1])
	direct := len(seen.ForwardedFor) == 1 && seen.ForwardedFor[0] == hops.Forged // what we sent, and nothing more
	f := Finding{Status: OK}
	switch {
	case direct && seen.PeerTrusted:
		f.Status = Fail
		f.Seen = fmt.Sprintf("the trusted proxy %s passes on X-Forwarded-For as clients send it: they can choose their address", seen.Peer)
		f.Remedy = "let the proxy append to X-Forwarded-For: `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for` (nginx), " +
			"`option forwardfor` (HAProxy)"
	case last == "" && seen.PeerTrusted:
		f.Status = Fail
		f.Seen = fmt.Sprintf("the trusted proxy %s sends no X-Forwarded-For: all clients look like it", seen.Peer)
		f.Remedy = "let the proxy set X-Forwarded-For"
	case direct || last == "":
		f.Seen = fmt.Sprintf("there is no proxy that writes X-Forwarded-For: the server sees %s", seen.Peer)
	case !seen.PeerTrusted:
		f.Status = Fail
		f.Seen = fmt.Sprintf("%s writes X-Forwarded-For but is not trusted: all clients look like it, and share its login limits", seen.Peer)
		f.Remedy = "add " + seen.Peer + " to TERRIER_TRUSTED_PROXIES"
	default:
		f.Seen = fmt.Sprintf("%s is trusted, and names %s: the server takes %s for the client", seen.Peer, last, seen.Client)
	}
	return f
}
