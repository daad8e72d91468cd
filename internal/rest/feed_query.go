package rest

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/fault"
	"terrier/internal/feed"
	"terrier/internal/ledger"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// The parameters of the feed.
const (
	feedDefault = 100 // changes of one answer
	feedMost    = 1000
	feedWait    = 20 // seconds; a request has 25
)

var feedNames = []string{"after", "types", "events", "conditions", "object", "limit", "wait"}

// feedQuery reads the parameters.
func (a *API) feedQuery(r *http.Request) (feed.Query, error) {
	params, err := ledger.Params(r.URL.RawQuery)
	if err != nil {
		return feed.Query{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name != "format" && !slices.Contains(feedNames, name) && !a.Ledger.LooseFilters {
			return feed.Query{}, ledger.Unknown("parameter", name, feedNames)
		}
	}
	faults := fault.Fields{}
	q := feed.Query{Types: splitNames(params["types"])}
	number := func(name string, otherwise, least, most int64) int64 {
		if !params.Has(name) {
			return otherwise
		}
		n, err := strconv.ParseInt(params.Get(name), 10, 64)
		if err != nil || n < least || n > most || len(params[name]) > 1 {
			faults.Add(name, "Give one number from %d to %d.", least, most)
		}
		return n
	}
	q.After = number("after", feed.Oldest, 0, math.MaxInt64-1)
	q.Limit = cmp.Or(int(number("limit", feedDefault, 0, feedMost)), feedMost) // 0 means as many as possible, as it does for lists
	q.Wait = time.Duration(number("wait", 0, 0, feedWait)) * time.Second
	for _, key := range q.Types {
		a.checkType(faults, "types", key)
	}
	for _, kind := range splitNames(params["events"]) {
		if i := slices.Index(feedEvents, kind); i >= 0 {
			q.Actions = append(q.Actions, feedActions[i])
		} else {
			faults.Add("events", "%q is not one of %s.", kind, strings.Join(feedEvents, ", "))
		}
	}
	if text := params.Get("conditions"); text != "" {
		if q.Conditions, err = webhook.ParseConditions([]byte(text)); err != nil {
			faults.Add("conditions", "%s", err)
		}
	}
	if text := params.Get("object"); text != "" {
		key, id, _ := strings.Cut(text, ":")
		a.checkType(faults, "object", key)
		q.Type = key
		if q.Object, err = strconv.ParseInt(id, 10, 64); err != nil {
			faults.Add("object", "Write the type and the id of a record, such as dcim.site:7.")
		}
	}
	if len(faults) > 0 {
		return q, &fault.Error{Kind: fault.Invalid, Fields: faults}
	}
	return q, nil
}

// The events by which changes are chosen, and what the change log calls them.
var (
	feedActions = []string{store.Created, store.Updated, store.Deleted}
	feedEvents  = []string{webhook.KindOf(store.Created), webhook.KindOf(store.Updated), webhook.KindOf(store.Deleted)}
)

func (a *API) checkType(faults fault.Fields, name, key string) {
	if a.Registry.Type(key) == nil {
		faults.Add(name, "%q is not a record type. Write it as dcim.site.", key)
	}
}
