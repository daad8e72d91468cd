package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/delivery"
)

const serverVariable = "TERRIER_TEST_DATABASE_URL"

// database is a fresh one, dropped at the end.
type database struct {
	server string
	name   string
	url    string
}

func newDatabase(ctx context.Context) (*database, error) {
	server := os.Getenv(serverVariable)
	if server == "" {
		return nil, errors.New(serverVariable + " is not set: start with test/bench/run")
	}
	d := &database{server: server, name: fmt.Sprintf("terrier_bench_%d", time.Now().UnixNano())}
	if err := execute(ctx, server, "CREATE DATABASE "+d.name+" TEMPLATE template0"); err != nil {
		return nil, fmt.Errorf("make a database: %w", err)
	}
	var err error
	if d.url, err = withPath(server, d.name); err != nil {
		return nil, err
	}
	if err := delivery.Migrate(ctx, d.url, func(string, ...any) {}); err != nil {
		return nil, err
	}
	return d, nil
}

func withPath(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// withParam adds a setting to a database's address, such as the size of the pool.
func withParam(database, name, value string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func (d *database) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return execute(ctx, d.server, "DROP DATABASE "+d.name+" WITH (FORCE)")
}

// execute runs statements one after the other on a connection of its own.
func execute(ctx context.Context, database string, statements ...string) (err error) {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%.60s…: %w", s, err)
		}
	}
	return nil
}
