package api_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

// least makes records with only the fields that they need, from the declaration of their type, so that a new type
// rarely needs a line in a table. What a record refers to is the first one of its type, so that everything belongs
// to the same device, device type and rack.
type least struct {
	admin  actor
	first  map[*record.Type]int64
	bodies map[*record.Type]int // how many were made
	n      int
}

func newLeast(s *apitest.Server) *least {
	return &least{admin: adminOf(s), first: map[*record.Type]int64{}, bodies: map[*record.Type]int{}}
}

// leastNeeds are values of the least records that others need.
var leastNeeds = map[string]obj{
	"dcim.devicetype":    {"subdevice_role": "parent"}, // only such devices have device bays
	"ipam.l2vpn":         {"type": "vxlan"},            // with any number of ends
	"extras.savedfilter": {"shared": false},            // everybody sees the others
}

// firstOf returns the record that every reference to a type points to.
func (l *least) firstOf(tb testing.TB, t *record.Type) int64 {
	tb.Helper()
	if l.first[t] == 0 {
		_, l.first[t] = l.create(tb, t)
	}
	return l.first[t]
}

// create makes a record as the administrator. Where only one record can refer to another, it refers to a new one, so
// that the first one stays free.
func (l *least) create(tb testing.TB, t *record.Type) (obj, int64) {
	tb.Helper()
	body := l.body(tb, t)
	for _, name := range exclusive(t) {
		_, body[name] = l.create(tb, record.TargetOf(t.Field(name)))
	}
	for _, ref := range t.References() {
		if slices.ContainsFunc(t.Unique, func(u record.Unique) bool { return slices.Equal(u.Fields, []string{ref.TypeField, ref.IDField}) }) {
			_, body[ref.IDField] = l.create(tb, ref.Targets[0])
		}
	}
	return body, l.admin.create(tb, t.Path(), body)
}

// exclusive returns the references of a type to records that only one of the least records can refer to: those in a
// rule of uniqueness whose other fields are the same in all of them.
func exclusive(t *record.Type) (refs []string) {
	for _, u := range t.Unique {
		var own []string
		for _, name := range u.Fields {
			if f := t.Field(name); f.Info().Required && record.TargetOf(f) != nil {
				own = append(own, name)
			} else if f.Info().HalfOf != "" {
				continue // the first record
			} else if f.Info().Required {
				own = nil
				break
			}
		}
		if u.Where == "" && !u.NullsDiffer {
			refs = append(refs, own...)
		}
	}
	return refs
}

// body is the body of a record that does not exist yet.
func (l *least) body(tb testing.TB, t *record.Type) obj {
	tb.Helper()
	l.n++
	l.bodies[t]++
	body := obj{}
	maps.Copy(body, needed[t.Key()])
	maps.Copy(body, leastNeeds[t.Key()])
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
		if _, given := body[in.Name]; given || !in.Required && !mayOwn(t, in.Name) || in.ReadOnly || halves[in.Name] {
			continue
		}
		if format := formats[t.Key()+"."+in.Name]; format != "" {
			body[in.Name] = fmt.Sprintf(format, l.n)
			continue
		}
		switch x := f.(type) {
		case record.Text, record.Slug:
			body[in.Name] = fmt.Sprint("least", l.n)
		case record.File:
			body[in.Name] = apitest.DataURL(tb, l.n)
		case record.Int:
			body[in.Name] = bounded(x, l.n)
		case record.Ints:
			body[in.Name] = []int{l.bodies[t]} // small, as the units of a rack are
		case record.Decimal:
			body[in.Name] = l.n
		case record.Choice:
			body[in.Name] = x.Of[0].Value
		case record.Address:
			body[in.Name] = fmt.Sprintf("2001:db8::%x:%x/64", l.n, map[string]int{"start_address": 1}[in.Name]^0xff)
		case record.Network:
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
