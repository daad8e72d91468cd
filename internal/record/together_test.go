package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

// TestTogetherDeclarations: a Together that could not be checked is refused.
func TestTogetherDeclarations(t *testing.T) {
	t.Parallel()
	check := func(record.Member, []record.Member) []record.Clash { return nil }
	for name, c := range map[string]struct {
		rules []record.Together
		want  string
	}{
		"good": {[]record.Together{{Of: "parent", Reads: []string{"flag", "parent.tag"}, OwnerReads: []string{"parent.name"},
			Check: check}}, ""},
		"of a text": {[]record.Together{{Of: "tag", Check: check}},
			`its Together is of "tag", which is not a reference to one record`},
		"of nothing":      {[]record.Together{{Of: "x", Check: check}}, `its Together is of "x", which is not a reference to one record`},
		"without a check": {[]record.Together{{Of: "parent"}}, `its Together of "parent" has no Check`},
		"twice": {[]record.Together{{Of: "parent", Check: check}, {Of: "parent", Check: check}},
			`its Together of "parent" is declared twice`},
		"reads nothing": {[]record.Together{{Of: "parent", Reads: []string{"x"}, Check: check}},
			`its Together of "parent" reads "x", which leads from a.b to no column`},
		"owner has none": {[]record.Together{{Of: "parent", OwnerReads: []string{"parent.x"}, Check: check}},
			`reads "parent.x", which leads from a.b to no column`},
		"an empty path": {[]record.Together{{Of: "parent", Reads: []string{""}, Check: check}}, `reads "", which is not a path`},
		"too far": {[]record.Together{{Of: "parent", Reads: []string{"parent.parent.tag"}, Check: check}},
			`"parent.parent.tag", which leads`},
		"what is sealed": {[]record.Together{{Of: "parent", Reads: []string{"pin"}, Check: check}},
			`reads "pin", which no Check can read`},
		"many records": {[]record.Together{{Of: "parent", Reads: []string{"friends"}, Check: check}},
			`reads "friends", which leads to many records`},
		"the custom fields": {[]record.Together{{Of: "parent", Reads: []string{"custom_fields"}, Check: check}},
			`reads "custom_fields", which no Check can read`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := record.NewRegistry(with(func(t *record.Type) {
				t.Fields = append(t.Fields, record.Secret{Name: "pin", Seal: record.Encrypted}, record.Refs{Name: "friends", To: "a.b"},
					record.CustomFields{})
				t.Together = c.rules
			})...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestGivesDeclarations: a Gives that could not be carried out is refused.
func TestGivesDeclarations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule record.Gives
		want string
	}{
		"good":       {record.Gives{To: "parent", Set: []record.Given{{Field: "tag", From: "other.tag"}, {Field: "other", From: "id"}}}, ""},
		"a constant": {record.Gives{To: "parent", Set: []record.Given{{Field: "tag", Value: "x"}, {Field: "other"}}}, ""},
		"to a text": {record.Gives{To: "tag", Set: []record.Given{{Field: "tag", Value: "x"}}},
			`its Gives is to "tag", which is not a reference to one record`},
		"nothing": {record.Gives{To: "parent"}, `its Gives to "parent" sets nothing`},
		"no field": {record.Gives{To: "parent", Set: []record.Given{{Field: "x", Value: "x"}}},
			`its Gives sets "x", which is not a field of a.b that can change`},
		"what can't change": {record.Gives{To: "parent", Set: []record.Given{{Field: "created", Value: "x"}}},
			`its Gives sets "created"`},
		"null where none may be": {record.Gives{To: "parent", Set: []record.Given{{Field: "name"}}},
			`its Gives sets "name" from "", which is neither a field of a record`},
		"an id of another type": {record.Gives{To: "parent", Set: []record.Given{{Field: "tag", From: "id"}}},
			`its Gives sets "tag" from "id"`},
		"from nowhere": {record.Gives{To: "parent", Set: []record.Given{{Field: "tag", From: "other.x"}}}, "is not the same kind of field"},
		"null for what is required": {record.Gives{To: "parent", Set: []record.Given{{Field: "name", From: "other.tag"}}},
			`from "other.tag", which can be null in a.b and not here`},
		"from two": {record.Gives{To: "parent", Set: []record.Given{{Field: "tag", From: "other.tag"}, {Field: "flag", From: "parent.flag"}}},
			`its Gives sets "flag" from "parent", and another field from "other": declare two`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := record.NewRegistry(with(func(t *record.Type) {
				t.Fields, t.Gives = append(t.Fields, record.Ref{Name: "other", To: "a.b"}), []record.Gives{c.rule}
			})...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestMemberReadsWhatIsDeclared: a Check that reads anything else fails.
func TestMemberReadsWhatIsDeclared(t *testing.T) {
	t.Parallel()
	m := record.NewMember(7, []string{"size", "model.deep"}, []any{nil, true})
	if m.ID() != 7 || m.Get("size") != nil || m.Float("size") != 0 || !m.Bool("model.deep") || m.Text("size") != "" || m.Ints("size") != nil {
		t.Errorf("%+v", m)
	}
	defer func() {
		if recover() == nil {
			t.Error("it reads a path that is not declared")
		}
	}()
	m.Int("height")
}
