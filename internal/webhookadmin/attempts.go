package webhookadmin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// shownOfEarlier is how many bytes are shown of a body that is not the last one sent. It may have megabytes, and is usually the same
// each time.
const shownOfEarlier = 64 << 10

// AddAttempts adds the requests and answers to a delivery, for callers who may change its webhook. Bodies and answers may contain
// secrets.
func (a *Admin) AddAttempts(ctx context.Context, c ledger.Caller, v record.Values) error {
	scope, err := a.changeScope(c)
	if err != nil {
		return nil // the caller may not see them
	}
	if !scope.All() {
		if link := v.Link("webhook"); link.ID == 0 {
			return nil
		} else if _, err := a.store().Get(ctx, a.webhookType(), scope, link.ID); err != nil {
			return ignoreNotFound(err)
		}
	}
	attempts, event, err := a.store().Attempts(ctx, v.ID())
	if err != nil {
		return err
	}
	usual := printable(event.Body())
	first := max(1, int(v.Int("attempt_count"))-len(attempts)+1)
	shown := make([]attempt, len(attempts))
	for i, tried := range attempts {
		shown[i] = showAttempt(first+i, tried, usual)
		if i < len(attempts)-1 {
			shown[i].Request.cut(shownOfEarlier)
		}
	}
	raw, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("show the attempts of a delivery: %w", err)
	}
	v.Set("attempts", json.RawMessage(raw))
	return nil
}

func ignoreNotFound(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// attempt is how a request and its answer are shown. The destination is called target, because clients take every url for an address of
// ours and send their token there.
type attempt struct {
	Number   int            `json:"number"`
	Time     string         `json:"time"`
	Duration int64          `json:"duration_ms"`
	Error    string         `json:"error"`
	Request  attemptRequest `json:"request"`
	Response *attemptAnswer `json:"response"`
}

type attemptRequest struct {
	Method    string          `json:"method"`
	Target    string          `json:"target"`
	Headers   json.RawMessage `json:"headers"`
	Body      string          `json:"body"`
	Truncated bool            `json:"truncated"`
}

func (r *attemptRequest) cut(most int) {
	if len(r.Body) > most {
		r.Body, r.Truncated = strings.ToValidUTF8(r.Body[:most], ""), true
	}
}

type attemptAnswer struct {
	Status    int64           `json:"status"`
	Headers   json.RawMessage `json:"headers"`
	Body      string          `json:"body"`
	Truncated bool            `json:"truncated"`
}

func showAttempt(number int, a store.Attempt, usual string) attempt {
	body := usual
	if a.RequestBody != nil {
		body = printable(a.RequestBody)
	}
	out := attempt{Number: number, Time: a.StartedAt.UTC().Format(record.TimeLayout), Duration: a.Milliseconds, Error: a.Error,
		Request: attemptRequest{a.Method, a.Target, json.RawMessage(a.RequestHeaders), body, false}}
	if a.Status != nil {
		out.Response = &attemptAnswer{*a.Status, json.RawMessage(a.ResponseHeaders), printable(a.ResponseBody), a.Truncated}
	}
	return out
}

// printable returns text as it is, and other bytes quoted.
func printable(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return fmt.Sprintf("%q", b)
}
