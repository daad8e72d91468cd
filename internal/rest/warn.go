package rest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"terrier/internal/record"
)

// The bounds of the warnings about the records of one request.
const (
	mostWarnings = 10
	warnWithin   = time.Second
)

// warn sends a header for each record that was saved, but for which something will go wrong. The body has no place for it: existing
// clients know what is in it.
func (a *API) warn(w http.ResponseWriter, r *http.Request, rows []record.Values) {
	if len(rows) == 0 || a.Warn[rows[0].Type().Key()] == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), warnWithin)
	defer cancel()
	for _, row := range rows {
		text := a.Warn[row.Type().Key()](ctx, row)
		if text == "" {
			continue
		}
		if len(rows) > 1 {
			text = fmt.Sprintf("%s %d: %s", row.Type().Title(), row.ID(), text)
		}
		w.Header().Add("Warning", "199 - "+strconv.QuoteToASCII(text)) // the code of RFC 7234 for anything
		if len(w.Header().Values("Warning")) == mostWarnings {
			return
		}
	}
}
