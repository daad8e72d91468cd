package record

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// SearchOwner is the record that a record belongs to, in which a search of several words finds words too.
type SearchOwner struct {
	Field  Field // the reference to it
	Of     *Type
	Texts  []Field // what it is found by; each is in its own Search
	Owners []SearchOwner
}

// siteField is the reference to where a record is.
const siteField = "site"

// ownerDepth is how many references a search follows: from an interface to its device, and to the site of that.
const ownerDepth = 2

// SearchOwners returns the owners in the type's FullName, and the site.
func (t *Type) SearchOwners() []SearchOwner { return t.searchOwners(ownerDepth) }

func (t *Type) searchOwners(depth int) (owners []SearchOwner) {
	if depth == 0 {
		return nil
	}
	for _, ref := range t.references {
		named := ref.Name == siteField
		for _, form := range t.fullName {
			named = named || slices.ContainsFunc(form, func(p fullNamePart) bool { return p.owner != nil && p.owner.Name == ref.Name })
		}
		if !named || ref.Many || ref.Loose || ref.Target == nil || !ref.Target.SearchIndexed() {
			continue
		}
		o := SearchOwner{Field: t.fields[ref.Index], Of: ref.Target, Owners: ref.Target.searchOwners(depth - 1)}
		for _, f := range ref.Target.searchFields {
			if name := f.Info().Name; name == ref.Target.naming || name == ref.Target.lookup {
				o.Texts = append(o.Texts, f)
			}
		}
		if o.Texts != nil {
			owners = append(owners, o)
		}
	}
	return owners
}

// mostSearchWords is how many words of a search are looked for one by one. A longer text is looked for as a whole.
const mostSearchWords = 8

// numbered is a word with a number behind it: VLAN10, AS64512.
var numbered = regexp.MustCompile(`^([a-z]+)([0-9]+)$`)

// SearchWords returns the words of a text that a search looks for one by one: those between spaces, of a record and its owner as in
// fra1-sw01:xe-0/0/1, and the number in VLAN10. Words that only name the type are left out. It returns nil where the text as a whole is
// all there is to look for.
func (t *Type) SearchWords(text string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '›' }) {
		if strings.Contains(word, ":") && !isSpelled(word) {
			words = append(words, strings.FieldsFunc(word, func(r rune) bool { return r == ':' })...)
			continue
		}
		if m := numbered.FindStringSubmatch(strings.ToLower(word)); len(m) == 3 && t.isCalled(m[1]) {
			word = m[2]
		}
		words = append(words, word)
	}
	if len(words) > 1 {
		others := slices.DeleteFunc(slices.Clone(words), t.isCalled)
		if len(others) > 0 {
			words = others
		}
	}
	words = unique(words)
	if len(words) == 0 || len(words) > mostSearchWords || len(words) == 1 && words[0] == text {
		return nil
	}
	return words
}

func unique(words []string) (out []string) {
	for _, word := range words {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// isCalled reports whether a word only says of which type a record is.
func (t *Type) isCalled(word string) bool {
	return strings.EqualFold(word, t.Title()) || t.SearchAs != "" && strings.EqualFold(word, t.SearchAs)
}

// NamesType reports whether a word of a search only says of which type a record is, alone or before a number: VLAN, VLAN10.
func (t *Type) NamesType(word string) bool {
	return t.isCalled(strings.TrimRight(word, "0123456789"))
}

// shortestMisspelled and longestMisspelled are how many letters a word has for which a search suggests another.
const shortestMisspelled, longestMisspelled = 4, 50

// MayBeMisspelled reports whether a search that finds nothing may suggest another word: this one is neither a number or an address, of
// which the next one is something else, nor too short or too long to compare.
func MayBeMisspelled(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= shortestMisspelled && n <= longestMisspelled && !isSpelled(word)
}

// isSpelled reports whether a text is an address of some kind or the beginning of one, in which colons belong together.
func isSpelled(text string) bool {
	_, isNet := parseNet(text)
	return isNet || strings.Trim(text, "0123456789abcdefABCDEF:./") == ""
}

// shortestOctets is how many digits of a hardware address are searched as such: its last half.
const shortestOctets = 6

// SearchSpelling returns the spelling in which hardware addresses are stored of a text that is a part of one: 00:C2:01 for 00c201,
// 00-c2-01 and 00c2.01. ok is false for any other text.
func SearchSpelling(text string) (spelled string, ok bool) {
	digits := strings.NewReplacer(":", "", "-", "", ".", "").Replace(text)
	if len(digits) < shortestOctets || len(digits) > 16 || len(digits)%2 != 0 || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(strings.ToUpper(digits[i : i+2]))
	}
	return b.String(), b.String() != text
}

// IsSpelled reports whether a field has hardware addresses, which people spell in several ways.
func IsSpelled(f Field) bool { return f.Column().Storage == StoreMAC }
