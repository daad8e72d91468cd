package delivery

import (
	"time"

	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Preview makes the request that a worker would send now for a delivery to a webhook, which
// need not be saved, or says why there is none.
func Preview(v record.Values, keys Opener, due *store.Due, now time.Time) (request webhook.Request, problem string) {
	request, err := prepare(v, keys).render(due, now)
	if err != nil {
		return webhook.Request{}, reason(err)
	}
	return request, ""
}
