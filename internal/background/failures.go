package background

import "strings"

// mostKinds is how many kinds of error in a row are kept apart. Further ones are logged each time.
const mostKinds = 20

// Failures are the errors in a row of something that is done again and again. It decides which of them are logged: the first of each
// kind. Two errors are of one kind if they differ only in digits, such as those of a port.
type Failures struct{ seen map[string]bool }

// New notes how it ended this time, and reports whether that is an error of a kind that is new since the last success.
func (f *Failures) New(err error) bool {
	if err == nil {
		f.seen = nil
		return false
	}
	kind := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
	if f.seen[kind] {
		return false
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	if len(f.seen) < mostKinds {
		f.seen[kind] = true
	}
	return true
}
