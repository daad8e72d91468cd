package doctor

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/store"
)

// hookHealth finds webhooks whose receivers are away or refuse what they get.
func (e *examination) hookHealth(ctx context.Context) (Finding, error) {
	ailing, err := e.db.AilingWebhooks(ctx, e.Settings.HeldAfter)
	if err != nil {
		return Finding{}, err
	}
	ailing = slices.DeleteFunc(ailing, func(w store.AilingWebhook) bool { return !w.Lasting })
	if len(ailing) == 0 {
		return ok("no webhook is failing or held")
	}
	list := make([]string, len(ailing))
	for i, w := range ailing {
		list[i] = fmt.Sprintf("%q is %s since %s: %s", w.Name, w.State, w.Since.UTC().Format("2006-01-02 15:04:05Z"), w.Reason)
	}
	return found(Warn, fmt.Sprintf("terrier webhook tail %q", ailing[0].Name), "%s: %s", count(len(ailing), "receiver"), some(list))
}
