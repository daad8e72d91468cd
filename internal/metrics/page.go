package metrics

import (
	"fmt"
	"strings"
)

const pageIntro = `<!-- Generated from internal/metrics: make docs -->

# Metrics

[Documentation](README.md) › [Reference](README.md#reference)

What ` + "`/metrics`" + ` shows on the address of ` + "`TERRIER_METRICS_LISTEN`" + `.
[Monitoring](monitoring.md) explains how to switch it on, what to alert on, and what to do then.

Metrics of Go and of the process itself (` + "`go_*`, `process_*`" + `) come with them.
`

// Page returns docs/metrics.md.
func Page() string {
	var page strings.Builder
	page.WriteString(pageIntro)
	for _, group := range Groups() {
		fmt.Fprintf(&page, "\n## %s\n\n| metric | kind | labels | from | meaning |\n|---|---|---|---|---|\n", group.Title)
		for _, f := range group.Families {
			labels := "—"
			if len(f.Labels) > 0 {
				labels = "`" + strings.Join(f.Labels, "`, `") + "`"
			}
			fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.Kind, labels, f.From, f.Help)
		}
	}
	return page.String()
}
