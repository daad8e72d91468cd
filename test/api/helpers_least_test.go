package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

// least makes records with only their required fields, from the declaration of their type, so that a new type needs
// no line in any table.
type least struct {
	admin actor
	first map[*record.Type]int64
	n     int
}

func newLeast(s *apitest.Server) *least {
	return &least{admin: adminOf(s), first: map[*record.Type]int64{}}
}

// firstOf returns the record that every reference to a type points to: the oldest.
func (l *least) firstOf(tb testing.TB, t *record.Type) int64 {
	tb.Helper()
	if l.first[t] == 0 {
		if page := l.admin.page(tb, t.Path()+"?ordering=id&limit=1"); page.Count > 0 {
			l.first[t] = page.IDs()[0]
		} else {
			_, l.first[t] = l.create(tb, t)
		}
	}
	return l.first[t]
}

// create makes a record as the administrator.
func (l *least) create(tb testing.TB, t *record.Type) (obj, int64) {
	tb.Helper()
	body := l.body(tb, t)
	return body, l.admin.create(tb, t.Path(), body)
}

// body is the body of a record that does not exist yet.
func (l *least) body(tb testing.TB, t *record.Type) obj {
	tb.Helper()
	l.n++
	body := maps.Clone(needed[t.Key()])
	if body == nil {
		body = obj{}
	}
	halves := map[string]bool{}
	for _, f := range t.Fields {
		if ref, ok := f.(record.AnyRef); ok && ref.Required {
			kind, id := cmp.Or(ref.TypeName, ref.Name+"_type"), cmp.Or(ref.IDName, ref.Name+"_id")
			body[kind], body[id] = ref.To[0], l.firstOf(tb, t.Registry().Type(ref.To[0]))
			halves[kind], halves[id] = true, true
		}
	}
	for i, f := range t.All() {
		in := t.Infos()[i]
		if !in.Required || in.ReadOnly || halves[in.Name] {
			continue
		}
		if format := formats[t.Key()+"."+in.Name]; format != "" {
			body[in.Name] = fmt.Sprintf(format, l.n)
			continue
		}
		switch x := f.(type) {
		case record.Text, record.Slug:
			body[in.Name] = fmt.Sprint("least", l.n)
		case record.Int:
			body[in.Name] = bounded(x, l.n)
		case record.Decimal:
			body[in.Name] = l.n
		case record.Choice:
			body[in.Name] = x.Of[0].Value
		case record.Network, record.Address:
			body[in.Name] = fmt.Sprintf("2001:db8::%x/128", l.n)
		case record.Ref:
			body[in.Name] = l.firstOf(tb, record.TargetOf(x))
		case record.Secret:
			body[in.Name] = apitest.Password
		case record.ObjectTypes:
			body[in.Name] = []string{"dcim.region"}
		case record.Actions:
			body[in.Name] = []string{"view"}
		default:
			tb.Fatalf("%s.%s is required and of a kind that is new here", t.Key(), in.Name)
		}
	}
	return body
}
