package fill

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"terrier/internal/record"
)

// valueFunc makes a value of a field, as records have it.
type valueFunc func(Row) (any, error)

// field is a field that values are made for.
type field struct {
	record.Field
	in       record.Info
	distinct bool // it is part of a uniqueness rule, or names the record
}

var errNeedsRecipe = errors.New("no value can be made from its declaration: it needs a recipe")

// inputs make values as clients send them, by how a field is stored.
var inputs = map[record.Storage]func(field, Row) any{
	record.StoreInt:   func(f field, r Row) any { return f.number(f.InputSchema(), r) },
	record.StoreFloat: func(f field, r Row) any { return f.fraction(r) },
	record.StoreBool:  func(f field, r Row) any { return (r.Draw(0, 5) == 0) != (f.in.Default == true) },
	record.StoreTime: func(_ field, r Row) any {
		return epoch.AddDate(2, 0, r.Draw(0, 3000)).Format(time.RFC3339)
	},
	record.StoreDate:    func(_ field, r Row) any { return epoch.AddDate(0, 0, -r.Draw(0, 4000)).Format(time.DateOnly) },
	record.StoreMAC:     func(_ field, r Row) any { return "02:" + octets(r.Number) },
	record.StoreNetwork: func(_ field, r Row) any { return network(r.Number) },
	record.StoreAddress: func(_ field, r Row) any { return address(r.Number) },
	record.StoreNumbers: func(f field, r Row) any {
		items, _ := f.InputSchema()["items"].(record.Schema)
		return []any{f.number(items, r)}
	},
}

// value returns what makes the values of a field.
func (f field) value(t *record.Type, salt uint64) (valueFunc, error) {
	storage := f.Column().Storage
	if _, ok := f.Field.(record.Uploaded); ok {
		return f.file, nil
	}
	if s, ok := record.SecrecyOf(f.Field); ok {
		return sealed(s), nil
	}
	if types, ok := f.Field.(record.TypeNaming); ok {
		named := types.Types()
		return func(r Row) (any, error) { return []string{named[r.Draw(0, len(named))].Key()}, nil }, nil
	}
	switch input := inputs[storage]; {
	case f.in.Name == "created" || f.in.Name == "last_updated":
		return func(r Row) (any, error) { return epoch.Add(time.Duration(r.Number) * time.Second), nil }, nil
	case len(f.in.Choices) > 0:
		return f.parsed(f.choice), nil
	case storage == record.StoreText:
		return f.text(t, salt)
	case input != nil:
		return f.parsed(func(r Row) any {
			if f.skipped(r) {
				return nil
			}
			return input(f, r)
		}), nil
	case storage == record.StoreJSON && !f.in.Null:
		return f.parsed(func(r Row) any { return map[string]any{strings.ToLower(r.Words(1)): r.Words(1)} }), nil
	case f.in.Null || f.in.Default != nil: // structures, custom fields, lists of any words
		return func(Row) (any, error) { return f.in.Default, nil }, nil
	}
	return nil, errNeedsRecipe
}

// parsed turns what clients send into what records have.
func (f field) parsed(input func(Row) any) valueFunc {
	return func(r Row) (any, error) {
		given := input(r)
		v, err := record.ParseValue(f.Field, f.in, given)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", given, err)
		}
		return v, nil
	}
}

// skipped reports whether a row has no value of a field that needs none: one row in five.
func (f field) skipped(r Row) bool { return f.in.Null && r.Draw(1, 5) == 0 }

// file makes the path of a file without bytes, or of none where none is needed.
func (f field) file(r Row) (any, error) {
	if f.in.Null {
		return nil, nil
	}
	return fmt.Sprintf("sample/%d/%d.png", r.salt, r.Number), nil
}

// number makes a whole number. Distinct ones count from the least allowed.
func (f field) number(schema record.Schema, r Row) json.Number {
	least, bounded := schema["minimum"].(int64)
	most, ok := schema["maximum"].(int64)
	switch {
	case !ok:
		most = least + 999
	case !bounded:
		least = min(0, most)
	}
	n := least + int64(r.Draw(0, int(min(most-least, math.MaxInt32))+1))
	if f.distinct {
		n = least + int64(r.Number) - 1
	}
	return json.Number(strconv.FormatInt(n, 10))
}

// fraction makes a number with a fraction.
func (f field) fraction(r Row) json.Number {
	schema := f.InputSchema()
	least, _ := schema["minimum"].(float64)
	most, _ := schema["maximum"].(float64)
	if step, ok := schema["multipleOf"].(float64); ok {
		first, last := math.Ceil(least/step), math.Floor(most/step)
		return json.Number(strconv.FormatFloat((first+float64(r.Draw(0, int(last-first)+1)))*step, 'f', -1, 64))
	}
	const steps = 1_000_000
	return json.Number(strconv.FormatFloat(least+(most-least)*float64(r.Draw(0, steps))/steps, 'f', 6, 64))
}

