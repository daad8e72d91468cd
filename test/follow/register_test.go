package follow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

type object = install.Object

// followed are the types that are copied. Sites refer to regions, which changes them when a region is deleted.
var followed = []string{"dcim.region", "dcim.site"}

var paths = map[string]string{"dcim.region": "/api/dcim/regions/", "dcim.site": "/api/dcim/sites/"}

// register is a server with records that many change at once.
type register struct {
	*install.Process
	key string
	db  *pgxpool.Pool

	mu  sync.Mutex
	ids map[string][]int64
	n   int // names that were given out
}

func newRegister(t *testing.T) *register {
	t.Helper()
	database := dbtest.New(t)
	in := install.New(t, database)
	in.User("alice", "correct horse battery staple", "--superuser")
	return &register{Process: in.Serve(), key: in.Token("alice"), db: install.Connect(t, database), ids: map[string][]int64{}}
}

// forgetChanges drops all positions, as retention does with old ones.
func (r *register) forgetChanges(t *testing.T) {
	t.Helper()
	install.Eventually(t, "every change should have a position", func() bool {
		var waiting int
		err := r.db.QueryRow(t.Context(), `SELECT count(*) FROM extras_objectchange c WHERE NOT EXISTS (
			SELECT FROM extras_position p WHERE p.change_id = c.id)`).Scan(&waiting)
		return err == nil && waiting == 0
	})
	if _, err := r.db.Exec(t.Context(), "UPDATE extras_sequencer SET oldest = newest + 1; DELETE FROM extras_position"); err != nil {
		t.Fatal(err)
	}
}

// records returns the register as snapshots show it, in the form of a copy.
func (r *register) records(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, kind := range followed {
		lines := strings.Split(strings.TrimSpace(r.Get("/api/extras/feed/snapshot/?type="+kind, r.key).Want(t, http.StatusOK).Body), "\n")
		type line struct {
			ID, Version int64
			State       json.RawMessage
		}
		var found []line
		for _, text := range lines[1 : len(lines)-1] {
			var one line
			if err := json.Unmarshal([]byte(text), &one); err != nil {
				t.Fatal(err)
			}
			found = append(found, one)
		}
		slices.SortFunc(found, func(a, b line) int { return int(a.ID - b.ID) })
		for _, x := range found {
			var state bytes.Buffer
			if err := json.Compact(&state, x.State); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%s %d %d %s\n", kind, x.ID, x.Version, state.String())
		}
	}
	return all.String()
}

// change makes one random request. Another writer may have deleted the record meanwhile.
func (r *register) change(t *testing.T, random *rand.Rand) {
	kind := followed[min(random.IntN(6), 1)]
	id := r.pick(kind, random)
	switch n := random.IntN(10); {
	case id == 0 || n < 4:
		r.create(t, kind, random)
	case n < 6:
		r.want(t, r.Do(http.MethodPatch, fmt.Sprintf("%s%d/", paths[kind], id), r.key, object{"description": odd(random)}), 200, 404)
	case n < 7:
		other := r.pick(kind, random)
		r.want(t, r.Do(http.MethodPatch, paths[kind], r.key, []object{{"id": id, "description": odd(random)},
			{"id": other, "description": odd(random)}}), 200, 400)
	case n < 8:
		r.want(t, r.Do(http.MethodPatch, fmt.Sprintf("%s%d/", paths["dcim.site"], r.pick("dcim.site", random)), r.key,
			object{"region": r.pick("dcim.region", random), "latitude": fmt.Sprintf("%.6f", random.Float64()*90)}), 200, 404, 400)
	default:
		r.forget(kind, id)
		r.want(t, r.Do(http.MethodDelete, fmt.Sprintf("%s%d/", paths[kind], id), r.key, nil), 204, 404, 409)
	}
}

// want reports an answer that has none of some statuses.
func (r *register) want(t *testing.T, a install.Answer, statuses ...int) {
	if !slices.Contains(statuses, a.Status) {
		t.Errorf("want one of %d: %v", statuses, a)
	}
}

func (r *register) create(t *testing.T, kind string, random *rand.Rand) {
	r.mu.Lock()
	r.n++
	name := fmt.Sprint("n", r.n)
	r.mu.Unlock()
	a := r.Do(http.MethodPost, paths[kind], r.key, object{"name": name, "slug": name, "description": odd(random)})
	var made struct{ ID int64 }
	if r.want(t, a, http.StatusCreated); json.Unmarshal([]byte(a.Body), &made) == nil && made.ID > 0 {
		r.mu.Lock()
		r.ids[kind] = append(r.ids[kind], made.ID)
		r.mu.Unlock()
	}
}

// pick returns the id of a record that there may be, 0 for none.
func (r *register) pick(kind string, random *rand.Rand) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ids := r.ids[kind]; len(ids) > 0 {
		return ids[random.IntN(len(ids))]
	}
	return 0
}

func (r *register) forget(kind string, id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[kind] = slices.DeleteFunc(r.ids[kind], func(x int64) bool { return x == id })
}

// odd returns a text that is easily damaged on the way.
func odd(random *rand.Rand) string {
	all := []string{`quote " and \ and /`, "line\nend\ttab", "Zürich — 東京 🐕", "<b>&amp;</b>", "\u2028", "\u007f\u0001", "1.0", "it's", ""}
	return all[random.IntN(len(all))]
}
