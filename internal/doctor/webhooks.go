package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"terrier/internal/background"
	"terrier/internal/egress"
	"terrier/internal/store"
)

const webhooksGroup = "webhooks"

var webhookChecks = []Check{
	{webhooksGroup, "dns", "getent hosts HOST", tables | policy | outside, (*examination).hookDNS},
	{webhooksGroup, "egress", "TERRIER_EGRESS_ALLOW=NETWORK", tables | policy, (*examination).hookEgress},
	{webhooksGroup, "tls", "openssl s_client -connect HOST:443", tables | policy | outside, (*examination).hookTLS},
	{webhooksGroup, "certificate", "renew the certificate of the receiver", tables | policy | outside, (*examination).hookCertificate},
	{webhooksGroup, "ca-file", "put the CA file into TERRIER_WEBHOOK_CA_DIR, or /etc/terrier/ca", tables | policy, (*examination).hookCA},
	{webhooksGroup, "client-certificate", "renew the client certificate of the webhook", tables, (*examination).hookClientCertificate},
	{webhooksGroup, "health", "terrier webhook tail NAME", tables, (*examination).hookHealth},
}

// Receivers are visited several at once, and of very many only the first. All visits together take as long as one check may.
const (
	visitsAtOnce  = 16
	visitLimit    = 2 * time.Second
	mostReceivers = 200
)

// receiver is a host that webhooks send to, and what a visit found. Nothing is sent to it.
type receiver struct {
	Host       string // with the port, where the URL names one
	Secure     bool
	Targets    []egress.Target
	LookupErr  error
	Expires    time.Time // zero without TLS
	ConnectErr error     // of the TLS handshake
	NotVisited bool      // there was no time
}

// visitReceivers looks up each distinct host, and makes a TLS handshake with those that the policy allows. Offline it does neither, and
// knows only what the policy says about addresses and localhost.
func (e *examination) visitReceivers(ctx context.Context) ([]receiver, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	hooks, err := e.db.Receivers(ctx)
	if err != nil {
		return nil, err
	}
	var distinct []store.Receiver
	known := map[store.Receiver]bool{}
	for _, h := range hooks {
		key := store.Receiver{URL: hostOf(h.URL), Insecure: h.Insecure, CAFile: h.CAFile, Identity: h.Identity}
		if !known[key] {
			known[key] = true
			distinct = append(distinct, h)
		}
	}
	return visitAll(ctx, distinct, e.visit), nil
}

// visitAll visits receivers, several at once, until ctx ends.
func visitAll(ctx context.Context, hooks []store.Receiver, visit func(context.Context, store.Receiver) receiver) []receiver {
	found := make([]receiver, len(hooks))
	wg := &background.Group{Log: slog.Default()}
	turns := make(chan struct{}, visitsAtOnce)
	for i, h := range hooks {
		found[i].NotVisited = true
		if i >= mostReceivers {
			continue
		}
		wg.Go("doctor", func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if ctx.Err() != nil {
				return
			}
			one, cancel := context.WithTimeout(ctx, visitLimit)
			defer cancel()
			if r := visit(one, h); ctx.Err() == nil { // else it may have failed because of that
				found[i] = r
			}
		})
	}
	wg.Wait()
	return found
}

func (e *examination) visit(ctx context.Context, h store.Receiver) (r receiver) {
	origin := hostOf(h.URL)
	scheme, host, _ := strings.Cut(origin, "://")
	r = receiver{Host: host, Secure: scheme == "https"}
	defer func() {
		if p := recover(); p != nil {
			r.LookupErr = broken(p)
		}
	}()
	client := e.Settings.Egress
	if e.options.Offline {
		if err := client.Forbids(ctx, h.URL, 0); err != nil {
			r.Targets = []egress.Target{{Refused: err}}
		}
		return r
	}
	r.Targets, r.LookupErr = client.Resolve(ctx, h.URL)
	if _, refused := r.refused(); r.LookupErr != nil || !r.Secure || refused {
		return r
	}
	if h.CAFile != "" && !h.Insecure && client.CheckCA(h.CAFile) != nil {
		return r // that is for another check
	}
	r.Expires, r.ConnectErr = client.Handshake(ctx, egress.Request{URL: h.URL, InsecureSkipVerify: h.Insecure, CAFile: h.CAFile}, h.Identity)
	return r
}

// refused returns the first address that the policy refuses, if there is one.
func (r receiver) refused() (egress.Target, bool) {
	for _, t := range r.Targets {
		if t.Refused != nil {
			return t, true
		}
	}
	return egress.Target{}, false
}

// hostOf returns scheme and host of a URL. The rest may contain a secret.
func hostOf(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil {
		return "unknown://(a URL that is not understood)"
	}
	return parsed.Scheme + "://" + parsed.Host
}

