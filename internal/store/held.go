package store

import "fmt"

// heldAtOnce is how many bytes of changes are read before the first is processed. A record may have a mebibyte, and
// its change three times as much.
const heldAtOnce = 8 << 20

// upToHeld ends a part of the change log where its documents reach heldAtOnce.
func upToHeld(cut, order string) string { return upToBytes(cut, order, heldAtOnce) }

// upToBytes ends a part of the change log where its documents reach a number of bytes: those before a row are less than that.
// Lengths are known without reading large values.
func upToBytes(cut, order string, most int) string {
	return fmt.Sprintf(`SELECT t.* FROM (
		SELECT t.*, coalesce(sum(octet_length(t.data) + coalesce(octet_length(t.prechange), 0) + coalesce(octet_length(t.postchange), 0))
			OVER (%s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead
		FROM (%s) t) t WHERE t.ahead < %d`, order, cut, most)
}
