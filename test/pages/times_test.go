package pages_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"terrier/test/apitest"
)

var (
	// verbatim are parts of a page that show data as it is: code, values before and after a change, what was typed, examples. Texts that
	// begin with a time where no element can be are marked for the script.
	verbatim = regexp.MustCompile(`(?s)<pre[ >].*?</pre>|<code[ >].*?</code>|<textarea[ >].*?</textarea>|` +
		`<table class="[^"]*\bdiff".*?</table>|<table class="[^"]*headers".*?</table>|` +
		`<(?:option|title) [^>]*data-time[^>]*>.*?</|<time [^>]*>[^<]*</time>|[Ss]uch as \S+|` +
		`\d{4}-\d\d-\d\d \d\d:\d\d UTC \([A-Z][a-z]+\)`) // the name of a journal entry
	tags     = regexp.MustCompile(`<[^>]*>`)
	someTime = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*`)
)

// timesOutside returns the times that a page shows other than with the template function "time".
func timesOutside(page string) []string {
	if !hasDate(page) {
		return nil
	}
	return someTime.FindAllString(html.UnescapeString(tags.ReplaceAllString(verbatim.ReplaceAllString(page, ""), "\n")), -1)
}

// hasDate reports whether a page may show a time. Most don't, and the patterns are slow.
func hasDate(page string) bool {
	for i := 4; i+3 < len(page); i++ {
		if page[i] == '-' && page[i+3] == '-' && '0' <= page[i-1] && page[i-1] <= '9' {
			return true
		}
	}
	return false
}

// marksTimes fails the test if a page shows a time that is not in its element.
func marksTimes(t *testing.T, a apitest.Answer) {
	t.Helper()
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return
	}
	if found := timesOutside(string(a.Raw)); found != nil {
		t.Errorf("%s %s shows %q outside of <time>", a.Call.Method, a.Call.Path, found)
	}
}

// TestTimesOutside: the check itself sees a time in a text, and leaves alone what may have one.
func TestTimesOutside(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]int{
		`<p>Since 2026-11-18 10:00:00</p>`:                                              1,
		`<td>2026-11-18T10:00:00.5Z</td><td>2026-11-18 10:00 +0000 UTC</td>`:            2,
		`<p>Since <time datetime="2026-11-18T10:00:00Z">2026-11-18 10:00:00 UTC</time>`: 0,
		`<option value="1">2026-11-18 10:00:00 UTC created</option>`:                    1,
		`<option value="1" data-time>2026-11-18 10:00:00 UTC created</option>`:          0,
		`<input value="2026-11-18T10:00:00"><pre class="code">2026-11-18 10:00</pre>`:   0,
		`<td>2026-11-18</td>`: 0,
	} {
		if found := timesOutside(page); len(found) != want {
			t.Errorf("%s: %q, want %d", page, found, want)
		}
	}
}

// TestTimes: times in lists, filters, forms and on record pages are elements, inputs are in UTC until the script shows the browser's zone,
// and each input says so. What the script sends is what is stored, whatever its offset.
func TestTimes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "seen", "type": "datetime", "content_types": []string{"dcim.site"}})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon", "custom_fields": obj{"seen": "2026-03-29T01:30:00+02:00"}})
	const element = `<time datetime="2026-03-28T23:30:00Z">2026-03-28 23:30:00 UTC</time>`
	site := "/dcim/sites/1/"
	shows(t, b.get(t, site), element, `Times are in <span data-zone>UTC</span>`)

	shows(t, b.get(t, site+"edit/"), `data-utc name="cf_seen" id="id_cf_seen" value="2026-03-28T23:30:00"`, `In <span data-zone>UTC</span>.`)
	b.post(t, site+"edit/", edited(t, b, site, "cf_seen", "2026-10-25T01:30:00Z")).Want(t, http.StatusSeeOther)
	if got := api(t, s, site)["custom_fields"].(obj)["seen"]; got != "2026-10-25T01:30:00.000000Z" {
		t.Errorf("stored %v", got)
	}

	a := b.get(t, "/extras/object-changes/?time__gte=2026-03-28T23:30:00Z&time__lt=2999-01-01T05:45:00%2B05:45").Want(t, http.StatusOK)
	shows(t, a, `name="time__gte" value="2026-03-28T23:30:00"`, `Time is not before <time datetime="2026-03-28T23:30:00Z" data-exact>`,
		`Time is before <time datetime="2999-01-01T00:00:00Z" data-exact>`, `<span class="nothing">in <span data-zone>UTC</span></span>`,
		`<input type="hidden" name="time__lt" value="2999-01-01T05:45:00&#43;05:45">`)
	hides(t, a, `type="hidden" name="time__gte"`)
	shows(t, b.get(t, "/extras/object-changes/?time__gte=2026-03-28T23:30:00.25Z").Want(t, http.StatusOK),
		`data-sent="2026-03-28T23:30:00.25Z" name="time__gte" value="2026-03-28T23:30:00"`)
	const chip = `<time datetime="2026-03-28T23:30:00Z" data-exact>`
	shows(t, b.get(t, "/extras/object-changes/?time_after=2026-03-28T23:30:00Z").Want(t, http.StatusOK), "Time is not before "+chip)
	shows(t, b.get(t, "/dcim/sites/?cf_seen=2026-03-28T23:30:00Z").Want(t, http.StatusOK), "is "+chip)

	form := edited(t, b, site, "cf_seen", "2026-03-28T23:30:00Z")
	patch(t, s, site, obj{"custom_fields": obj{"seen": "2026-11-25T01:30:00Z"}})
	shows(t, b.post(t, site+"edit/", form).Want(t, http.StatusPreconditionFailed),
		`<ins><time datetime="2026-11-25T01:30:00Z">`, `>`+element+`</td>`)
}
