package rest

import (
	"errors"
	"net/http"
	"strconv"

	"terrier/internal/feed"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// feedPath is where changes are read in the order of their positions.
const feedPath = "/api/extras/feed/"

// textCopies is how often the documents of changes are in memory until they are sent: as they were read, and in the answer.
const textCopies = 2

// feedRoute is the address of the feed. Everybody who may see the change log may read it.
func (a *API) feedRoute() Route {
	describe := action{summary: "Read changes in the order of their positions", status: http.StatusOK, answer: feedSchema,
		also:       object{streamType: object{"schema": streamSchema}},
		parameters: feedParameters(), failures: object{
			"410": response("The changes after this position are no longer kept, or there never were as many.", goneSchema),
			"429": response("Too many requests of this caller wait already.", ref("Error"))}}
	return Route{Pattern: feedPath + "{$}", Type: a.Registry.Type(store.ChangeType), Methods: []string{"GET"}, Proves: []string{"GET"},
		Actions: map[string]action{"GET": describe}, handle: map[string]http.HandlerFunc{"GET": a.feed}}
}

func (a *API) feed(w http.ResponseWriter, r *http.Request) {
	q, err := a.feedQuery(r)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	if wantsStream(r) {
		a.live(w, r, q)
		return
	}
	caller := ledger.CallerFrom(r.Context())
	page, release, err := store.Answer(r.Context(), a.Ledger.Store, caller.Asker(), func() (feed.Page, int, error) {
		page, err := a.Feed.Read(r.Context(), caller, q)
		q.Wait, q.Held = 0, true // if it must be read again, there is something
		return page, textCopies * page.Bytes(), err
	})
	if err != nil {
		a.failFeed(w, r, err)
		return
	}
	defer release()
	b := append(make([]byte, 0, 256+2048*len(page.Changes)), `{"results":[`...)
	for i, c := range page.Changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPositioned(b, c.Positioned)
	}
	b = append(b, `],"next":`...)
	b = strconv.AppendInt(b, page.Next, 10)
	b = append(b, `,"oldest":`...)
	b = strconv.AppendInt(b, page.Oldest, 10)
	b = append(b, `,"newest":`...)
	b = strconv.AppendInt(b, page.Newest, 10)
	a.send(w, r, http.StatusOK, append(b, '}'))
}

// failFeed answers with an error. Whoever asks for what is gone learns what there is.
func (a *API) failFeed(w http.ResponseWriter, r *http.Request, err error) {
	gone, ok := errors.AsType[*feed.GoneError](err)
	if !ok || store.Unproven(r.Context()) {
		a.Fail(w, r, err)
		return
	}
	a.sendValue(w, r, http.StatusGone, object{"detail": gone.Error(), "oldest": gone.Oldest, "newest": gone.Newest})
}

// appendPositioned writes a change as the body of a delivery has it, with its position and the record's type, id and version before it.
func appendPositioned(b []byte, c store.Positioned) []byte {
	b = append(b, `{"position":`...)
	b = strconv.AppendInt(b, c.Position, 10)
	b = append(b, `,"object_type":`...)
	b = record.AppendString(b, c.ObjectType)
	b = append(b, `,"object_id":`...)
	b = strconv.AppendInt(b, c.ObjectID, 10)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, c.Version, 10)
	b = append(b, ',')
	return append(b, c.Event().Body()[1:]...) // without its first brace
}
