package access_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/inventory"
	"terrier/internal/record"
)

func registry(tb testing.TB) *record.Registry {
	tb.Helper()
	r, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func grant(types, action, constraints string) access.Grant {
	return access.Grant{Types: []string{types}, Actions: []string{action}, Constraints: json.RawMessage(constraints)}
}

const everything = -1

// alternatives are those of a limited scope, however many parts it has.
func alternatives(s access.Scope) (all [][]record.Predicate) {
	for _, part := range s.Parts() {
		all = append(all, part...)
	}
	return all
}

func TestScope(t *testing.T) {
	reg := registry(t)
	nobody, user := access.Subject{}, access.Subject{UserID: 7, ManageToken: true}
	with := func(grants ...access.Grant) access.Subject { s := user; s.Grants = grants; return s }
	bound := user
	bound.ManageToken = false
	for _, row := range []struct {
		name         string
		policy       *access.Policy
		subject      access.Subject
		on, action   string
		alternatives int // everything, or how many
		err          error
	}{
		{"nobody", &access.Policy{}, nobody, "dcim.site", "view", 0, fault.ErrNoCreds},
		{"nobody writes", &access.Policy{ExemptView: []string{"*"}}, nobody, "dcim.site", "add", 0, fault.ErrNoCreds},
		{"exempt by name", &access.Policy{ExemptView: []string{"dcim.site"}}, nobody, "dcim.site", "view", everything, nil},
		{"exempt, another type", &access.Policy{ExemptView: []string{"dcim.site"}}, nobody, "dcim.region", "view", 0, fault.ErrNoCreds},
		{"exempt wildcard", &access.Policy{ExemptView: []string{"*"}}, nobody, "dcim.region", "view", everything, nil},
		{"wildcard, guarded", &access.Policy{ExemptView: []string{"*"}}, nobody, "users.user", "view", 0, fault.ErrNoCreds},
		{"wildcard, tokens", &access.Policy{ExemptView: []string{"*"}}, nobody, "users.token", "view", 0, fault.ErrNoCreds},
		{"guarded by name", &access.Policy{ExemptView: []string{"users.user"}}, nobody, "users.user", "view", everything, nil},
		{"wildcard, changes of unguarded types", &access.Policy{ExemptView: []string{"*"}}, nobody, "extras.objectchange", "view", 1, nil},
		{"wildcard narrows no grant", &access.Policy{ExemptView: []string{"*"}}, with(grant("extras.objectchange", "view", "null")),
			"extras.objectchange", "view", everything, nil},
		{"wildcard widens a constraint", &access.Policy{ExemptView: []string{"*"}},
			with(grant("extras.objectchange", "view", `{"id":1}`)), "extras.objectchange", "view", 2, nil},
		{"exempt is for reading", &access.Policy{ExemptView: []string{"*"}}, user, "dcim.site", "change", 0, fault.ErrDenied},
		{"login required", &access.Policy{ExemptView: []string{"*"}, LoginRequired: true}, nobody, "dcim.site", "view", 0, fault.ErrNoCreds},
		{"login required, known", &access.Policy{ExemptView: []string{"*"}, LoginRequired: true}, user, "dcim.site", "view", everything, nil},
		{"login required, the command line", &access.Policy{LoginRequired: true}, access.Subject{Superuser: true}, "users.user", "add",
			everything, nil},
		{"superuser", &access.Policy{}, access.Subject{UserID: 1, Superuser: true}, "users.token", "grant", everything, nil},
		{"no grant", &access.Policy{}, user, "dcim.site", "view", 0, fault.ErrDenied},
		{"grant", &access.Policy{}, with(grant("dcim.site", "view", "null")), "dcim.site", "view", everything, nil},
		{"grant without constraints", &access.Policy{}, with(grant("dcim.site", "view", "")), "dcim.site", "view", everything, nil},
		{"another action", &access.Policy{}, with(grant("dcim.site", "view", "null")), "dcim.site", "add", 0, fault.ErrDenied},
		{"another type", &access.Policy{}, with(grant("dcim.site", "view", "null")), "dcim.region", "view", 0, fault.ErrDenied},
		{"constrained", &access.Policy{}, with(grant("dcim.site", "view", `{"name":"x","status":"active"}`)), "dcim.site", "view", 1, nil},
		{"alternatives", &access.Policy{}, with(grant("dcim.site", "view", `[{"name":"x"},{"name":"y"}]`)), "dcim.site", "view", 2, nil},
		{"several grants", &access.Policy{}, with(grant("dcim.site", "view", `{"name":"x"}`), grant("dcim.site", "view", `{"name":"y"}`)),
			"dcim.site", "view", 2, nil},
		{"one of them without constraints", &access.Policy{},
			with(grant("dcim.site", "view", `{"name":"x"}`), grant("dcim.site", "view", "null")), "dcim.site", "view", everything, nil},
		{"an empty list is nothing", &access.Policy{}, with(grant("dcim.site", "view", "[]")), "dcim.site", "view", 0, nil},
		{"a constraint of another shape is nothing", &access.Policy{}, with(grant("dcim.site", "view", `{"colour":"red"}`)), "dcim.site",
			"view", 0, fault.ErrDenied},
		{"broken constraints are nothing", &access.Policy{}, with(grant("dcim.site", "view", `{`)), "dcim.site", "view", 0, fault.ErrDenied},
		{"own tokens: view", &access.Policy{}, user, "users.token", "view", 1, nil},
		{"own tokens: add", &access.Policy{}, user, "users.token", "add", 1, nil},
		{"own tokens: grant", &access.Policy{}, user, "users.token", "grant", 0, fault.ErrDenied},
		{"taken away: add", &access.Policy{}, bound, "users.token", "add", 0, fault.ErrDenied},
		{"taken away: change", &access.Policy{}, bound, "users.token", "change", 0, fault.ErrDenied},
		{"taken away: view stays", &access.Policy{}, bound, "users.token", "view", 1, nil},
		{"taken away: revoking stays", &access.Policy{}, bound, "users.token", "delete", 1, nil},
		{"change without grant: own alone", &access.Policy{}, with(grant("users.token", "change", "null")), "users.token", "change", 1, nil},
		{"change and grant: own and others'", &access.Policy{},
			with(grant("users.token", "change", "null"), grant("users.token", "grant", "null")), "users.token", "change", 2, nil},
		{"delete without grant: own alone", &access.Policy{}, with(grant("users.token", "delete", "null")), "users.token", "delete", 1, nil},
		{"private and shared filters: view", &access.Policy{}, bound, "extras.savedfilter", "view", 2, nil},
		{"private filters: add", &access.Policy{}, bound, "extras.savedfilter", "add", 1, nil},
		{"private filters: delete", &access.Policy{}, bound, "extras.savedfilter", "delete", 1, nil},
		{"no filters of nobody", &access.Policy{ExemptView: []string{"*"}}, nobody, "extras.savedfilter", "view", 0, fault.ErrNoCreds},
		{"filters need no grant", &access.Policy{}, with(grant("extras.savedfilter", "change", "null")), "extras.savedfilter", "change",
			everything, nil},
		{"own and granted", &access.Policy{}, with(grant("users.token", "view", `{"write_enabled":false}`)), "users.token", "view", 2, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			scope, err := row.policy.Scope(&row.subject, reg.Type(row.on), row.action)
			if !errors.Is(err, row.err) || (err == nil) != (row.err == nil) {
				t.Fatalf("error %v, want %v", err, row.err)
			}
			ways := 1 // to pass all parts
			for _, part := range scope.Parts() {
				ways *= len(part)
			}
			if scope.All() != (row.alternatives == everything) || !scope.All() && ways != row.alternatives {
				t.Errorf("all %v, %d alternatives, want %d", scope.All(), ways, row.alternatives)
			}
		})
	}
}

