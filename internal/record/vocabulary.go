package record

import (
	_ "embed"
	"slices"
	"strings"
)

// WordChecker is a field that takes only words it knows. Its Parse still takes any word, because a stored word may stay: another
// version of the program may have known it.
type WordChecker interface {
	Field
	// CheckAdded refuses a value with a word that is neither known nor in the stored value, which is nil if there is none. The error
	// names the nearest word.
	CheckAdded(stored, given any) error
	// Unknown returns what is wrong with a word, such as "unknown type", or "" if it is known.
	Unknown(word string) string
}

var (
	_ WordChecker = Text{}
	_ WordChecker = List{}
	_ WordChecker = ObjectTypes{}
	_ WordChecker = Actions{}
	_ WordChecker = Choice{}
)

// MarkUnknown returns a word of a field as people see it: dcim.gone (unknown type).
func MarkUnknown(f Field, word string) string {
	if words, ok := f.(WordChecker); ok && word != "" {
		if problem := words.Unknown(word); problem != "" {
			return word + " (" + problem + ")"
		}
	}
	return word
}

// Vocabulary is the list of words that a Text or the items of a List may have.
type Vocabulary struct {
	Noun  string   // what a word is: "time zone"
	Words []string // in the order in which they are offered
}

// TimeZones are the names of the IANA time zone database, links such as UTC and Europe/Kiev included. They don't depend on what
// the machine has installed.
var TimeZones = &Vocabulary{Noun: "time zone", Words: strings.Fields(timeZoneNames)}

//go:generate go run ./zonenames
//go:embed timezones.txt
var timeZoneNames string

func (v *Vocabulary) checkAdded(stored, given any) error {
	if v == nil {
		return nil
	}
	for _, word := range added(stored, given) {
		if !slices.Contains(v.Words, word) {
			return v.refuse(word)
		}
	}
	return nil
}

func (v *Vocabulary) refuse(word string) error {
	if near := Nearest(word, v.Words); near != "" {
		return Invalid("Unknown %s %.100q. Did you mean %q?", v.Noun, word, near)
	}
	return Invalid("Unknown %s %.100q.", v.Noun, word)
}

func (v *Vocabulary) unknown(word string) string {
	if v == nil || slices.Contains(v.Words, word) {
		return ""
	}
	return "unknown " + v.Noun
}

// added returns the words of the given value that the stored one does not have.
func added(stored, given any) []string {
	had := wordsOf(stored)
	return slices.DeleteFunc(slices.Clone(wordsOf(given)), func(word string) bool { return slices.Contains(had, word) })
}

func wordsOf(value any) []string {
	switch x := value.(type) {
	case string:
		if x != "" {
			return []string{x}
		}
	case []string:
		return x
	}
	return nil
}
