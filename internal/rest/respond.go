package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// statuses is the one place where a kind of fault becomes a status.
var statuses = map[fault.Kind]int{
	fault.Internal:     http.StatusInternalServerError,
	fault.Invalid:      http.StatusBadRequest,
	fault.Denied:       http.StatusForbidden,
	fault.NotFound:     http.StatusNotFound,
	fault.Gone:         http.StatusGone,
	fault.Held:         http.StatusConflict,
	fault.Precondition: http.StatusPreconditionFailed,
	fault.Throttled:    http.StatusTooManyRequests,
	fault.TooLarge:     http.StatusRequestEntityTooLarge,
	fault.LongAddress:  http.StatusRequestURITooLong,
	fault.Unsupported:  http.StatusUnsupportedMediaType,
	fault.NotAllowed:   http.StatusMethodNotAllowed,
	fault.Slow:         http.StatusServiceUnavailable,
	fault.Busy:         http.StatusServiceUnavailable,
	fault.Unavailable:  http.StatusServiceUnavailable,
	fault.Uncertain:    http.StatusInternalServerError,
}

// Fail answers with an error. An error that is no fault is logged, and its text is not sent.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if store.Unproven(r.Context()) {
		return // it may fail only because of the claim: the server looks the caller up and tries again
	}
	w.Header().Set("API-Version", Version)
	if level, log := fault.LogLevel(err); log {
		a.Log.Log(r.Context(), level, "request failed", "error", err, "method", r.Method, "path", r.URL.Path, "request_id",
			ledger.CallerFrom(r.Context()).RequestID)
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok { // also if the caller may be gone: without our answer the server would send 200
		e = fault.New(fault.Internal, "The server could not complete the request; its log holds the reason under this request's X-Request-ID.")
	}
	var body any = map[string]string{"detail": e.Detail}
	if e.Kind == fault.Invalid {
		body = invalidBody(e)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.999)))
	}
	a.sendValue(w, r, statuses[e.Kind], body)
}

func invalidBody(e *fault.Error) any {
	switch {
	case e.Items != nil:
		items := make([]fault.Fields, len(e.Items))
		for i, f := range e.Items {
			if items[i] = f; f == nil {
				items[i] = fault.Fields{}
			}
		}
		return items
	case e.Fields != nil:
		return e.Fields
	}
	return map[string]string{"detail": e.Detail}
}

// single unwraps the errors of a request that had one object.
func single(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && len(e.Items) == 1 {
		return &fault.Error{Kind: e.Kind, Fields: e.Items[0]}
	}
	return err
}

// listed gives a list of one its errors by position, like any other list.
func listed(err error) error {
	if e, ok := errors.AsType[*ledger.MissingError](err); ok {
		return e.Listed
	}
	return err
}

// sendValue answers with a small value.
func (a *API) sendValue(w http.ResponseWriter, r *http.Request, status int, v any) {
	// Not record.EncodeJSON, which refuses a zero byte: a message may quote one.
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // made here, of plain values
	}
	a.send(w, r, status, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// send answers with JSON, indented if the caller asked for it and it does not grow out of proportion: nested lists
// could fill the memory with spaces.
func (a *API) send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if n := indent(r); n > 0 && spaces(body, n) <= 3*len(body)+1<<20 {
		var b bytes.Buffer
		if json.Indent(&b, body, "", strings.Repeat(" ", n)) == nil {
			body = b.Bytes()
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	a.head(w, status)
	if r.Method != http.MethodHead {
		_, _ = lasting.AnswerWriter(w, len(body)).Write(body) // a caller that has gone away is not an error here
	}
}

// head begins an answer of JSON.
func (a *API) head(w http.ResponseWriter, status int) {
	a.headers(w)
	w.WriteHeader(status)
}

func (a *API) headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Vary", vary)
	h.Set("Cache-Control", "no-store") // it may contain what only this caller may see
}

// indent reads the parameter of "Accept: application/json; indent=4".
func indent(r *http.Request) int {
	accept := r.Header.Get("Accept")
	if !strings.Contains(accept, "indent") {
		return 0
	}
	_, params, err := mime.ParseMediaType(strings.Split(accept, ",")[0])
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(params["indent"])
	return max(0, min(n, 8))
}

// spaces returns how many bytes an indentation adds.
func spaces(body []byte, indent int) (added int) {
	var s shape
	for _, c := range body {
		before := s
		if s.take(c); s.values != before.values || s.depth != before.depth {
			added += 1 + s.depth*indent
		}
	}
	return added
}

// sendRecord answers with all of one record.
func (a *API) sendRecord(w http.ResponseWriter, r *http.Request, status int, v record.Values) {
	a.sendView(w, r, status, v, record.View{})
}

// sendView answers with a part of one record, and the version it can be changed by.
func (a *API) sendView(w http.ResponseWriter, r *http.Request, status int, v record.Values, view record.View) {
	w.Header().Set("ETag", etag(v.Version))
	if status == http.StatusCreated {
		w.Header().Set("Location", a.Printer.URL(v.Type(), v.ID()))
	}
	a.send(w, r, status, a.Printer.Append(make([]byte, 0, 2048), v, v.Type().Plan(view)))
}

// sendRecords answers a bulk request. What it did is done, so the answer waits for nothing.
func (a *API) sendRecords(w http.ResponseWriter, r *http.Request, status int, t *record.Type, rows []record.Values) {
	defer a.Ledger.Store.CountAnswer(ledger.CallerFrom(r.Context()).Asker(), store.Page{Rows: rows}.Bytes())()
	out := &listing{a: a, w: w, r: r, status: status, buf: make([]byte, 0, 1024*len(rows))}
	out.records(t, rows, record.View{})
	out.end()
}

func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// tagPattern finds the tags of an If-Match: quoted, weak or, because some clients forget the quotes, bare.
var tagPattern = regexp.MustCompile(`(?:W/)?"[^"]*"|[^,\s]+`)

// ifMatch returns the versions that the caller wants to change, nil for any. A weak tag matches none, as the standard
// requires.
func ifMatch(r *http.Request) []int64 {
	given := strings.TrimSpace(strings.Join(r.Header.Values("If-Match"), ","))
	if given == "" || given == "*" {
		return nil
	}
	versions := []int64{}
	for _, tag := range tagPattern.FindAllString(given, -1) {
		if inner := strings.Trim(tag, `"`); tag == `"`+inner+`"` {
			tag = inner
		}
		if n, err := strconv.ParseInt(tag, 10, 64); err == nil {
			versions = append(versions, n)
		}
	}
	return versions
}
