package doctor

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

func ok(format string, args ...any) (Finding, error) {
	return Finding{Status: OK, Seen: fmt.Sprintf(format, args...)}, nil
}

func skip(format string, args ...any) (Finding, error) {
	return Finding{Status: Skip, Seen: fmt.Sprintf(format, args...)}, nil
}

// blocked skips a check that can't run because something else is wrong.
func blocked(why string) Finding { return Finding{Status: Skip, Seen: why, Blocked: true} }

// found returns something wrong, with a remedy that is more exact than the check's, or "".
func found(status Status, remedy, format string, args ...any) (Finding, error) {
	return Finding{Status: status, Seen: fmt.Sprintf(format, args...), Remedy: remedy}, nil
}

// sql returns the command that runs statements on a database. It names no address: psql does not understand all that ours
// may contain, and most statements need another user.
func sql(database string, statements ...string) string {
	var b strings.Builder
	b.WriteString("psql -d " + word(database))
	for _, s := range statements {
		b.WriteString(" -c " + word(s))
	}
	return b.String()
}

// sql returns the command that runs statements on the database that is examined.
func (e *examination) sql(statements ...string) string { return sql(e.server.Database, statements...) }

// anyDatabase is used for its name in the remedies of checks that have not run.
const anyDatabase = "DATABASE"

// alter returns the statements that change a setting of the server, as a superuser of PostgreSQL.
func alter(assignment string) []string {
	return []string{"ALTER SYSTEM SET " + assignment, "SELECT pg_reload_conf()"}
}

// plainWord matches what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// word writes a text as one word of a shell.
func word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// ident writes a name as SQL does.
func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// some joins the first few of many.
func some(names []string) string {
	const shown = 5
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// count writes a number with its noun: "1 worker", "2 workers".
func count[T int | int64](n T, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ry"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	case strings.HasSuffix(noun, "ex"), strings.HasSuffix(noun, "ss"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// span writes a duration with one unit: "12 s", "5 minutes", "3 days".
func span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
