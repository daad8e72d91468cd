package pages_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestLongBodiesOnThePage: for a body that is too long to be shown with each attempt, the page shows what it knows.
func TestLongBodiesOnThePage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.of(t, o.a, 0)
	sent := func(second int, body string) {
		o.exec(t, `INSERT INTO extras_attempt SELECT id, changed_at, changed_at + $1 * interval '1 s', 12, 'POST',
			'https://receiver.example/hook', '{}', convert_to($2::text, 'UTF8'), 500, '{}', '', FALSE, ''
			FROM extras_delivery WHERE webhook_id = $3 AND object_id = $4`, second, body, o.a, o.sites[0])
	}
	long := strings.Repeat("x", 100_000)
	sent(1, "another "+long)
	sent(2, long+" and more")
	sent(3, long)
	o.fail(t, "TRUE")
	o.exec(t, "UPDATE extras_delivery SET attempt_count = 3")
	page := text(o.admin.get(t, path).Want(t, http.StatusOK))
	_, page, _ = strings.Cut(page, `id="attempt-3"`)
	third, page, _ := strings.Cut(page, `id="attempt-2"`)
	second, first, _ := strings.Cut(page, `id="attempt-1"`)
	for _, row := range []struct {
		what, page, says string
		shown            bool
	}{
		{"the last", third, long + "</pre>", true},
		{"one that begins like it", second, "This long body begins like the body of attempt 3.", false},
		{"another", first, "Only the beginning is shown.", true},
	} {
		if !strings.Contains(row.page, row.says) || strings.Contains(row.page, "xxx") != row.shown {
			t.Errorf("%s does not say %.80q, or shows what it should not", row.what, row.says)
		}
	}
}