// TestUserWord: $user in a constraint is the caller, and so is the owner of their own records.
func TestUserWord(t *testing.T) {
	reg := registry(t)
	s := access.Subject{UserID: 7, Grants: []access.Grant{grant("extras.objectchange", "view", `{"user":"$user"}`)}}
	for _, key := range []string{"extras.objectchange", "users.token"} {
		scope, err := (&access.Policy{}).Scope(&s, reg.Type(key), "view")
		if err != nil || len(alternatives(scope)) != 1 || !slices.Equal(alternatives(scope)[0][0].Values, []any{int64(7)}) {
			t.Errorf("%s: %+v, %v", key, alternatives(scope), err)
		}
	}
}

func TestZeroScope(t *testing.T) {
	var zero access.Scope
	if zero.All() || !zero.Empty() {
		t.Error("the zero scope holds something")
	}
	if got := zero.Or(access.Scope{}); got.All() || !got.Empty() {
		t.Error("two empty scopes hold something together")
	}
	if got := zero.And(record.Predicate{}); got.All() || !got.Empty() {
		t.Error("narrowed, the empty scope holds something")
	}
	if got := access.Machine().And(record.Predicate{}); got.All() || len(alternatives(got)) != 1 {
		t.Error("narrowed, the whole is still the whole")
	}
}