// each asks about all receivers that were visited, and returns the problem of those that have one.
func (e *examination) each(problem func(receiver) string) (problems []string, visited, left int, err error) {
	receivers, err := e.receivers()
	for _, r := range receivers {
		if r.NotVisited {
			left++
			continue
		}
		visited++
		if p := problem(r); p != "" {
			problems = append(problems, r.Host+": "+p)
		}
	}
	return problems, visited, left, err
}

const noWebhooks = "no webhook is enabled"

// judge is the finding of a check of all receivers: fine says what all of them have in common.
func (e *examination) judge(status Status, remedy, fine string, problem func(receiver) string) (Finding, error) {
	problems, visited, left, err := e.each(problem)
	more := ""
	if left > 0 {
		more = fmt.Sprintf("; %s not visited, for lack of time", count(left, "host"))
	}
	switch {
	case err != nil:
		return Finding{}, err
	case visited+left == 0:
		return ok(noWebhooks)
	case len(problems) > 0:
		host, _, _ := strings.Cut(problems[0], ": ")
		name, _, _ := strings.Cut(host, ":")
		return found(status, strings.NewReplacer("HOST:PORT", host, "HOST", name).Replace(remedy), "%s%s", some(problems), more)
	case visited == 0:
		return skip("%s", strings.TrimPrefix(more, "; "))
	}
	return ok("%s: %s%s", count(visited, "host"), fine, more)
}

func (e *examination) hookDNS(context.Context) (Finding, error) {
	return e.judge(Fail, "getent hosts HOST", "each is found", func(r receiver) string {
		if r.LookupErr != nil {
			return r.LookupErr.Error()
		}
		return ""
	})
}

func (e *examination) hookEgress(context.Context) (Finding, error) {
	fine, remedy := "all addresses are allowed", ""
	if e.options.Offline {
		fine = "no address is refused; names were not looked up"
	}
	f, err := e.judge(Fail, "", fine, func(r receiver) string {
		target, refused := r.refused()
		if !refused {
			return ""
		}
		if why, ok := errors.AsType[*egress.Refused](target.Refused); ok && remedy == "" {
			remedy = why.Remedy()
		}
		return target.Refused.Error()
	})
	if f.Status == Fail {
		f.Remedy = "give the webhook another address"
		if remedy != "" {
			f.Remedy = remedy + ", if webhooks may reach it"
		}
	}
	return f, err
}

func (e *examination) hookTLS(context.Context) (Finding, error) {
	return e.judge(Fail, "openssl s_client -connect HOST:PORT", "each speaks TLS or has a URL with http", func(r receiver) string {
		if r.ConnectErr != nil {
			return r.ConnectErr.Error()
		}
		return ""
	})
}

func (e *examination) hookCertificate(context.Context) (Finding, error) {
	return e.judge(Warn, "renew the certificate of HOST", "no certificate expires soon", func(r receiver) string {
		if r.Expires.IsZero() {
			return ""
		}
		return e.expiry("its certificate", r.Expires)
	})
}

// expiry returns that a certificate has expired, or will soon; "" if not.
func (e *examination) expiry(what string, at time.Time) string {
	left := at.Sub(e.Now())
	switch {
	case left >= e.Limits.Certificate:
		return ""
	case left <= 0:
		return what + " has expired"
	}
	return what + " expires in " + span(left)
}

// hookCA checks every webhook, because each may name a file of its own.
func (e *examination) hookCA(ctx context.Context) (Finding, error) {
	hooks, err := e.db.Receivers(ctx)
	if err != nil {
		return Finding{}, err
	}
	var wrong []string
	named := 0
	for _, h := range hooks {
		if h.CAFile == "" || h.Insecure {
			continue
		}
		named++
		if err := e.Settings.Egress.CheckCA(h.CAFile); err != nil {
			wrong = append(wrong, fmt.Sprintf("%q names %s: %s", h.Name, h.CAFile, err))
		}
	}
	if len(wrong) > 0 {
		return found(Fail, "", "%s", some(wrong))
	}
	return ok("%s, each of which can be read", count(named, "CA file"))
}

// hookClientCertificate needs no network and no key: certificates are not secret.
func (e *examination) hookClientCertificate(ctx context.Context) (Finding, error) {
	all, err := e.db.ClientCertificates(ctx)
	if err != nil {
		return Finding{}, err
	}
	var wrong []string
	for _, c := range all {
		certificate, err := egress.ParseCertificate(c.PEM)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%q: its client certificate can't be read", c.Name))
		} else if problem := e.expiry("its client certificate", certificate.NotAfter); problem != "" {
			wrong = append(wrong, fmt.Sprintf("%q: %s", c.Name, problem))
		}
	}
	if len(wrong) > 0 {
		return found(Warn, "", "%s", some(wrong))
	}
	return ok("%s, none of which expires soon", count(len(all), "client certificate"))
}
