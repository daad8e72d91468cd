package health

import "time"

// settled is how long any other state than a first failure must last before it is published, so that a receiver that
// goes up and down makes few alerts.
const settled = time.Minute

// Publish reports whether a webhook that people know to be in one state is to be shown in another, in which it has been
// since a time. That a healthy one has failed is published at once.
func Publish(known, state string, since, now time.Time) bool {
	return known != state && (known == Healthy || now.Sub(since) >= settled)
}
