package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
)

const rights = 7 // the generation of the accounts

// audience is a feed whose news the test makes.
type audience struct {
	*testing.T
	*Feed
	newest int64
}

func newAudience(t *testing.T) *audience { return &audience{t, New(nil), 10} }

// happens adds changes such as "dcim.site update 3", which are read together.
func (a *audience) happens(changes ...string) {
	a.Helper()
	after, _ := a.news.wanted(a.newest + int64(len(changes)))
	part := store.FeedPart{Positions: store.Positions{Oldest: 1}, Accounts: rights}
	for _, text := range changes {
		a.newest++
		c := store.Positioned{Position: a.newest}
		if _, err := fmt.Sscan(text, &c.ObjectType, &c.Action, &c.ObjectID); err != nil {
			a.Fatal(err)
		}
		if c.Position > after {
			part.Changes = append(part.Changes, c)
		}
	}
	part.Newest, part.Next = a.newest, a.newest
	a.news.add(part, after)
}

func (a *audience) waits(q Query) *reader {
	q.After, q.Limit = a.newest, 100
	return a.wait(access.Machine(), q, rights)
}

// gets fails unless these positions are for a reader, and nothing else up to the newest one.
func (a *audience) gets(what string, r *reader, want ...int64) {
	a.Helper()
	page, err := r.recent(a.Context())
	var got []int64
	for _, c := range page.Changes {
		got = append(got, c.Position)
	}
	if err != nil || !slices.Equal(got, want) || page.Next != a.newest || page.Newest != a.newest {
		a.Errorf("%s gets %v up to %d, %v; want %v up to %d", what, got, page.Next, err, want, a.newest)
	}
}

// fails fails unless a reader gets an error.
func (a *audience) fails(what string, r *reader, want error) {
	a.Helper()
	if page, err := r.recent(a.Context()); !errors.Is(err, want) {
		a.Errorf("%s: got %v, %v; want %v", what, page.Changes, err, want)
	}
}

func woken(r *reader) bool {
	select {
	case <-r.seat.woken:
		return true
	default:
		return false
	}
}

// TestNews: whoever waits is woken by changes of the types and events that they want, or to the record, and by no others. They get these
// changes, and are done with the others.
func TestNews(t *testing.T) {
	t.Parallel()
	a := newAudience(t)
	readers := map[string]*reader{
		"all":     a.waits(Query{}),
		"sites":   a.waits(Query{Types: []string{"dcim.site", "dcim.rack"}}),
		"deletes": a.waits(Query{Actions: []string{store.Deleted}}),
		"site 3":  a.waits(Query{Type: "dcim.site", Object: 3}),
	}
	for _, turn := range []struct {
		changes []string
		want    map[string][]int64
	}{
		{[]string{"extras.tag create 1"}, map[string][]int64{"all": {11}}},
		{[]string{"dcim.site create 3", "extras.tag delete 1"},
			map[string][]int64{"all": {12, 13}, "sites": {12}, "deletes": {13}, "site 3": {12}}},
		{[]string{"dcim.site update 4", "dcim.rack update 3"}, map[string][]int64{"all": {14, 15}, "sites": {14, 15}}},
	} {
		a.happens(turn.changes...)
		for name, r := range readers {
			if got, want := woken(r), turn.want[name] != nil; got != want {
				t.Errorf("%v: %s is woken: %v", turn.changes, name, got)
			}
			a.gets(name, r, turn.want[name]...)
		}
	}
	for _, r := range readers {
		r.leave()
	}
	if a.Waiting() != 0 {
		t.Error("all have left, and somebody waits")
	}
}

