package delivery

import (
	"time"

	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Preview returns the request that a worker would send now for a delivery, or the reason why there is none. The
// webhook need not be saved.
func Preview(v record.Values, keys Opener, due *store.Due, now time.Time) (request webhook.Request, problem string) {
	request, err := prepare(v, keys).render(due, now)
	if err != nil {
		return webhook.Request{}, reason(err)
	}
	return request, ""
}
