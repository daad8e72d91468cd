package api_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/test/apitest"
)

// TestATokenGivesNoTokenMoreThanItHas: a caller with a token writes no token that ends later, is usable from more addresses, or may
// write where its own may not: alone, in bulk, as an import, by provisioning, and by changing itself. A token without limits gives any,
// and so does the command line.
func TestATokenGivesNoTokenMoreThanItHas(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	aliceID, alice := newActor(t, s, "alice")
	soon, sooner, later := stamp(10*time.Minute), stamp(5*time.Minute), stamp(time.Hour)
	limited := func(limits obj) (int64, actor) {
		body := maps.Clone(limits)
		body["user"] = aliceID
		made := admin.do(t, "POST", tokens, body).Want(t, http.StatusCreated).Object(t)
		return apitest.ID(made), actor{s, made["key"].(string)}
	}
	nets := func(list ...string) []string { return append([]string{}, list...) }
	home := []string{"127.0.0.0/8", "2001:db8::/32"}

	for _, row := range []struct {
		name    string
		own     obj // what the caller's token has
		body    obj // what is asked for
		allowed bool
	}{
		{"no end, from one with an end", obj{"expires": soon}, obj{}, false},
		{"null as the end", obj{"expires": soon}, obj{"expires": nil}, false},
		{"a later end", obj{"expires": soon}, obj{"expires": later}, false},
		{"the same end", obj{"expires": soon}, obj{"expires": soon}, true},
		{"an earlier end", obj{"expires": soon}, obj{"expires": sooner, "write_enabled": false}, true},
		{"from everywhere", obj{"allowed_ips": home}, obj{}, false},
		{"from everywhere, said", obj{"allowed_ips": home}, obj{"allowed_ips": nets()}, false},
		{"from a larger network", obj{"allowed_ips": home}, obj{"allowed_ips": nets("126.0.0.0/7")}, false},
		{"from one inside and one outside", obj{"allowed_ips": home}, obj{"allowed_ips": nets("127.0.0.1", "10.0.0.1")}, false},
		{"from all of IPv6", obj{"allowed_ips": home}, obj{"allowed_ips": nets("::/0")}, false},
		{"from the other family's whole", obj{"allowed_ips": home}, obj{"allowed_ips": nets("0.0.0.0/0")}, false},
		{"from networks inside", obj{"allowed_ips": home}, obj{"allowed_ips": nets("127.0.0.1", "2001:db8:1::/48")}, true},
		{"from the same networks", obj{"allowed_ips": home}, obj{"allowed_ips": home}, true},
		{"within one limit, beyond the other", obj{"expires": soon, "allowed_ips": home}, obj{"expires": soon, "allowed_ips": nets()}, false},
		{"anything, from one without limits", obj{}, obj{}, true},
		{"with an end, from one without limits", obj{}, obj{"expires": later}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ownID, caller := limited(row.own)
			before := one[int](t, s, "SELECT count(*) FROM users_token")
			status, made := http.StatusForbidden, 0
			if row.allowed {
				status, made = http.StatusCreated, 1
			}
			a := caller.do(t, "POST", tokens, row.body).Want(t, status)
			if !row.allowed && !strings.Contains(string(a.Raw), "A token can't ") {
				t.Errorf("the answer does not say why: %s", a.Raw)
			}
			caller.do(t, "POST", tokens, []obj{row.body, row.body}).Want(t, status)
			provisioned := maps.Clone(row.body)
			maps.Copy(provisioned, obj{"username": "alice", "password": apitest.Password})
			caller.do(t, "POST", provision, provisioned).Want(t, status)
			if got := one[int](t, s, "SELECT count(*) FROM users_token") - before; got != 4*made {
				t.Errorf("%d tokens were made, want %d", got, 4*made)
			}
			if len(row.body) == 0 {
				return
			}
			// The same as a change: of itself, of another one, of several.
			status = http.StatusForbidden
			if row.allowed {
				status = http.StatusOK
			}
			otherID, _ := limited(row.own)
			narrow := maps.Clone(row.body)
			delete(narrow, "write_enabled") // the caller writes on
			listed := maps.Clone(narrow)
			listed["id"] = otherID
			caller.do(t, "PATCH", tokens, []obj{listed}).Want(t, status)
			caller.do(t, "PATCH", at(tokens, otherID), narrow).Want(t, status)
			caller.do(t, "PATCH", at(tokens, ownID), narrow).Want(t, status)
		})
	}

	t.Run("a token that has more is left alone", func(t *testing.T) {
		_, caller := limited(obj{"expires": soon})
		wideID, _ := limited(obj{"description": "wide"})
		for _, body := range []obj{{"description": "mine"}, {"expires": sooner}} {
			caller.do(t, "PATCH", at(tokens, wideID), body).Want(t, http.StatusForbidden)
		}
		caller.do(t, "DELETE", at(tokens, wideID), nil).Want(t, http.StatusNoContent) // revoking is never asked
	})
	t.Run("read-only", func(t *testing.T) {
		_, caller := limited(obj{"write_enabled": false})
		for body, status := range map[bool]int{true: http.StatusForbidden, false: http.StatusCreated} {
			caller.do(t, "POST", provision, obj{"username": "alice", "password": apitest.Password, "write_enabled": body}).Want(t, status)
		}
		caller.do(t, "POST", tokens, obj{"write_enabled": false}).Want(t, http.StatusForbidden) // as always
	})
	t.Run("import and the form of own tokens", func(t *testing.T) {
		_, caller := limited(obj{"expires": soon})
		before := one[int](t, s, "SELECT count(*) FROM users_token")
		r := httptest.NewRequest(http.MethodPost, s.URL+"/user/tokens/add/", strings.NewReader("description=mine&lifetime=never"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Token "+caller.key)
		w := httptest.NewRecorder()
		s.App.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("the form: %d", w.Code)
		}
		ends := time.Now().Add(time.Minute)
		importer := ledger.Caller{RequestID: uuid.NewString(),
			Subject: &access.Subject{UserID: aliceID, Username: "alice", ManageToken: true, TokenID: 1, Limits: access.Limits{Expires: &ends}}}
		err := s.App.Ledger.Import(t.Context(), importer, s.App.Registry.Type("users.token"), []ledger.Edit{{Input: ledger.Input{}}})
		if fault.KindOf(err) != fault.Denied {
			t.Errorf("import: %v", err)
		}
		if after := one[int](t, s, "SELECT count(*) FROM users_token"); after != before {
			t.Errorf("%d tokens were made", after-before)
		}
	})
	t.Run("without a token, and by one without limits", func(t *testing.T) {
		s.Do(t, apitest.Call{Method: "POST", Path: provision,
			Body: obj{"username": "alice", "password": apitest.Password}}).Want(t, http.StatusCreated)
		alice.do(t, "POST", tokens, obj{}).Want(t, http.StatusCreated)
		s.TokenOf(t, "alice", false)
	})
}

// stamp returns a time from now on as the API writes it.
func stamp(from time.Duration) string {
	return time.Now().Add(from).UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}
