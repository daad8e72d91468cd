package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/background"
)

// Host is one of the hosts that the address of the database names.
type Host struct {
	Name    string // of the host, or the directory of a socket
	Port    uint16
	Address string // host:port, or the path of a socket
	Role    string // primary or standby; "" if it could not be asked
	Err     error
}

// Hosts asks each host of the address for its role, all at once.
func Hosts(ctx context.Context, url string) ([]Host, error) {
	pool, _, err := readAddress(url, nil)
	if err != nil {
		return nil, err
	}
	var hosts []Host
	var configs []*pgconn.Config
	for _, one := range splitHosts(&pool.ConnConfig.Config) {
		network, address := pgconn.NetworkAddress(one.Host, one.Port)
		if network == "unix" {
			address = strings.TrimPrefix(address, "unix:")
		}
		hosts, configs = append(hosts, Host{Name: one.Host, Port: one.Port, Address: address}), append(configs, one)
	}
	wg := &background.Group{Log: slog.Default()}
	for n := range hosts {
		wg.Go("ask hosts", func() { hosts[n].Role, hosts[n].Err = askRole(ctx, configs[n]) })
	}
	wg.Wait()
	return hosts, nil
}

// splitHosts returns a config for each host. One host may have several entries, with TLS and without.
func splitHosts(config *pgconn.Config) (split []*pgconn.Config) {
	entries := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	known := map[string]*pgconn.Config{}
	for _, e := range entries {
		name := fmt.Sprintf("%s:%d", e.Host, e.Port)
		if one, ok := known[name]; ok {
			one.Fallbacks = append(one.Fallbacks, e)
			continue
		}
		one := config.Copy()
		one.Host, one.Port, one.TLSConfig, one.Fallbacks, one.ValidateConnect = e.Host, e.Port, e.TLSConfig, nil, nil
		known[name] = one
		split = append(split, one)
	}
	return split
}

func askRole(ctx context.Context, config *pgconn.Config) (string, error) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer closeConn(ctx, conn)
	got, err := ask(ctx, conn, "SELECT CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END")
	if err != nil {
		return "", err
	}
	return got[0], nil
}

// Cause returns the innermost reason of an error of a connection, for people. It contains no part of the address of
// the database.
func Cause(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Message
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		if lookup.IsNotFound {
			return "host not found"
		}
		return "the host can't be looked up"
	}
	if errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) {
		return "no answer in time"
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return dial.Err.Error()
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