// TestScopesDoNotMultiply: a hundred alternatives of one permission and a hundred of another make two hundred tests,
// and every record of the scope passes one of each.
func TestScopesDoNotMultiply(t *testing.T) {
	reg := registry(t)
	many := make([]map[string]string, 100)
	for i := range many {
		many[i] = map[string]string{"description": fmt.Sprint(i)}
	}
	constraints, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	s := access.Subject{UserID: 7, Grants: []access.Grant{grant("users.token", "change", string(constraints)),
		grant("users.token", "grant", string(constraints))}}
	scope, err := (&access.Policy{}).Scope(&s, reg.Type("users.token"), "change")
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, part := range scope.Parts() {
		sizes = append(sizes, len(part))
	}
	if !slices.Equal(sizes, []int{100, 101}) { // and one's own
		t.Errorf("parts of %v alternatives", sizes)
	}
	wider := scope.Or((&access.Policy{}).Themselves(&s))
	if len(wider.Parts()) != 2 || len(wider.Parts()[0]) != 101 || len(wider.Parts()[1]) != 102 {
		t.Error("what is added to a scope is not added to each of its parts")
	}
}

// TestOrKeepsTheSubject: a wider scope belongs to the same subject, who sees no more of other types.
func TestOrKeepsTheSubject(t *testing.T) {
	reg := registry(t)
	p, s := &access.Policy{}, &access.Subject{UserID: 7, Grants: []access.Grant{grant("users.user", "view", `{"id":1}`)}}
	seen, err := p.Scope(s, reg.Type("users.user"), "view")
	if err != nil {
		t.Fatal(err)
	}
	for name, scope := range map[string]access.Scope{"first": p.Themselves(s).Or(seen), "second": seen.Or(p.Themselves(s)),
		"alone": p.Themselves(s).Or(access.Scope{})} {
		if scope.By().User != 7 || scope.Sees(reg.Type("dcim.site")).All() {
			t.Errorf("%s: by %v, sees all sites: %v", name, scope.By(), scope.Sees(reg.Type("dcim.site")).All())
		}
	}
}

// TestNoGrantNoScope: without a grant that names the type and the action, the answer is an error and the zero scope,
// whatever other grants a user has; and a read never widens a write.
func TestNoGrantNoScope(t *testing.T) {
	reg := registry(t)
	var keys []string
	for _, typ := range reg.Types() {
		keys = append(keys, typ.Key())
	}
	actions := []string{"view", "add", "change", "delete", "grant"}
	constraints := []string{"", "null", "{}", "[]", `{"id":1}`, `[{"id":1},{"id__in":[2,3]}]`, `{"nothing":1}`, `{`, `1`, `{"id":"$user"}`}
	rapid.Check(t, func(rt *rapid.T) {
		p := access.Policy{ExemptView: rapid.SliceOfN(rapid.SampledFrom(append([]string{"*"}, keys...)), 0, 2).Draw(rt, "exempt"),
			LoginRequired: rapid.Bool().Draw(rt, "login")}
		s := access.Subject{UserID: rapid.Int64Range(0, 2).Draw(rt, "user"), ManageToken: rapid.Bool().Draw(rt, "manage"),
			Grants: rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) access.Grant {
				return access.Grant{Types: rapid.SliceOfN(rapid.SampledFrom(keys), 0, 3).Draw(rt, "types"),
					Actions:     rapid.SliceOfN(rapid.SampledFrom(actions), 0, 3).Draw(rt, "actions"),
					Constraints: json.RawMessage(rapid.SampledFrom(constraints).Draw(rt, "constraints"))}
			}), 0, 4).Draw(rt, "grants")}
		typ, action := reg.Type(rapid.SampledFrom(keys).Draw(rt, "type")), rapid.SampledFrom(actions).Draw(rt, "action")
		scope, err := p.Scope(&s, typ, action)
		if err != nil && (scope.All() || !scope.Empty()) {
			rt.Fatalf("refused and yet given %+v", scope)
		}
		exempt := action == "view" && (slices.Contains(p.ExemptView, typ.Key()) || slices.Contains(p.ExemptView, "*") && !typ.Sensitive)
		own := typ.Owner != "" && slices.Contains([]string{"view", "add", "change", "delete"}, action)
		named := slices.ContainsFunc(s.Grants, func(g access.Grant) bool {
			return slices.Contains(g.Types, typ.Key()) && slices.Contains(g.Actions, action)
		})
		switch {
		case s.Anonymous() && (p.LoginRequired || !exempt):
			if !errors.Is(err, fault.ErrNoCreds) {
				rt.Fatalf("nobody got %+v, %v", scope, err)
			}
		case !exempt && !own && !named:
			if !errors.Is(err, fault.ErrDenied) {
				rt.Fatalf("without a grant: %+v, %v", scope, err)
			}
		}
		for _, alternative := range alternatives(scope) {
			if typ.Shared != "" && action == "view" && alternative[0].Field == typ.Field(typ.Shared) {
				continue // what others share
			}
			if own && !named && !exempt && !slices.Equal(alternative[0].Values, []any{s.UserID}) {
				rt.Fatalf("somebody else's: %+v", alternative)
			}
		}
	})
}

