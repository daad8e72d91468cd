package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestErrorsOfADatabaseThatIsAway: before a commit nothing was changed, and callers may try again. After COMMIT was
// sent, the outcome is known only if PostgreSQL answered with an error.
func TestErrorsOfADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	server := func(severity, code string) error {
		return fmt.Errorf("wrapped: %w", &pgconn.PgError{SeverityUnlocalized: severity, Code: code})
	}
	_, refused := pgconn.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable")
	reg, err := record.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	s := store.ForTranslation(reg)
	for _, c := range []struct {
		name           string
		err            error
		before, commit fault.Kind
	}{
		{"connection refused", refused, fault.Unavailable, fault.Uncertain},
		{"connection refused, in the time of a request", fmt.Errorf("%w: %w", refused, context.DeadlineExceeded), fault.Unavailable,
			fault.Uncertain},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, fault.Unavailable, fault.Uncertain},
		{"end of the connection", io.ErrUnexpectedEOF, fault.Unavailable, fault.Uncertain},
		{"shut down", server("FATAL", "57P01"), fault.Unavailable, fault.Uncertain},
		{"crashed", server("FATAL", "57P02"), fault.Unavailable, fault.Uncertain},
		{"idle for too long", server("FATAL", "57P05"), fault.Unavailable, fault.Uncertain},
		{"transaction timeout", server("FATAL", "25P04"), fault.Unavailable, fault.Uncertain},
		{"a disk that can't be read", server("ERROR", "58030"), fault.Unavailable, fault.Unavailable},
		{"starting", server("FATAL", "57P03"), fault.Unavailable, fault.Uncertain},
		{"too many connections", server("FATAL", "53300"), fault.Unavailable, fault.Uncertain},
		{"disk full", server("ERROR", "53100"), fault.Unavailable, fault.Unavailable},
		{"a pooler's error", server("FATAL", "08P01"), fault.Unavailable, fault.Uncertain},
		{"read-only", server("ERROR", "25006"), fault.Unavailable, fault.Unavailable},
		{"too slow", context.DeadlineExceeded, fault.Slow, fault.Uncertain},
		{"statement timeout", server("ERROR", "57014"), fault.Slow, fault.Slow},
		{"a deadlock", server("ERROR", "40P01"), fault.Busy, fault.Busy},
		{"a value that no index holds", server("ERROR", "54000"), fault.Invalid, fault.Invalid},
		{"the caller went away", context.Canceled, fault.Internal, fault.Internal},
		{"an error of ours", server("ERROR", "42601"), fault.Internal, fault.Internal},
	} {
		for when, got := range map[string]error{"before": store.Translate(s, c.err), "commit": store.TranslateCommit(s, c.err)} {
			want := map[string]fault.Kind{"before": c.before, "commit": c.commit}[when]
			e, _ := errors.AsType[*fault.Error](got)
			if fault.KindOf(got) != want || (want == fault.Unavailable || want == fault.Slow) && e.RetryAfter == 0 || want != fault.Slow &&
				!errors.Is(got, c.err) {
				t.Errorf("%s, %s: %v of kind %d, want kind %d", c.name, when, got, fault.KindOf(got), want)
			}
		}
	}
}

// TestReadOnlyReplacesAllConnections: if a write is refused because the database is read-only, the connections of all
// pools are replaced, but not repeatedly while that lasts.
func TestReadOnlyReplacesAllConnections(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t)
	pools := map[string]*pgxpool.Pool{"records": s.Pool(), "lists": store.ListPool(s), "spare": s.Spare()}
	connection := func(pool *pgxpool.Pool) (pid int) {
		if err := pool.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	const refuseWrites = "SET default_transaction_read_only = on"
	before := map[string]int{}
	for name, pool := range pools {
		before[name] = connection(pool)
	}
	_, err := s.Pool().Exec(t.Context(), refuseWrites)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Pool().Exec(t.Context(), "DELETE FROM dcim_site"); fault.KindOf(store.Translate(s, err)) != fault.Unavailable {
		t.Fatal(err)
	}
	for name, pool := range pools {
		if connection(pool) == before[name] {
			t.Errorf("%s: the connection was kept", name)
		}
	}
	if _, err := s.Spare().Exec(t.Context(), refuseWrites); err != nil {
		t.Fatal(err)
	}
	spare := connection(s.Spare())
	for range 3 {
		if err := s.CheckWritable(t.Context()); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("read-only: %v", err)
		}
	}
	if connection(s.Spare()) != spare {
		t.Error("the connections were replaced again at once")
	}
}
