package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// rigTypes are types with two kinds of parents. A rig gets plugs, sockets and pieces from the templates of its model. A card is put into
// a socket of a rig and adds plugs to the rig, from the templates of its own model. The plugs of a card are named after the socket.
func rigTypes() []record.Type {
	name := record.Text{Name: "name", Max: 30, Required: true}
	typ := func(name string, fields ...record.Field) record.Type {
		return record.Type{App: "trial", Name: name, Plural: name + "s", Section: "Trial", Doc: "A " + name + ".", Fields: fields,
			Brief: []string{"name"}, Order: []string{"name"}}
	}
	owned := func(to string) record.Ref { return record.Ref{Name: to, To: "trial." + to, OnDelete: record.Cascade} }
	of := func(to string) record.Ref {
		return record.Ref{Name: to, To: "trial." + to, OnDelete: record.Cascade, Required: true}
	}
	plug := typ("plug", of("rig"), owned("card"), name, record.Text{Name: "label", Max: 30},
		record.Ref{Name: "bridge", To: "trial.plug", OnDelete: record.SetNull})
	plug.Unique = []record.Unique{{Name: "trial_plug_name_unique", Fields: []string{"rig", "name"}}}
	model, rig := typ("model", name), typ("rig", name, of("model"))
	model.Actions, rig.Actions = []record.Action{record.SyncChildren("trial.rig")}, []record.Action{record.SyncChildren("trial.rig")}
	rig.Children = []record.Children{
		{Make: "trial.plug", By: "rig", From: "trial.plugtemplate", Where: "model", Copy: []string{"name", "label"}, Refer: []string{"bridge"}},
		{Make: "trial.socket", By: "rig", From: "trial.sockettemplate", Where: "model", Copy: []string{"name", "position"}},
		{Make: "trial.piece", By: "rig", From: "trial.piecetemplate", Where: "model", Copy: []string{"name"},
			Refer: []string{"parent", "component"}},
	}
	card := typ("card", name, of("rig"), of("socket"), of("cardmodel"))
	card.Children = []record.Children{{Make: "trial.plug", By: "card", From: "trial.plugtemplate", Where: "cardmodel",
		Copy: []string{"name", "label"}, Refer: []string{"bridge"}, Reads: []string{"socket.position"}, Fill: fillPlug}}
	return []record.Type{model, typ("cardmodel", name), rig,
		typ("socket", of("rig"), name, record.Text{Name: "position", Max: 30}), card, plug,
		typ("plugtemplate", owned("model"), owned("cardmodel"), name, record.Text{Name: "label", Max: 30},
			record.Ref{Name: "bridge", To: "trial.plugtemplate", OnDelete: record.SetNull}),
		typ("sockettemplate", of("model"), name, record.Text{Name: "position", Max: 30}),
		typ("piecetemplate", of("model"), name, record.Ref{Name: "parent", To: "trial.piecetemplate", OnDelete: record.Cascade},
			record.AnyRef{Name: "component", To: []string{"trial.plugtemplate", "trial.sockettemplate"}, OnDelete: record.SetNull}),
		typ("piece", of("rig"), name, record.Ref{Name: "parent", To: "trial.piece", OnDelete: record.Cascade},
			record.AnyRef{Name: "component", To: []string{"trial.socket", "trial.plug"}, OnDelete: record.SetNull})}
}

func fillPlug(card record.Parent, _, plug record.Values) error {
	plug.Set("rig", card.Get("rig"))
	position := card.ReadText("socket.position")
	for _, field := range []string{"name", "label"} {
		if strings.Contains(plug.Text(field), "{card}") && position == "" {
			return errors.New("the socket has no position")
		}
		plug.Set(field, strings.ReplaceAll(plug.Text(field), "{card}", position))
	}
	return nil
}

// rig creates a model with a template of each kind, and a rig of it.
func (b *bundle) rig(t *testing.T) record.Values {
	t.Helper()
	id := func(v []record.Values) string { return fmt.Sprint(v[0].ID()) }
	model := id(b.create(t, "trial.model", ledger.Input{"name": "m"}))
	first := id(b.create(t, "trial.plugtemplate", ledger.Input{"model": model, "name": "p1"}))
	b.create(t, "trial.plugtemplate", ledger.Input{"model": model, "name": "p0", "bridge": first})
	socket := id(b.create(t, "trial.sockettemplate", ledger.Input{"model": model, "name": "s1", "position": "7"}))
	b.create(t, "trial.sockettemplate", ledger.Input{"model": model, "name": "s2"})
	inner := b.create(t, "trial.piecetemplate", ledger.Input{"model": model, "name": "inner", "component_type": "trial.plugtemplate",
		"component_id": first})
	outer := id(b.create(t, "trial.piecetemplate", ledger.Input{"model": model, "name": "outer", "component_type": "trial.sockettemplate",
		"component_id": socket}))
	if _, err := b.Update(t.Context(), b.root, inner[0].Type(), []ledger.Edit{{ID: inner[0].ID(),
		Input: ledger.Input{"parent": outer}}}); err != nil {
		t.Fatal(err)
	}
	return b.create(t, "trial.rig", ledger.Input{"name": "r", "model": model}, ledger.Input{"name": "other", "model": model})[0]
}

