package app

import (
	"fmt"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/egress"
	"terrier/internal/listen"
)

// egressClient returns what sends webhooks. Servers, workers and doctor make theirs here, so that all have one policy.
func (c *Config) egressClient() (*egress.Client, error) {
	policy, err := c.egressPolicy()
	if err != nil {
		return nil, err
	}
	return egress.New(egress.Config{Policy: policy, CADir: c.WebhookCADir, Timeout: c.WebhookTimeout, UserAgent: "Terrier/" + c.Version}), nil
}

func (c *Config) egressPolicy() (egress.Policy, error) {
	policy, err := egress.NewPolicy(c.EgressAllow, egress.Site{BaseURL: c.BaseURL, Endpoints: c.endpoints()})
	if err != nil {
		return policy, fmt.Errorf("TERRIER_EGRESS_ALLOW: %w", err)
	}
	return policy, nil
}

// endpoints lists where the server, its metrics and the database are. A wrong setting is reported elsewhere.
func (c *Config) endpoints() (all []egress.Endpoint) {
	add := func(e egress.Endpoint) {
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	if network, at, err := listen.Split(c.Listen); err == nil && network == "tcp" {
		if host, port, err := net.SplitHostPort(at); err == nil {
			add(egress.Endpoint{Name: "Terrier itself", Host: host, Port: port})
		}
	}
	if host, port, err := net.SplitHostPort(c.MetricsListen); err == nil {
		add(egress.Endpoint{Name: "Terrier's metrics", Host: host, Port: port})
	}
	if database, err := pgconn.ParseConfig(c.DatabaseURL); err == nil {
		name := func(host string, port uint16) {
			add(egress.Endpoint{Name: "Terrier's database", Host: host, Port: fmt.Sprint(port)})
		}
		name(database.Host, database.Port)
		for _, other := range database.Fallbacks { // the other hosts of the address, and those without TLS
			name(other.Host, other.Port)
		}
	}
	return all
}
