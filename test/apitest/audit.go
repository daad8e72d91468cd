package apitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Audited returns what an act adds to the audit log, in order: event, user, address, target, its name and the number, separated by bars.
func (s *Server) Audited(tb testing.TB, act func()) []string {
	tb.Helper()
	before := s.auditLog(tb)
	act()
	return slices.DeleteFunc(s.auditLog(tb), func(line string) bool {
		i := slices.Index(before, line)
		if i >= 0 {
			before = slices.Delete(before, i, i+1)
		}
		return i >= 0
	})
}

func (s *Server) auditLog(tb testing.TB) []string {
	tb.Helper()
	rows, err := s.DB.Query(tb.Context(), `SELECT concat_ws('|', event, user_name, address, target, target_name, times)
		FROM extras_auditevent ORDER BY id`)
	if err != nil {
		tb.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		tb.Fatal(err)
	}
	return lines
}

// WantAudited fails the test unless an act adds exactly these lines to the audit log.
func (s *Server) WantAudited(tb testing.TB, act func(), want ...string) {
	tb.Helper()
	if got := s.Audited(tb, act); !slices.Equal(got, want) {
		tb.Errorf("the audit log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// WantNoSecrets fails the test if the audit log has one of the secrets, or the password and the token that every test has.
func (s *Server) WantNoSecrets(tb testing.TB, secrets ...string) {
	tb.Helper()
	all := strings.Join(s.auditLog(tb), "\n")
	if all == "" {
		tb.Error("the audit log is empty")
	}
	for _, secret := range append(secrets, Password, s.Admin) {
		if strings.Contains(all, secret) {
			tb.Errorf("the audit log has the secret %q:\n%s", secret, all)
		}
	}
}