// TestChildrenReferToEachOther: references of every kind between templates become references between the children of one parent. A
// template may refer to one that was made later, because the foreign keys of a statement are checked at its end.
func TestChildrenReferToEachOther(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t).ID()
	for what, sql := range map[string]string{
		"bridge": `SELECT count(*) FROM trial_plug a JOIN trial_plug b ON b.id = a.bridge_id AND b.rig_id = a.rig_id
			WHERE a.rig_id = $1 AND a.name = 'p0' AND b.name = 'p1'`,
		"parent": `SELECT count(*) FROM trial_piece a JOIN trial_piece b ON b.id = a.parent_id AND b.rig_id = a.rig_id
			WHERE a.rig_id = $1 AND a.name = 'inner' AND b.name = 'outer'`,
		"plug": `SELECT count(*) FROM trial_piece a JOIN trial_plug b ON a.component_type = 'trial.plug' AND b.id = a.component_id
			AND b.rig_id = a.rig_id WHERE a.rig_id = $1 AND a.name = 'inner' AND b.name = 'p1'`,
		"socket": `SELECT count(*) FROM trial_piece a JOIN trial_socket b ON a.component_type = 'trial.socket' AND b.id = a.component_id
			AND b.rig_id = a.rig_id WHERE a.rig_id = $1 AND a.name = 'outer' AND b.name = 's1'`,
	} {
		if n := b.number(t, sql, rig); n != 1 {
			t.Errorf("%s: %d records, want 1", what, n)
		}
	}
}

// TestChildrenOfTwoKindsOfParents: one type of children is made for parents of two types, from different templates. Fill reads values
// through references of the parent. A child whose name is taken, or that Fill refuses, is an error on the field that it comes from,
// and nothing is written.
func TestChildrenOfTwoKindsOfParents(t *testing.T) {
	t.Parallel()
	b := newBundle(t, rigTypes()...)
	rig := b.rig(t).ID()
	model := func(plugs ...string) string {
		id := fmt.Sprint(b.create(t, "trial.cardmodel", ledger.Input{"name": "m"})[0].ID())
		for _, plug := range plugs {
			b.create(t, "trial.plugtemplate", ledger.Input{"cardmodel": id, "name": plug, "label": "{card}+{card}"})
		}
		return id
	}
	card := func(socket, model string) ledger.Input {
		at := b.number(t, "SELECT id FROM trial_socket WHERE name = $1 AND rig_id = $2", socket, rig)
		return ledger.Input{"name": "c", "rig": fmt.Sprint(rig), "socket": fmt.Sprint(at), "cardmodel": model}
	}
	good := model("x{card}/1/{card}", "y")
	b.create(t, "trial.card", card("s1", good))
	if n := b.number(t, `SELECT count(*) FROM trial_plug p JOIN trial_card c ON c.id = p.card_id AND c.rig_id = p.rig_id
		WHERE p.name IN ('x7/1/7', 'y') AND label = '7+7'`); n != 2 {
		t.Errorf("%d plugs of the card are right, want 2", n)
	}
	twelve := make([]string, 12)
	for n := range twelve {
		twelve[n] = "{card}"
	}
	other := model("z")
	b.exec(t, "UPDATE trial_plugtemplate SET label = '' WHERE name = 'z'")
	for what, test := range map[string]struct {
		cards []ledger.Input
		want  []string // the beginnings of the messages of the last one; there are none of the others
	}{
		"names that the rig has": {[]ledger.Input{card("s1", good)}, []string{"plug x7/1/7: ", "plug y: "}},
		"a name twice":           {[]ledger.Input{card("s1", other), card("s2", other)}, []string{"plug z: "}},
		"no position": {[]ledger.Input{card("s1", other), card("s2", model("x{card}"))},
			[]string{"plug x{card}: the socket has no position"}},
		"many": {[]ledger.Input{card("s2", model(twelve...))}, append(slices.Repeat([]string{"plug {card}: the socket has no position"}, 10),
			"There are more errors like these.")},
	} {
		_, err := b.Create(t.Context(), b.root, b.reg.Type("trial.card"), test.cards)
		items := itemsOf(err)
		if fault.KindOf(err) != fault.Invalid || len(items) != len(test.cards) || len(items) == 2 && len(items[0]) > 0 {
			t.Errorf("%s: %v", what, err)
			continue
		}
		got := items[len(items)-1]["cardmodel"]
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s: the messages are %q, want %q", what, got, test.want)
		}
	}
	if n := b.number(t, "SELECT count(*) FROM trial_card"); n != 1 {
		t.Errorf("there are %d cards, want 1", n)
	}
}
