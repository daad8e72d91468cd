package ledger_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/test/trial"
)

// rig is a bundle with gear and what belongs to it.
type rig struct {
	*bundle
	site, model record.Values
	made        int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	b := newBundle(t, trial.Rig()...)
	return &rig{bundle: b, site: b.create(t, "dcim.site", named(1))[0], model: b.create(t, "trial.model", ledger.Input{"name": "m"})[0]}
}

// in returns an input with one member after the other: name, value.
func in(pairs ...any) ledger.Input {
	input := ledger.Input{}
	for i := 0; i < len(pairs); i += 2 {
		input[pairs[i].(string)] = sent(pairs[i+1])
	}
	return input
}

// sent returns a value as a request has it: a record is its id.
func sent(value any) any {
	switch x := value.(type) {
	case record.Values:
		return fmt.Sprint(x.ID())
	case int:
		return json.Number(strconv.Itoa(x))
	}
	return value
}

// gearInput returns an input for gear of the usual model in the usual site.
func (r *rig) gearInput(pairs ...any) ledger.Input {
	r.made++
	input := in("name", fmt.Sprint("gear ", r.made), "model", r.model, "site", r.site)
	maps.Copy(input, in(pairs...))
	return input
}

func (r *rig) gear(t *testing.T, pairs ...any) record.Values {
	t.Helper()
	return r.create(t, "trial.gear", r.gearInput(pairs...))[0]
}

// tryCreate returns the error of a creation.
func (r *rig) tryCreate(t *testing.T, key string, inputs ...ledger.Input) error {
	t.Helper()
	_, err := r.Create(t.Context(), r.root, r.reg.Type(key), inputs)
	return err
}

// tryUpdate changes one record and returns it.
func (r *rig) tryUpdate(t *testing.T, v record.Values, pairs ...any) (record.Values, error) {
	t.Helper()
	rows, err := r.Update(t.Context(), r.root, v.Type(), []ledger.Edit{{ID: v.ID(), Input: in(pairs...)}})
	if err != nil {
		return v, err
	}
	return rows[0], nil
}