// TestNewsBehind: who wants changes that are not recent, or not there any more, must read the database. Who wants nothing of them is not
// held up by them, however many there are.
func TestNewsBehind(t *testing.T) {
	t.Parallel()
	a := newAudience(t)
	slow, other := a.waits(Query{}), a.waits(Query{Types: []string{"dcim.rack"}})
	for range ringChanges/100 + 1 {
		a.happens(slices.Repeat([]string{"dcim.site update 1"}, 100)...)
	}
	a.fails("the slow one", slow, errBehind)
	a.gets("the other one", other)
	a.news.move(slow.seat, a.newest) // they have read the database
	a.happens("dcim.site update 1")
	a.gets("the slow one, then", slow, a.newest)

	late := a.wait(access.Machine(), Query{After: 20, Limit: 100}, rights)
	a.fails("one who begins long ago", late, errBehind)
	soon := a.wait(access.Machine(), Query{After: a.newest - 1, Limit: 100}, rights)
	a.gets("one who begins a moment ago", soon, a.newest)

	a.news.begin(a.newest - 5)
	a.fails("after a restore from a backup", other, errBehind)
}

// TestNewsConnection: with a new connection everybody reads the database, which proves what they may see. Without one they do so once in a
// pulse, because nobody hears of changes.
func TestNewsConnection(t *testing.T) {
	t.Parallel()
	a := newAudience(t)
	r := a.waits(Query{})
	a.news.add(store.FeedPart{Positions: store.Positions{Newest: 11, Oldest: 1}, Accounts: rights + 1, Next: 11,
		Changes: []store.Positioned{{Position: 11}}}, 10)
	a.news.begin(11)
	a.fails("whose rights have changed before a new connection", r, errBehind)

	woken(r)
	a.news.move(r.seat, 11)
	for _, c := range []struct {
		at   time.Duration
		want bool
	}{{0, true}, {Pulse - 1, false}, {Pulse, true}} {
		a.news.lookAgain(time.Unix(1e9, 0).Add(c.at))
		if got := woken(r); got != c.want {
			t.Errorf("without a connection for %v: woken is %t, want %t", c.at, got, c.want)
		}
	}
	a.fails("without a connection", r, errBehind)
}

// TestNewsWhileNobodyWaits: changes that nobody waited for are not kept, and whoever comes then reads them from the database.
func TestNewsWhileNobodyWaits(t *testing.T) {
	t.Parallel()
	a := newAudience(t)
	before := a.waits(Query{})
	before.leave()
	if _, wanted := a.news.wanted(12); wanted {
		t.Error("nobody waits, and changes are read")
	}
	r := a.waits(Query{})
	a.fails("who has read up to 10", r, errBehind)
	a.news.move(r.seat, 12)
	a.newest = 12
	a.gets("who has read up to 12", r)
}

// TestNewsEnds: whoever waits is woken when accounts change and when the server stops, and gets nothing then.
func TestNewsEnds(t *testing.T) {
	t.Parallel()
	a := newAudience(t)
	r := a.waits(Query{Types: []string{"dcim.rack"}})
	a.news.add(store.FeedPart{Positions: store.Positions{Newest: 11, Oldest: 1}, Accounts: rights + 1, Next: 11}, 10)
	if !woken(r) {
		t.Error("accounts have changed, and who waits is not woken")
	}
	a.fails("after a change of accounts", r, errStale)
	if got := a.news.position(r.seat); got != 10 {
		t.Errorf("changes up to %d were skipped for rights that may have changed", got)
	}
	r.adopt(access.Machine(), rights+1)
	a.newest = 11
	a.gets("looked up again", r)
	a.End()
	if !woken(r) {
		t.Error("the server stops, and who waits is not woken")
	}
	a.fails("at the end", r, ErrEnded)
}

// TestNewsWaits: a reader waits as long as their time allows, and not longer.
func TestNewsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAudience(t)
		r := a.waits(Query{})
		go func() {
			<-time.After(time.Second)
			a.happens("dcim.site create 1")
		}()
		began := time.Now()
		page, err := r.next(t.Context(), t.Context())
		if err != nil || len(page.Changes) != 1 || time.Since(began) != time.Second {
			t.Errorf("got %d changes, %v after %v", len(page.Changes), err, time.Since(began))
		}
		short, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		page, err = r.next(t.Context(), short)
		if err != nil || len(page.Changes) != 0 || page.Next != 11 || time.Since(began) != 21*time.Second {
			t.Errorf("got %d changes up to %d, %v after %v", len(page.Changes), page.Next, err, time.Since(began))
		}
	})
}
