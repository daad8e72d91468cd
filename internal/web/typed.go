package web

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// textsOf returns a value as a form shows it.
func textsOf(value any) []string {
	switch x := value.(type) {
	case nil:
		return nil
	case string:
		return []string{x}
	case record.Plain:
		return []string{string(x)}
	case bool:
		return []string{strconv.FormatBool(x)}
	case int64:
		return []string{strconv.FormatInt(x, 10)}
	case float64:
		return []string{strconv.FormatFloat(x, 'f', -1, 64)}
	case json.Number:
		return []string{x.String()}
	case time.Time:
		return []string{x.UTC().Format(MomentLayout)}
	case []string:
		return x
	case []int64:
		return numberTexts(x)
	case []any:
		var texts []string
		for _, item := range x {
			texts = append(texts, textsOf(item)...)
		}
		return texts
	case json.RawMessage:
		return []string{Indented(x)}
	}
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil
	}
	return []string{string(raw)}
}

func numberTexts(numbers []int64) []string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return texts
}

// customTexts returns the value of a custom field as a form shows it.
func customTexts(in record.Info, value any) []string {
	if in.Widget != record.JSONInput || value == nil {
		return textsOf(value)
	}
	raw, err := record.EncodeJSON(value)
	if err != nil {
		return nil
	}
	return textsOf(raw)
}

// defaultHelp explains what typedDefault parses. The API and imports take JSON.
const defaultHelp = "The value of records that have none of their own: a text, a number, true or false, several choices " +
	"one on each line, or JSON where the type is JSON."

// defaultTexts returns the default of a custom field of a kind as a form shows it.
func defaultTexts(kind string, value any) []string {
	raw, ok := value.(json.RawMessage)
	if !ok || record.CustomWidget(kind) == record.JSONInput {
		return textsOf(value)
	}
	return textsOf(decoded(raw))
}

// typedDefault parses a default as defaultTexts or a person writes it.
func typedDefault(kind, text, name string, errs fault.Fields) any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	switch record.CustomWidget(kind) {
	case record.JSONInput:
		return typedJSON(text, name, errs)
	case record.LinesInput:
		return anyOf(lines(text))
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// typedValue returns what was typed into a widget, as the API takes it. given is false if the record keeps its value.
func typedValue(f record.Field, name string, in record.Info, typed url.Values, errs fault.Fields) (value any, given bool) {
	texts := typed[name]
	text := strings.Join(texts, "")
	if in.KindOf != "" {
		return typedDefault(typed.Get(in.KindOf), text, name, errs), true
	}
	switch in.Widget {
	case record.CheckBox:
		return slices.Contains(texts, "true"), true
	case record.PasswordInput, record.KeyArea, record.SecretArea:
		// Blank keeps a value that is not shown. A checkbox removes it.
		if text == "" && (in.Widget.IsWriteOnly() || typed.Has(name+keptSuffix)) {
			return "", typed.Has(name + clearSuffix)
		}
		return strings.ReplaceAll(text, "\r\n", "\n"), true
	case record.TypesInput:
		return anyOf(texts), true
	case record.LinesInput:
		if len(in.Choices) > 0 {
			return anyOf(texts), true
		}
		if hasNumbers(f) {
			return anyOf(numbers(text)), true
		}
		return anyOf(lines(text)), true
	case record.RecordInput:
		return typedLink(f, text), true
	case record.RecordsInput:
		links := []any{}
		for _, id := range typed[name+keptSuffix] {
			links = append(links, json.Number(id))
		}
		for _, text := range texts {
			if link := typedLink(f, text); link != nil {
				links = append(links, link)
			}
		}
		return links, true
	case record.JSONInput:
		return typedJSON(text, name, errs), true
	case record.ColorInput:
		return strings.TrimPrefix(text, "#"), true
	}
	if strings.TrimSpace(text) == "" && (in.Null || in.Widget == record.NumberInput) {
		if in.Null {
			return nil, true
		}
		return nil, false // the default
	}
	if number := strings.TrimSpace(text); in.Widget == record.NumberInput && json.Valid([]byte(number)) {
		return json.Number(number), true
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), true
}

// Suffixes of inputs that accompany a widget: the checkbox that removes a value that is not shown, the mark that there is a secret that
// was not shown, and the checkboxes of current references.
const (
	clearSuffix = "__clear"
	keptSuffix  = "__kept"
)

// typedLink parses the text that means a record, as NameOf or a person writes it.
func typedLink(f record.Field, text string) any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	target := record.TargetOf(f)
	return Naming(target, text)
}

// Naming returns a text as the name of a record, with or without its id.
func Naming(t *record.Type, text string) record.Naming {
	return record.Naming{By: t.NamingField(), Text: text}
}

func typedJSON(text, name string, errs fault.Fields) any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		errs.Add(name, "This is not JSON: %s.", err.Error())
		return nil
	}
	if dec.More() {
		errs.Add(name, "There is more than one JSON value.")
	}
	if depth, values := measure(value); depth > maxDepth || values > maxValues {
		errs.Add(name, "This is more than %d levels deep, or more than %d values.", maxDepth, maxValues)
		return nil
	}
	return value
}

// The limits of JSON in a form: the same as in a request to the API.
const (
	maxDepth  = 64
	maxValues = 200_000
)

// measure returns how deep a value is nested, and how many values it consists of.
func measure(value any) (depth, values int) {
	count := func(item any) {
		d, n := measure(item)
		depth, values = max(depth, d), values+n
	}
	switch x := value.(type) {
	case []any:
		for _, item := range x {
			count(item)
		}
	case map[string]any:
		for _, item := range x {
			count(item)
		}
	default:
		return 0, 1
	}
	return depth + 1, values + 1
}

func lines(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// hasNumbers reports whether a field is a list of numbers.
func hasNumbers(f record.Field) bool { return f != nil && f.Column().Storage == record.StoreNumbers }

// numberRun are numbers that follow each other: 5-8.
var numberRun = regexp.MustCompile(`^([0-9]{1,4})-([0-9]{1,4})$`)

// numbers returns the numbers that people write one on each line, or as in 1, 2, 5-8. What is no number stays as it is, to be refused.
func numbers(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		run := numberRun.FindStringSubmatch(word)
		if run == nil {
			out = append(out, word)
			continue
		}
		first, _ := strconv.Atoi(run[1]) // four digits
		last, _ := strconv.Atoi(run[2])
		if first > last || len(out)+last-first > mostAdded {
			out = append(out, word)
			continue
		}
		for n := first; n <= last; n++ {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

func anyOf(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

// customValues returns the custom fields of a record, none for a new one.
func customValues(v record.Values) map[string]any {
	if v.Type() == nil || v.Type().Index("custom_fields") < 0 {
		return nil
	}
	values, _ := decoded(v.Raw("custom_fields")).(map[string]any)
	return values
}

// decoded returns the value of JSON from the database.
func decoded(raw json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	return value
}
