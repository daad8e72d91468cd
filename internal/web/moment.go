package web

import (
	"html/template"
	"slices"
	"time"

	"terrier/internal/record"
)

// The ways in which a template prints a time, besides the usual one.
const (
	exactTime = "exact" // never in words: where the order of times or the distance between them matters, and after "since" and "until"
	clockTime = "clock" // the time of day: below a chart
	dayTime   = "day"   // the month and the day: below a chart of many days
	plainTime = "plain" // a text, where HTML allows no element: it must come first in an element with the attribute data-time
)

// printTime returns a time for people. As the template function "time" it is the only way in which pages print one. It is in UTC and says
// so. The script times.js shows it in the browser's time zone instead, with UTC on hover, and in words if it is recent.
func printTime(at time.Time, how ...string) any {
	at = at.UTC()
	shown, mark := at.Format("2006-01-02 15:04:05 UTC"), ""
	switch {
	case slices.Contains(how, plainTime):
		return shown
	case slices.Contains(how, clockTime):
		shown, mark = at.Format("15:04"), " data-clock"
	case slices.Contains(how, dayTime):
		shown, mark = at.Format("01-02"), " data-day"
	case slices.Contains(how, exactTime):
		mark = " data-exact"
	}
	return template.HTML(`<time datetime="` + at.Format(time.RFC3339) + `"` + mark + `>` + shown + `</time>`)
}

// MomentLayout is what a browser's own input for a date and a time takes. The attribute data-utc says that its value is in UTC: times.js
// shows it in the browser's time zone, and sends it in UTC.
const MomentLayout = "2006-01-02T15:04:05"

// shownMoment returns a time as a browser's own input takes it: in UTC, without fractions of a second.
func shownMoment(text string) (shown string, ok bool) {
	at, err := record.ParseTime(text)
	if err != nil {
		return "", false
	}
	return at.Format(MomentLayout), true
}

// InputTime returns a time as a browser's own input takes it. What is no time stays as it is.
func InputTime(text string) string { return asHeld(record.MomentInput, text) }
