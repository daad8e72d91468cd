package ledger

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"terrier/internal/record"
	"terrier/internal/store"
)

// suggestTime is how long the words of a search that found nothing may be looked up.
const suggestTime = time.Second

// mostSuggestedWords is how many words of a search may be misspelled. With more, nothing is suggested.
const mostSuggestedWords = 8

// searchedWord is a word of a search, as SearchWords splits a text.
var searchedWord = regexp.MustCompile(`[^ ›:]+`)

// SuggestSearch returns the text of a search that found nothing, with the words replaced that no record has but for one letter. It
// returns "" if there is no such text that finds something. The caller sees only names of records that they may see.
func (l *Ledger) SuggestSearch(ctx context.Context, c Caller, text string) (string, error) {
	words := searchedWord.FindAllString(text, mostSuggestedWords+1)
	types := slices.DeleteFunc(l.searchedTypes(c), func(in store.SearchedType) bool { return !in.Type.SearchIndexed() })
	sought := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return !record.MayBeMisspelled(word) ||
			slices.ContainsFunc(types, func(in store.SearchedType) bool { return in.Type.NamesType(word) })
	})
	if len(sought) == 0 || len(words) > mostSuggestedWords {
		return "", nil
	}
	short, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	spellings, err := l.Store.Spellings(short, types, sought)
	if err != nil {
		return "", err
	}
	meant := map[string]string{}
	for i, s := range spellings {
		if near := nearestWord(sought[i], s.Names); !s.Found && near != "" {
			meant[sought[i]] = near
		} else if !s.Found {
			return "", nil
		}
	}
	if len(meant) == 0 {
		return "", nil
	}
	suggested := searchedWord.ReplaceAllStringFunc(text, func(word string) string {
		if other, ok := meant[word]; ok {
			return other
		}
		return word
	})
	switch {
	case CheckSearch(suggested) != nil: // it has become too long
		return "", nil
	case len(words) == 1: // which is a word of a name
		return suggested, nil
	}
	found, err := l.Search(ctx, c, suggested)
	if err != nil || !slices.ContainsFunc(found, func(f store.Findings) bool { return len(f.Hits) > 0 }) {
		return "", err
	}
	return suggested, nil
}

// nearestWord returns the word of some names that is most like a misspelled one, or a whole name. It is in lower case if the misspelled
// one is.
func nearestWord(word string, names []string) string {
	var known []string
	for _, name := range names {
		known = append(known, strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
		known = append(append(known, strings.Fields(name)...), name)
	}
	near := record.NearestOf(word, known, 1)
	switch {
	case near == nil:
		return ""
	case word == strings.ToLower(word):
		return strings.ToLower(near[0])
	}
	return near[0]
}
