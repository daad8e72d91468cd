package doctor

import (
	"fmt"
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

// sql returns the command that runs statements on the database.
func sql(statements ...string) string {
	var b strings.Builder
	b.WriteString(`psql "$TERRIER_DATABASE_URL"`)
	for _, s := range statements {
		fmt.Fprintf(&b, " -c '%s'", strings.ReplaceAll(s, "'", `'\''`))
	}
	return b.String()
}

// alter returns the command that changes a setting of the server, as a superuser of PostgreSQL.
func alter(assignment string) string {
	return sql("ALTER SYSTEM SET "+assignment, "SELECT pg_reload_conf()")
}

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