// TestConstraintsLeaveTestsOut: the change of a test repeats a record under the name of no type, which no constraint
// on types could leave out.
func TestConstraintsLeaveTestsOut(t *testing.T) {
	changes := registry(t).Type("extras.objectchange")
	s := access.Subject{UserID: 7, Grants: []access.Grant{grant("extras.objectchange", "view",
		`[{"changed_object_type__n":"tenancy.tenant"},{"id":1}]`)}}
	scope, err := (&access.Policy{}).Scope(&s, changes, "view")
	if err != nil || len(alternatives(scope)) != 2 {
		t.Fatal(alternatives(scope), err)
	}
	for _, tests := range alternatives(scope) {
		last := tests[len(tests)-1]
		if last.Lookup != record.NotStarts || last.Values[0] != "test." || last.Field.Info().Name != "changed_object_type" {
			t.Errorf("%+v lets tests through", tests)
		}
	}
}

// TestEveryActionIsDeclared: permissions can allow every action that the program asks for.
func TestEveryActionIsDeclared(t *testing.T) {
	reg := registry(t)
	for _, action := range []string{access.View, access.Add, access.Change, access.Delete} {
		if !slices.Contains(reg.Rights(), action) {
			t.Errorf("%s is no action", action)
		}
	}
	for _, typ := range reg.Types() {
		if typ.Owner != "" && typ.Shared == "" && !slices.Contains(typ.Rights, access.Grants) {
			t.Errorf("%s has an owner and does not declare %s", typ.Key(), access.Grants)
		}
	}
}

// TestConstraintsAreReadOnce: several decisions about one caller read the constraints once, although each request makes a
// new subject.
func TestConstraintsAreReadOnce(t *testing.T) {
	site, p := registry(t).Type("dcim.site"), &access.Policy{}
	decide := func() {
		s := &access.Subject{UserID: 7, Grants: []access.Grant{grant("dcim.site", "view",
			`[{"name__in":["x","y"],"region__slug":"emea"},{"tenant":"$user"}]`)}}
		scope, err := p.Scope(s, site, "view")
		if err != nil || len(alternatives(scope)) != 2 {
			t.Fatalf("%+v, %v", alternatives(scope), err)
		}
	}
	decide()
	if n := testing.AllocsPerRun(100, decide); n > 25 {
		t.Errorf("a decision allocates %.0f times", n)
	}
	other, err := p.Scope(&access.Subject{UserID: 8, Grants: []access.Grant{grant("dcim.site", "view", `{"tenant":"$user"}`)}}, site, "view")
	if err != nil || !slices.Equal(alternatives(other)[0][0].Values, []any{int64(8)}) {
		t.Errorf("another user: %+v, %v", alternatives(other), err)
	}
}

// TestConstraintsAreShared: scopes of several callers share the constraints, and a test that one adds does not show
// in another.
func TestConstraintsAreShared(t *testing.T) {
	changes, p := registry(t).Type("extras.objectchange"), &access.Policy{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 100 {
				s := &access.Subject{UserID: 7, Grants: []access.Grant{grant("extras.objectchange", "view", `[{"id":1},{"id":2}]`)}}
				scope, err := p.Scope(s, changes, "view")
				scope = scope.And(record.Predicate{Values: []any{int64(n)}})
				if all := alternatives(scope); err != nil || len(all) != 2 || len(all[0]) != 3 || all[0][2].Values[0] != int64(n) {
					t.Errorf("%+v, %v", all, err)
				}
			}
		})
	}
	wg.Wait()
}