func (r *rig) update(t *testing.T, v record.Values, pairs ...any) record.Values {
	t.Helper()
	row, err := r.tryUpdate(t, v, pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func (r *rig) read(t *testing.T, v record.Values) record.Values {
	t.Helper()
	row, err := r.Get(t.Context(), r.root, v.Type(), v.ID())
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func (r *rig) delete(t *testing.T, v record.Values) error {
	t.Helper()
	return r.Delete(t.Context(), r.root, v.Type(), []ledger.Edit{{ID: v.ID()}})
}

// refused checks that an error is on the field of the one record of a request, and that its message has the words.
func refused(t *testing.T, what string, err error, field string, words ...string) {
	t.Helper()
	items := itemsOf(err)
	if fault.KindOf(err) != fault.Invalid || len(items) == 0 || len(items[len(items)-1][field]) == 0 {
		t.Errorf("%s: %v, want an error on %s", what, err, field)
		return
	}
	for _, word := range words {
		if message := items[len(items)-1][field][0]; !strings.Contains(message, word) {
			t.Errorf("%s: %q does not say %q", what, message, word)
		}
	}
}

// TestDefaultsFromAnother: a new record that has no value of its own takes that of the record that it refers to. A later change takes
// nothing.
func TestDefaultsFromAnother(t *testing.T) {
	r := newRig(t)
	tenant := r.create(t, "tenancy.tenant", named(1))[0]
	painted := r.create(t, "trial.model", in("name", "painted", "default_finish", "red", "default_tenant", tenant))[0]
	for what, c := range map[string]struct {
		input        ledger.Input
		finish       string
		tenantIsHers bool
	}{
		"nothing sent":      {r.gearInput("model", painted), "red", true},
		"null sent":         {r.gearInput("model", painted, "tenant", nil, "finish", ""), "red", true},
		"a value sent":      {r.gearInput("model", painted, "finish", "blue"), "blue", true},
		"a model with none": {r.gearInput(), "", false},
	} {
		v := r.create(t, "trial.gear", c.input)[0]
		if v.Text("finish") != c.finish || (v.Link("tenant").ID == tenant.ID()) != c.tenantIsHers {
			t.Errorf("%s: finish %q, tenant %d", what, v.Text("finish"), v.Link("tenant").ID)
		}
	}
	plain := r.gear(t)
	if v := r.update(t, plain, "model", painted, "finish", ""); v.Text("finish") != "" || v.Get("tenant") != nil {
		t.Errorf("a change took %q and tenant %d", v.Text("finish"), v.Link("tenant").ID)
	}
	one := r.count(func() { r.create(t, "trial.gear", r.gearInput("model", painted)) })
	var many []ledger.Input
	for range 50 {
		many = append(many, r.gearInput("model", painted), r.gearInput())
	}
	if n := r.count(func() { r.create(t, "trial.gear", many...) }); n != one {
		t.Errorf("100 records took %d statements, one %d", n, one)
	}
}

// TestFollowsKeepsWhatThereIs: a record that begins to follow another one takes the values that it lacks. It keeps those that it has,
// and is refused if they must be the same.
func TestFollowsKeepsWhatThereIs(t *testing.T) {
	r := newRig(t)
	location := func(n int) record.Values {
		input := named(n)
		input["site"] = sent(r.site)
		return r.create(t, "dcim.location", input)[0]
	}
	here, there := location(1), location(2)
	frame := func(pairs ...any) record.Values {
		input := in("name", "f", "site", r.site)
		maps.Copy(input, in(pairs...))
		return r.create(t, "trial.frame", input)[0]
	}
	frameHere, frameThere, frameNowhere := frame("location", here), frame("location", there), frame()
	isIn := func(what string, v record.Values, place record.Values) {
		t.Helper()
		if v.Link("location").ID != place.ID() {
			t.Errorf("%s: in location %d, want %d", what, v.Link("location").ID, place.ID())
		}
	}
	v := r.gear(t, "frame", frameHere)
	isIn("new, without a location", v, here)
	_, err := r.tryUpdate(t, v, "frame", frameThere)
	refused(t, "moved to a frame in another location", err, "frame", "same location")
	isIn("moved with its location", r.update(t, v, "frame", frameThere, "location", there), there)
	isIn("moved, and location emptied", r.update(t, v, "frame", frameHere, "location", nil), here)
	isIn("location emptied", r.update(t, v, "location", nil), here)
	_, err = r.tryUpdate(t, v, "frame", frameNowhere)
	refused(t, "moved to a frame without a location", err, "frame")
	v = r.update(t, v, "frame", frameNowhere, "location", nil)
	r.update(t, frameNowhere, "location", there)
	isIn("its frame moved", r.read(t, v), there)
	refused(t, "new, elsewhere", r.tryCreate(t, "trial.gear", r.gearInput("frame", frameHere, "location", there)), "frame")
	other := r.create(t, "dcim.site", named(2))[0]
	refused(t, "new, in another site", r.tryCreate(t, "trial.gear", r.gearInput("frame", frameHere, "site", other)), "frame", "same site")
}

// TestUniqueWhere: a rule with Where counts only the records in which that field is not null. In the others null is a value, and the
// case of letters does not matter.
func TestUniqueWhere(t *testing.T) {
	r := newRig(t)
	tenant := r.create(t, "tenancy.tenant", named(1))[0]
	other := r.create(t, "dcim.site", named(2))[0]
	r.create(t, "trial.gear", r.gearInput("name", nil), r.gearInput("name", nil), r.gearInput("name", "Ape"))
	r.create(t, "trial.gear", r.gearInput("name", nil), r.gearInput("name", "ape", "tenant", tenant),
		r.gearInput("name", "aPe", "site", other))
	refused(t, "another case", r.tryCreate(t, "trial.gear", r.gearInput("name", "aPE")), "site", "site, tenant, name")
	refused(t, "with a tenant", r.tryCreate(t, "trial.gear", r.gearInput("name", "APE", "tenant", tenant)), "site")
	err := r.tryCreate(t, "trial.gear", r.gearInput("name", nil), r.gearInput("name", "bee"), r.gearInput("name", nil),
		r.gearInput("name", "BEE"))
	if items := itemsOf(err); len(items) != 4 || len(items[3]["site"]) == 0 || len(items[0])+len(items[1])+len(items[2]) > 0 {
		t.Errorf("two in one list: %v", err)
	}
	cow := r.gear(t, "name", "cow")
	_, err = r.tryUpdate(t, cow, "name", "ape")
	refused(t, "renamed", err, "site")
	r.update(t, cow, "name", nil)
	r.create(t, "trial.gear", r.gearInput("name", "cow"))
	if n := r.number(t, `SELECT count(*) FROM pg_indexes WHERE indexname = 'trial_gear_name_unique'
		AND indexdef LIKE '%(site_id, tenant_id, lower(name)) NULLS NOT DISTINCT WHERE (name IS NOT NULL)'`); n != 1 {
		t.Error("the index is not as it must be")
	}
}

// TestClears: what depends on a reference becomes null with it when its record is deleted, and not when somebody else is.
func TestClears(t *testing.T) {
	r := newRig(t)
	stacks := r.create(t, "trial.stack", in("name", "a"), in("name", "b"))
	first := r.gear(t, "stack", stacks[0], "rank", 1, "priority", 7)
	second := r.gear(t, "stack", stacks[1], "rank", 2)
	if err := r.delete(t, stacks[0]); err != nil {
		t.Fatal(err)
	}
	if v := r.read(t, first); v.Get("stack") != nil || v.Get("rank") != nil || v.Get("priority") != nil || v.Version != 2 {
		t.Errorf("left: stack %v, rank %v, priority %v, version %d", v.Get("stack"), v.Get("rank"), v.Get("priority"), v.Version)
	}
	if v := r.read(t, second); v.Int("rank") != 2 || v.Version != 1 {
		t.Errorf("another one has rank %v, version %d", v.Get("rank"), v.Version)
	}
}

// TestSameOfAny: a Same of a reference to one of several types applies to each of them, from every side.
func TestSameOfAny(t *testing.T) {
	r := newRig(t)
	one, two := r.gear(t), r.gear(t)
	jack := r.create(t, "trial.jack", in("gear", one, "name", "j"))[0]
	nest := r.create(t, "trial.nest", in("gear", two, "name", "n"))[0]
	on := func(gear, part record.Values) ledger.Input {
		return in("gear", gear, "name", "x", "part_type", part.Type().Key(), "part_id", part)
	}
	refused(t, "on a jack of other gear", r.tryCreate(t, "trial.label", on(two, jack)), "part_id", "same gear")
	refused(t, "on a nest of other gear", r.tryCreate(t, "trial.label", on(one, nest)), "part_id", "same gear")
	r.create(t, "trial.label", in("gear", one, "name", "on nothing"))
	label := r.create(t, "trial.label", on(one, jack))[0]
	_, err := r.tryUpdate(t, label, "gear", two)
	refused(t, "the label is moved", err, "part_id")
	_, err = r.tryUpdate(t, jack, "gear", two)
	refused(t, "the jack is moved", err, "gear", fmt.Sprint("The label ", label.ID()))
	_, err = r.tryUpdate(t, label, "part_type", "trial.nest", "part_id", nest)
	refused(t, "put on a nest of other gear", err, "part_id")
	r.update(t, nest, "gear", one)
	r.update(t, label, "part_type", "trial.nest", "part_id", nest)
	r.update(t, jack, "gear", two)
	_, err = r.tryUpdate(t, nest, "gear", two)
	refused(t, "the nest is moved", err, "gear")
	if err := r.delete(t, nest); err != nil {
		t.Error(err)
	}
	r.update(t, label, "gear", two)
}

// contains reports whether an error has all the words.
func contains(err error, words ...string) bool {
	for _, word := range words {
		if !strings.Contains(fmt.Sprint(err), word) {
			return false
		}
	}
	return true
}
