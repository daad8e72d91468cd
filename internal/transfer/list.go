package transfer

import (
	"strings"

	"terrier/internal/record"
)

// joinList writes the items of a list into one cell.
func joinList(items []string) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.ContainsAny(item, `,"`) || item == "" || strings.TrimSpace(item) != item {
			item = `"` + strings.ReplaceAll(item, `"`, `""`) + `"`
		}
		b.WriteString(item)
	}
	return b.String()
}

// splitList reads what joinList writes, and what people write: spaces around an item that
// is not quoted don't count, and neither does a comma at the end.
func splitList(s string) ([]string, error) {
	var items []string
	for {
		s = strings.TrimSpace(s)
		if s == "" {
			return items, nil
		}
		var item string
		if s[0] == '"' {
			var ok bool
			if item, s, ok = cutQuoted(s); !ok {
				return nil, record.Invalid(`A quote is not closed: write a list as a, b, "c, d".`)
			}
			s = strings.TrimSpace(s)
			if s != "" && s[0] != ',' {
				return nil, record.Invalid(`After a quoted item a comma is expected: write a list as a, b, "c, d".`)
			}
			s = strings.TrimPrefix(s, ",")
		} else {
			item, s, _ = strings.Cut(s, ",")
			item = strings.TrimSpace(item)
			if item == "" {
				continue
			}
		}
		items = append(items, item)
	}
}

// cutQuoted takes the quoted text off the front of s. A quote inside is doubled.
func cutQuoted(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for rest = s[1:]; ; rest = rest[1:] {
		before, after, found := strings.Cut(rest, `"`)
		if !found {
			return "", "", false
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, `"`) {
			return b.String(), after, true
		}
		b.WriteByte('"')
		rest = after
	}
}
