package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"terrier/internal/jinja"
	"terrier/internal/record"
)

// Event is a change as a webhook sees it. All of it comes from the change row, so that a resend is the same. It is
// put together and decoded once, when first needed, however many webhooks use it.
type Event struct {
	Kind      string // created, updated or deleted
	Model     string // the lower-case name of the type: site
	Timestamp time.Time
	Username  string
	RequestID string

	// JSON text; empty means null.
	Data, Prechange, Postchange []byte

	body                        lazy[[]byte]
	data, prechange, postchange lazy[any]
	context                     lazy[jinja.Value]
}

// kinds maps the actions of the change log to the events that receivers know.
var kinds = map[string]string{"create": "created", "update": "updated", "delete": "deleted"}

// KindOf returns the kind of event of an action of the change log.
func KindOf(action string) string { return kinds[action] }

// Body returns the default body: the seven keys of the contract, with the record and its snapshots byte for byte as
// they were stored. Callers must not change it.
func (e *Event) Body() []byte {
	body, _ := e.body.get(func() ([]byte, error) { return e.assemble(), nil })
	return body
}

func (e *Event) assemble() []byte {
	b := make([]byte, 0, 256+len(e.Data)+len(e.Prechange)+len(e.Postchange))
	b = append(b, `{"event":`...)
	b = record.AppendString(b, e.Kind)
	b = append(b, `,"timestamp":`...)
	b = record.AppendValue(b, e.Timestamp.UTC())
	b = append(b, `,"model":`...)
	b = record.AppendString(b, e.Model)
	b = append(b, `,"username":`...)
	b = record.AppendString(b, e.Username)
	b = append(b, `,"request_id":`...)
	b = record.AppendString(b, e.RequestID)
	b = append(b, `,"data":`...)
	b = appendDocument(b, e.Data)
	b = append(b, `,"snapshots":{"prechange":`...)
	b = appendDocument(b, e.Prechange)
	b = append(b, `,"postchange":`...)
	b = appendDocument(b, e.Postchange)
	return append(b, '}', '}')
}

func appendDocument(dst, text []byte) []byte {
	if len(bytes.TrimSpace(text)) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, text...)
}

// values returns the event as a template sees it: the names and values of the default body.
func (e *Event) values() (jinja.Value, error) {
	return e.context.get(func() (jinja.Value, error) { return jinja.Decode(e.Body()) })
}

// lazy is read at most once, also by several goroutines.
type lazy[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (l *lazy[T]) get(read func() (T, error)) (T, error) {
	l.once.Do(func() { l.value, l.err = read() })
	return l.value, l.err
}

// decode reads one JSON document, an empty text being null, and keeps numbers as they are written.
func decode(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON")
	}
	return value, nil
}