// choice makes one of the choices. More than half of the rows have the default, if there is one.
func (f field) choice(r Row) any {
	list := f.Column().Storage == record.StoreTexts
	if word, ok := f.in.Default.(string); ok && r.Draw(2, 10) < 6 && !list {
		return word
	}
	if f.skipped(r) {
		return nil
	}
	value := f.in.Choices[r.Draw(0, len(f.in.Choices))].Value
	if list {
		return []any{value}
	}
	return value
}

// sealed makes the stored form of a secret that nobody knows, or of none where none is needed.
func sealed(s record.Secrecy) valueFunc {
	return func(r Row) (any, error) {
		digest := sha256.Sum256(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, r.salt), uint64(r.Number)))
		switch s.Seal {
		case record.Password:
			raw := base64.RawStdEncoding.EncodeToString
			return record.Sealed("$argon2id$v=19$m=19456,t=2,p=1$" + raw(digest[:16]) + "$" + raw(digest[:])), nil
		case record.TokenKey:
			return record.Sealed(hex.EncodeToString(digest[:])), nil
		}
		return record.Sealed(""), nil
	}
}

// form is a kind of text. A field gets the first that it accepts.
type form func(t *record.Type, f field, r Row) string

var (
	distinctForms = []form{
		func(t *record.Type, _ field, r Row) string {
			return fmt.Sprintf("%s-%07d", strings.ReplaceAll(t.Title(), " ", "-"), r.Number)
		},
		func(t *record.Type, _ field, r Row) string { return fmt.Sprintf("%s_%07d", t.Name, r.Number) },
		worldWideName,
	}
	freeForms = []form{
		func(_ *record.Type, f field, r Row) string { return f.sentence(r) },
		func(_ *record.Type, _ field, r Row) string { return strings.ToLower(r.Words(1)) },
		func(_ *record.Type, _ field, r Row) string {
			return fmt.Sprintf("%s%d@example.com", strings.ToLower(r.Words(1)), r.Number)
		},
		func(_ *record.Type, _ field, r Row) string { return fmt.Sprintf("%06x", r.Draw(0, 1<<24)) },
		worldWideName,
	}
)

func worldWideName(_ *record.Type, _ field, r Row) string { return "50:06:01:" + octets(r.Number) }

// octets returns the last five octets of a number.
func octets(n int) string {
	return fmt.Sprintf("%02X:%02X:%02X:%02X:%02X", n>>32&255, n>>24&255, n>>16&255, n>>8&255, n&255)
}

// text returns what makes texts.
func (f field) text(t *record.Type, salt uint64) (valueFunc, error) {
	forms := freeForms
	switch {
	case f.distinct && f.Column().Key.From == record.InterfaceKey:
		forms = []form{func(_ *record.Type, _ field, r Row) string {
			return fmt.Sprintf("ge-%d/%d/%d", r.Number/4800, r.Number/48%100, r.Number%48)
		}}
	case f.distinct || f.in.Type == "slug":
		forms = distinctForms
	case len(f.in.Suggestions) > 0:
		forms = []form{func(_ *record.Type, f field, r Row) string { return f.in.Suggestions[r.Draw(0, len(f.in.Suggestions))] }}
	}
	for _, form := range forms {
		value := f.parsed(func(r Row) any { return form(t, f, r) })
		if accepted(value, salt) {
			return func(r Row) (any, error) {
				if f.skipped(r) {
					return nil, nil
				}
				return value(r)
			}, nil
		}
	}
	return nil, errNeedsRecipe
}

// accepted reports whether a field accepts what is made for some rows.
func accepted(value valueFunc, salt uint64) bool {
	for n := range 20 {
		if _, err := value(Row{N: 1, Number: n + 1, salt: salt}); err != nil {
			return false
		}
	}
	return true
}

// sentence makes words that fit a field: a few for a short one, many for one without a limit, which every other row leaves blank.
func (f field) sentence(r Row) string {
	text := ""
	switch most := f.in.Max; {
	case f.in.ReadOnly || most > 0 && most <= 64:
		text = r.Words(1 + r.Draw(0, 2))
	case most > 0 && most < 1000:
		text = r.Words(3 + r.Draw(0, 5))
	case f.in.Required || r.Draw(2, 2) == 0:
		text = r.Words(8 + r.Draw(0, 13))
	}
	if most := f.in.Max; most > 0 && len(text) > most { // words are of one byte a letter
		text = strings.TrimSpace(text[:most])
	}
	return text
}

// network makes the n-th network: three of four are of IPv4, as long as there are such.
func network(n int) string {
	if n%4 == 0 || n >= 1<<16 {
		return fmt.Sprintf("2001:db8:%x:%x::/64", n>>16&0xffff, n&0xffff)
	}
	return fmt.Sprintf("10.%d.%d.0/24", n>>8&255, n&255)
}

// address makes the n-th address.
func address(n int) string {
	if n%4 == 0 || n >= 1<<24 {
		return fmt.Sprintf("2001:db8::%x:%x/64", n>>16&0xffff, n&0xffff)
	}
	return fmt.Sprintf("10.%d.%d.%d/24", n>>16&255, n>>8&255, n&255)
}
