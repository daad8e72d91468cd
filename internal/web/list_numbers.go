package web

import (
	"net/url"
	"strconv"

	"terrier/internal/store"
)

// pageLink is the number of a page of a list. One without a number is a gap.
type pageLink struct {
	N       int
	Href    string
	Current bool
}

// nearPages is how many numbers are shown on each side of that of the current page, besides the first and the last.
const nearPages = 2

// pageLinks returns the numbers of the pages of a list. There are none if it is not known how many records there are, if all of them are
// on one page, or if the page begins between two others.
func (p *TypePages) pageLinks(params url.Values, q store.Query, found store.Page) (links []pageLink) {
	if !found.Total.Counted || found.Total.Capped || q.Limit <= 0 || found.Offset%q.Limit != 0 {
		return nil
	}
	last, current := (int(found.Total.Count)+q.Limit-1)/q.Limit, found.Offset/q.Limit+1
	if last < 2 || current > last {
		return nil
	}
	before := 0
	for n := 1; n <= last; n++ {
		if n != 1 && n != last && (n < current-nearPages || n > current+nearPages) {
			continue
		}
		if n > before+1 {
			links = append(links, pageLink{})
		}
		offset := ""
		if n > 1 {
			offset = strconv.Itoa((n - 1) * q.Limit)
		}
		links = append(links, pageLink{n, With(p.Path, params, "offset", offset, "cursor", ""), n == current})
		before = n
	}
	return links
}
