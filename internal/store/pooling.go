package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// How long a check waits for a second connection, which a pooler may not have, and for a notification.
const (
	secondPatience = 2 * time.Second
	notifyPatience = 5 * time.Second
)

const poolingRemedy = "set pool_mode = session in the pooler, or let TERRIER_DATABASE_URL lead to PostgreSQL itself"

var (
	errShared = errors.New("a pooler shares connections to the database between clients (transaction or statement pooling). " +
		"Settings, locks and notifications would be lost: " + poolingRemedy)
	errDeaf = errors.New("a notification did not arrive, so LISTEN does not work on connections to the database: " + poolingRemedy)
)

// CheckPooling returns an error that says what to do if a pooler does not reserve a connection for a client as long
// as the client is connected. For a worker it also checks that notifications arrive. It returns the settings that a
// pooler dropped.
func CheckPooling(ctx context.Context, url string, worker bool) (dropped []string, err error) {
	settings := ForAll
	if worker {
		settings = slices.Concat(ForAll, ForWorkers)
	}
	pool, set, err := readAddress(url, settings)
	if err != nil {
		return nil, err
	}
	config := &pool.ConnConfig.Config
	heard := ""
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard = n.Channel }
	one, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	defer closeConn(ctx, one)
	patient, cancel := context.WithTimeout(ctx, secondPatience)
	defer cancel()
	two, err := pgconn.ConnectConfig(patient, config)
	if err != nil {
		two = one // no connection is left, which is not checked here
	} else {
		defer closeConn(ctx, two)
	}
	mark := strings.ToLower(rand.Text())
	if err := checkSession(ctx, one, two, mark); err != nil {
		return nil, err
	}
	if worker {
		if err := checkNotify(ctx, one, two, "terrier_"+mark, &heard); err != nil {
			return nil, err
		}
	}
	return droppedSettings(ctx, one, set)
}

// checkSession marks one connection. All its statements must see the mark, and none of the other connection.
func checkSession(ctx context.Context, one, two *pgconn.PgConn, mark string) error {
	if _, err := ask(ctx, one, "SELECT set_config('terrier.session', $1, false)", mark); err != nil {
		return err
	}
	const rounds = 3
	for range rounds {
		for _, conn := range []*pgconn.PgConn{one, one, two} { // twice: a pooler may take its connections in turn
			got, err := ask(ctx, conn, "SELECT coalesce(current_setting('terrier.session', true), '')")
			if err != nil {
				return err
			}
			if (got[0] == mark) != (conn == one) {
				return errShared
			}
		}
	}
	return nil
}

// checkNotify notifies one connection by the other.
func checkNotify(ctx context.Context, one, two *pgconn.PgConn, channel string, heard *string) error {
	if _, err := ask(ctx, one, "LISTEN "+quote(channel)); err != nil {
		return err
	}
	if _, err := ask(ctx, two, "NOTIFY "+quote(channel)); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, notifyPatience)
	defer cancel()
	for *heard != channel {
		if err := one.WaitForNotification(wait); err != nil {
			if ctx.Err() == nil && pgconn.Timeout(err) {
				return errDeaf
			}
			return fmt.Errorf("check the connection to the database: %w", err)
		}
	}
	_, err := ask(ctx, one, "UNLISTEN "+quote(channel))
	return err
}

// droppedSettings reads settings back. Each is set again for this statement alone, which shows how PostgreSQL writes
// its value.
func droppedSettings(ctx context.Context, conn *pgconn.PgConn, settings []Setting) (dropped []string, err error) {
	for _, s := range settings {
		got, err := ask(ctx, conn, "SELECT current_setting($1), set_config($1, $2, true)", s.Name, s.Value)
		if err != nil {
			return nil, err
		}
		if got[0] != got[1] {
			dropped = append(dropped, s.Name)
		}
	}
	return dropped, nil
}

// ask runs a statement and returns its only row, in one round trip and without a prepared statement: a pooler may lose those.
func ask(ctx context.Context, conn *pgconn.PgConn, sql string, args ...string) ([]string, error) {
	raw := make([][]byte, len(args))
	for i, arg := range args {
		raw[i] = []byte(arg)
	}
	result := conn.ExecParams(ctx, sql, raw, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, fmt.Errorf("check the connection to the database: %w", result.Err)
	}
	var row []string
	for _, r := range result.Rows {
		for _, value := range r {
			row = append(row, string(value))
		}
	}
	return row, nil
}

func closeConn(ctx context.Context, conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it has done its work
}
