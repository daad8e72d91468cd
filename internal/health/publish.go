package health

import "time"

// settled is how long any other state than a first failure must last before it is published, so that a receiver that
// goes up and down makes few alerts.
const settled = time.Minute

// Publish reports whether a webhook that people know to be in one state is to be shown in the one that it is in. That a healthy one
// has failed is published at once, except that it is held: nothing fails then, and a receiver that restarts is soon back. Such a webhook
// must have been ailing for heldAfter.
func (h Health) Publish(known string, heldAfter time.Duration, now time.Time) bool {
	switch {
	case known == h.State:
		return false
	case known != Healthy:
		return now.Sub(h.Since) >= settled
	}
	return h.State != Held || now.Sub(h.AilingSince) >= heldAfter
}
