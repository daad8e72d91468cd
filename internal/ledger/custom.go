package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"

	"terrier/internal/record"
	"terrier/internal/store"
)

// askCustoms reads the definitions of custom fields with the next flush.
func (s *changeSet) askCustoms(b *batch) {
	if b.t.Index("custom_fields") >= 0 {
		b.customs = s.tx.CustomFields(b.t)
	}
}

// The beginnings of messages about one custom field. Its name follows, in quotes.
const (
	missingCustom = "Missing required custom field "
	invalidCustom = "Invalid value for custom field "
)

// CustomError returns the name of the custom field that a message about custom_fields is about, and what is wrong with that field. ok is
// false if the message is about no single one.
func CustomError(message string) (name, text string, ok bool) {
	if rest, missing := strings.CutPrefix(message, missingCustom); missing {
		name, err := strconv.Unquote(strings.TrimSuffix(rest, "."))
		return name, record.ErrRequired().Error(), err == nil
	}
	rest, invalid := strings.CutPrefix(message, invalidCustom)
	quoted, text, _ := strings.Cut(rest, ": ")
	name, err := strconv.Unquote(quoted)
	return name, text, invalid && err == nil
}

// custom checks the given custom fields against their definitions and merges them into those of the record. A new record stores the
// current defaults.
func (d *draft) custom(ctx context.Context, i int, defs []*record.Custom) error {
	kept := map[string]json.RawMessage{}
	if !d.creation() {
		if err := json.Unmarshal(d.pre.At(i).(json.RawMessage), &kept); err != nil {
			return err
		}
	}
	given := map[string]any{}
	if d.given.HasAt(i) {
		dec := json.NewDecoder(bytes.NewReader(d.given.At(i).(json.RawMessage)))
		dec.UseNumber()
		if err := dec.Decode(&given); err != nil {
			return err
		}
	}
	grown := 0
	for _, def := range defs {
		if err := inTime(ctx); err != nil { // expressions take time, and locks are held
			return err
		}
		value, ok := given[def.Name]
		delete(given, def.Name)
		if !ok {
			if d.creation() && def.Default != nil {
				kept[def.Name] = def.Default
			} else if d.creation() && def.Required && !d.derived() {
				d.errs.Add("custom_fields", missingCustom+"%q.", def.Name)
			}
			continue
		}
		was, had := kept[def.Name]
		if sent, err := record.EncodeJSON(value); err == nil && record.SameValue(was, sent) {
			continue // clients send back what they read, even if the definition has changed since
		}
		raw, err := def.Encode(value)
		if err == nil && (!had || !record.SameValue(was, raw)) {
			err = def.TooLong(raw)
			grown += len(raw) - len(was)
		}
		if err != nil {
			d.errs.Add("custom_fields", invalidCustom+"%q: %s", def.Name, err.Error())
			continue
		}
		kept[def.Name] = raw
	}
	for name := range given {
		d.errs.Add("custom_fields", "Unknown field name %q in custom field data.", name)
	}
	raw, err := json.Marshal(kept)
	d.v.SetAt(i, json.RawMessage(raw))
	if grown > 0 {
		d.checkTogether(i, defs, kept)
	}
	return err
}

// checkTogether refuses custom values that are too long together. A single value that is too long does not count: it was stored before
// there was a maximum, or it is refused anyway.
func (d *draft) checkTogether(i int, defs []*record.Custom, kept map[string]json.RawMessage) {
	if len(d.v.At(i).(json.RawMessage)) <= d.v.Type().Infos()[i].MaxBytes {
		return
	}
	within := maps.Clone(kept)
	for _, def := range defs {
		if def.TooLong(kept[def.Name]) != nil {
			delete(within, def.Name)
		}
	}
	raw, _ := json.Marshal(within) // its values are valid JSON, so this can't fail
	if err := d.v.Type().Infos()[i].TooLong(json.RawMessage(raw)); err != nil {
		d.errs.Add("custom_fields", "%s", err.Error())
	}
}

// update queues the update of changed records. Of their custom fields it writes only those that change, because a record does not
// show them as they are stored. It lacks values whose definition was deleted, and the definition may come back. It shows defaults,
// which may change.
func update(tx *store.Tx, t *record.Type, drafts []*draft) error {
	rows := valuesOf(drafts)
	if i := t.Index("custom_fields"); i >= 0 {
		for n, d := range drafts {
			changed, err := changedMembers(d.pre.At(i).(json.RawMessage), d.v.At(i).(json.RawMessage))
			if err != nil {
				return err
			}
			rows[n] = d.v.Clone()
			rows[n].SetAt(i, changed)
		}
	}
	tx.Update(t, rows)
	return nil
}

// changedMembers returns the members of after that before lacks or has with another value.
func changedMembers(before, after json.RawMessage) (json.RawMessage, error) {
	var was, is map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(after, &is)); err != nil {
		return nil, err
	}
	maps.DeleteFunc(is, func(name string, value json.RawMessage) bool {
		had, ok := was[name]
		return ok && record.SameValue(had, value)
	})
	return json.Marshal(is)
}
