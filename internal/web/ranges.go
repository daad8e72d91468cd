package web

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// mostAdded is how many records one form creates at most.
const mostAdded = 1000

// longestRanged is how long a text with ranges may be, so that the texts that it stands for need little memory. Names and labels are
// shorter: a longer text stands for itself, and is refused as too long.
const longestRanged = 1000

// rangeHelp explains ranges in a form.
const rangeHelp = "Several at once: port[1-48], [a-d], [ge,xe]-0/0/[0-9]."

// rangePart is a part of a text that stands for several: [0-47], [a-d], [ge,xe,1-4]. Other brackets mean themselves.
var rangePart = regexp.MustCompile(`\[[^\[\]]*[-,][^\[\]]*\]`)

// expand returns the texts that a text with ranges stands for, in the order in which people count: the last range first. A text without
// ranges stands for itself.
func expand(text string) ([]string, error) {
	if len(text) > longestRanged {
		return []string{text}, nil
	}
	all := []string{""}
	end := 0
	for _, at := range rangePart.FindAllStringIndex(text, -1) {
		before, part := text[end:at[0]], text[at[0]:at[1]]
		items, err := rangeItems(part)
		if err != nil {
			return nil, err
		}
		if len(all)*len(items) > mostAdded {
			return nil, errTooManyAdded(part)
		}
		longer := make([]string, 0, len(all)*len(items))
		for _, start := range all {
			for _, item := range items {
				longer = append(longer, start+before+item)
			}
		}
		all, end = longer, at[1]
	}
	for i := range all {
		all[i] += text[end:]
	}
	return all, nil
}

func errTooManyAdded(part string) error {
	return fmt.Errorf("%s makes more than %d records. Create them in parts", part, mostAdded)
}

// rangeItems returns what a range such as [0-47] or [ge,xe,1-4] stands for.
func rangeItems(part string) ([]string, error) {
	var items []string
	for item := range strings.SplitSeq(strings.Trim(part, "[]"), ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			items = append(items, item)
			continue
		}
		more, err := counted(part, from, to)
		if err != nil {
			return nil, err
		}
		if items = append(items, more...); len(items) > mostAdded {
			return nil, errTooManyAdded(part)
		}
	}
	return items, nil
}

// counted returns the numbers or letters from one to another. Numbers keep their leading zeros: 08-10 is 08, 09, 10.
func counted(part, from, to string) ([]string, error) {
	first, err1 := strconv.ParseUint(from, 10, 32)
	last, err2 := strconv.ParseUint(to, 10, 32)
	digits := err1 == nil && err2 == nil
	switch {
	case !digits && !areLetters(from, to):
		return nil, fmt.Errorf("%s can't be counted: write numbers such as [0-47], single letters such as [a-d], or words such as [ge,xe]", part)
	case !digits:
		first, last = uint64(from[0]), uint64(to[0])
	}
	switch {
	case first > last:
		return nil, fmt.Errorf("%s counts down: write the smaller one first", part)
	case last-first >= mostAdded:
		return nil, errTooManyAdded(part)
	}
	items := make([]string, 0, last-first+1)
	for n := first; n <= last; n++ {
		if digits {
			items = append(items, fmt.Sprintf("%0*d", len(from), n))
		} else {
			items = append(items, string(rune(n)))
		}
	}
	return items, nil
}

// areLetters reports whether both are one letter of the same case.
func areLetters(from, to string) bool {
	in := func(low, high byte) bool {
		return len(from) == 1 && len(to) == 1 && from[0] >= low && from[0] <= high && to[0] >= low && to[0] <= high
	}
	return in('a', 'z') || in('A', 'Z')
}
