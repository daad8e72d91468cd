package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/apitest"
)

// TestRestoreEachType: a record of any type that was changed in all fields that may change, except files, gets its first version back, to
// the letter. A version that is the current one differs in nothing.
func TestRestoreEachType(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	cookie := s.Login(t, "admin")
	defineCustom(t, s)
	changed := 0
	for _, typ := range s.App.Registry.Types() {
		if typ.ReadOnly {
			continue
		}
		t.Run(typ.Key(), func(t *testing.T) {
			u := suite{&sampler{s: s, n: 5_000 * next()}, typ}
			id := apitest.ID(u.create(t, typ))
			first, change := u.snapshot(t, id), u.lastChange(t, id)
			if r, err := s.App.Ledger.Restoring(t.Context(), everybody, u.read(t, id), ledger.Version{Snapshot: first}); err != nil ||
				len(r.Input) > 0 {
				t.Errorf("the current version differs: %v, %v", r, err)
			}
			for name, value := range u.body(t, typ) { // one by one: some may not change
				_, secret := record.SecrecyOf(typ.Field(name))
				_, file := typ.Field(name).(record.Uploaded) // the earlier one is gone when it is replaced
				if !secret && !file {
					s.Do(t, apitest.Call{Method: "PATCH", Path: u.path(id), Token: s.Admin, Body: obj{name: value}})
				}
			}
			if bytes.Equal(u.snapshot(t, id), first) {
				return
			}
			changed++
			path := strings.TrimPrefix(u.path(id), "/api") + "restore/"
			a := s.Do(t, apitest.Call{Method: "POST", Path: path, Body: fmt.Sprint("change=", change), Header: map[string]string{
				"Accept": "text/html", "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}})
			if a.Status != http.StatusSeeOther {
				t.Fatalf("%d %s", a.Status, a.Raw)
			}
			if got := u.snapshot(t, id); !bytes.Equal(got, first) {
				t.Errorf("restored to\n%s, want\n%s", got, first)
			}
		})
	}
	if changed < 40 {
		t.Errorf("only %d types could be changed", changed)
	}
}

// everybody is a caller who may do everything.
var everybody = ledger.Caller{Subject: &access.Subject{Superuser: true}}

func (u suite) read(t *testing.T, id int64) record.Values {
	t.Helper()
	found, err := u.s.App.Ledger.Get(t.Context(), everybody, u.t, id)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// snapshot returns the state of a record without the times that every change sets.
func (u suite) snapshot(t *testing.T, id int64) []byte {
	t.Helper()
	v := u.read(t, id).Clone()
	for _, name := range []string{"created", "last_updated"} {
		if u.t.Index(name) >= 0 {
			v.Set(name, nil)
		}
	}
	return record.AppendSnapshot(nil, v)
}

// lastChange returns the id of the last change of a record.
func (u suite) lastChange(t *testing.T, id int64) (change int64) {
	t.Helper()
	if err := u.s.DB.QueryRow(t.Context(), "SELECT max(id) FROM "+u.s.App.Registry.Type(store.ChangeType).Table()+
		" WHERE object_type = $1 AND object_id = $2", u.t.Key(), id).Scan(&change); err != nil {
		t.Fatal(err)
	}
	return change
}
