package transfer

import (
	"strings"

	"terrier/internal/record"
)

// help says how a field is written, after what its declaration says about it.
func help(f record.Field, info record.Info) string {
	said := info.Help
	if said != "" && !strings.HasSuffix(said, ".") {
		said += "."
	}
	if x, ok := f.(record.Explained); ok {
		said += " " + x.HowWritten()
	}
	return strings.TrimSpace(said)
}
