package hookpages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhook"
)

// attempt is one request and its answer.
type attempt struct {
	Number   int
	Time     time.Time
	Duration int64 `json:"duration_ms"`
	Error    string
	Request  sentMessage
	Response *sentMessage

	Took    string
	Good    bool
	BadBody string // why the body of the request is not what its content type says
}

// sentMessage is a request or an answer, as far as it was stored.
type sentMessage struct {
	Method, Target string
	Status         int
	Truncated      bool
	Headers        map[string][]string
	Body           string

	Lines  []sentHeader
	Pretty string // the body, indented if it is JSON
	Set    bool   // it was indented
	SameAs int    // the number of a newer attempt with the same body, as far as it is shown
}

type sentHeader struct{ Name, Value string }

// attemptsOf returns the attempts of a delivery, newest first. The ledger adds them for callers who may see them.
func attemptsOf(d record.Values) ([]attempt, error) {
	raw := d.Raw("attempts")
	if raw == nil {
		return nil, nil
	}
	var attempts []attempt
	if err := json.Unmarshal(raw, &attempts); err != nil {
		return nil, fmt.Errorf("read the attempts of a delivery: %w", err)
	}
	slices.Reverse(attempts)
	bodies := map[string]int{}
	for i := range attempts {
		a := &attempts[i]
		a.Took = web.InWords(time.Duration(a.Duration) * time.Millisecond)
		a.Request.setOut()
		if kind := a.Request.Headers["Content-Type"]; len(kind) == 1 && !a.Request.Truncated {
			a.BadBody = webhook.BadBody(kind[0], []byte(a.Request.Body))
		}
		number, known := bodies[a.Request.Body]
		switch newest := attempts[0]; {
		case known && a.Request.Body != "":
			a.Request.SameAs = number
		case a.Request.Truncated && strings.HasPrefix(newest.Request.Body, a.Request.Body):
			a.Request.SameAs = newest.Number
		default:
			bodies[a.Request.Body] = a.Number
		}
		if a.Response != nil {
			a.Response.setOut()
			a.Good = a.Response.Status >= 200 && a.Response.Status < 300
		}
	}
	return attempts, nil
}

// setOut formats a message for reading.
func (m *sentMessage) setOut() {
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		for _, value := range m.Headers[name] {
			m.Lines = append(m.Lines, sentHeader{name, value})
		}
	}
	m.Pretty = m.Body
	if begins := strings.TrimLeft(m.Body, " \t\r\n"); begins != "" && (begins[0] == '{' || begins[0] == '[') {
		m.Pretty = web.Indented(json.RawMessage(m.Body))
		m.Set = m.Pretty != m.Body
	}
}
