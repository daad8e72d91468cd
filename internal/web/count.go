package web

import (
	"fmt"
	"strconv"
	"time"

	"terrier/internal/store"
)

// countTime is how long a page waits for the count of a list. The records are shown without it then.
const countTime = 2 * time.Second

// QuickCount returns the query of a list for people: they need no exact count of a long list.
func QuickCount(q store.Query) store.Query {
	q.Count, q.CountTime = store.CountCapped, countTime
	return q
}

// CountText returns the number of records in a list: "25", "more than 10,000", "" if it is unknown.
func CountText(total store.Total) string {
	switch {
	case !total.Counted:
		return ""
	case total.Capped:
		return fmt.Sprintf("more than %d,000", store.CountCap/1000)
	}
	return strconv.FormatInt(total.Count, 10)
}

// allText names the box that selects all records of a list.
func allText(total store.Total) string {
	if !total.Counted || total.Capped {
		return "All that match"
	}
	return fmt.Sprintf("All %d that match", total.Count)
}
