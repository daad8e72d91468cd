package rest

import (
	"bufio"
	"errors"
	"net/http"
	"runtime"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// snapshotPath is where all records of a type are read as they are at one moment.
const snapshotPath = "/api/extras/feed/snapshot/"

// linesType is the media type of a text with one JSON value on each line.
const linesType = "application/x-ndjson"

// snapshotRoute is its address.
func (a *API) snapshotRoute() Route {
	return Route{Pattern: snapshotPath + "{$}", Methods: []string{http.MethodGet}, Proves: []string{http.MethodGet},
		Actions: map[string]action{http.MethodGet: {summary: "Read all records of a type at one moment, one on each line",
			status: http.StatusOK, media: linesType, answer: snapshotSchema, parameters: []object{{"name": "type", "in": "query",
				"required": true, "description": "The record type, such as dcim.site.", "schema": object{"type": "string"}}}}},
		handle: map[string]http.HandlerFunc{http.MethodGet: a.snapshot}}
}

var snapshotSchema = object{"type": "string", "description": `One JSON object on each line. The first has the position of the moment and ` +
	`the type: {"position": 812345, "type": "dcim.site"}. Then each record follows with its id, its version and its state in the form of ` +
	`snapshots.postchange: {"id": 7, "version": 3, "state": {}}. The last is {"end": true, "count": 1}: without it, lines are missing.`}

// snapshot sends all records of a type that the caller may see, line by line, as they are at one moment.
func (a *API) snapshot(w http.ResponseWriter, r *http.Request) {
	t, err := a.snapshotType(r)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	out := &lines{headOnly: r.Method == http.MethodHead}
	begin := func(position int64) error {
		w := pass(w)
		out.to = bufio.NewWriterSize(lasting.PacedWriter(w, lasting.Stall), linesBytes)
		a.headers(w)
		w.Header().Set("Content-Type", linesType)
		w.WriteHeader(http.StatusOK)
		return out.begin(t, position)
	}
	err = a.Ledger.Snapshot(r.Context(), ledger.CallerFrom(r.Context()), t, begin, out.add)
	if err == nil {
		err = out.end()
	}
	// Also of one that is broken off: what was sent is read.
	if noted := a.Ledger.NoteExport(r.Context(), ledger.CallerFrom(r.Context()), t, out.count, "snapshot"); noted != nil {
		a.Log.ErrorContext(r.Context(), "record a snapshot", "error", noted)
	}
	switch {
	case err == nil, errors.Is(err, errHeadOnly):
	case !out.begun:
		a.Fail(w, r, err)
	default:
		// An incomplete answer must not look complete.
		a.Log.WarnContext(r.Context(), "snapshot broken off", "error", err, "type", t.Key(), "request_id",
			ledger.CallerFrom(r.Context()).RequestID)
		panic(http.ErrAbortHandler)
	}
}

// snapshotType reads the type from the address. Only changes of types that notify are in the feed.
func (a *API) snapshotType(r *http.Request) (*record.Type, error) {
	params, err := a.partParams(r, "type")
	if err != nil {
		return nil, err
	}
	if len(params["type"]) != 1 {
		return nil, fault.Field("type", "Give one record type, such as dcim.site.")
	}
	t := a.Registry.Type(params.Get("type"))
	if t == nil || !t.Notifies() {
		return nil, fault.Field("type", "Choose a record type that webhooks can be notified of, such as dcim.site.")
	}
	return t, nil
}

// linesBytes is how many bytes of lines are sent at once.
const linesBytes = 64 << 10

// errHeadOnly ends a snapshot whose records nobody asked for.
var errHeadOnly = errors.New("only the head is asked for")

// lines writes a snapshot.
type lines struct {
	to       *bufio.Writer
	headOnly bool
	begun    bool
	count    int64
	buf      []byte
}

func (l *lines) begin(t *record.Type, position int64) error {
	if l.begun = true; l.headOnly {
		return errHeadOnly
	}
	b := strconv.AppendInt([]byte(`{"position":`), position, 10)
	b = record.AppendString(append(b, `,"type":`...), t.Key())
	return l.write(append(b, "}\n"...))
}

func (l *lines) add(v record.Values) error {
	if l.count++; l.count%store.Breather == 0 {
		runtime.Gosched()
	}
	l.buf = strconv.AppendInt(append(l.buf[:0], `{"id":`...), v.ID(), 10)
	l.buf = strconv.AppendInt(append(l.buf, `,"version":`...), v.Version, 10)
	l.buf = record.AppendSnapshot(append(l.buf, `,"state":`...), v)
	l.buf = append(l.buf, "}\n"...)
	return l.write(l.buf)
}

func (l *lines) end() error {
	b := strconv.AppendInt([]byte(`{"end":true,"count":`), l.count, 10)
	return errors.Join(l.write(append(b, "}\n"...)), l.to.Flush())
}

func (l *lines) write(b []byte) error {
	_, err := l.to.Write(b)
	return err
}
