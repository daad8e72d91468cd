package ipam

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/record"
)

var protocols = record.ChoicesOf(`
tcp TCP
udp UDP
sctp SCTP
`)

var ports = record.Ints{Name: "ports", Min: new(int64(1)), Max: new(int64(65535)), Required: true, MaxItems: 250, FilterName: "port"}

// displayService names a service by its ports too: HTTP (TCP/80, 8080-8082).
func displayService(r record.Reader) string {
	return fmt.Sprintf("%s (%s/%s)", r.Text("name"), strings.ToUpper(r.Text("protocol")), runs(r.Numbers("ports")))
}

// runs writes numbers in their order, those that follow each other as a first and a last one.
func runs(numbers []int64) string {
	var parts []string
	for sorted := slices.Compact(slices.Sorted(slices.Values(numbers))); len(sorted) > 0; {
		n := 1
		for n < len(sorted) && sorted[n] == sorted[n-1]+1 {
			n++
		}
		part := strconv.FormatInt(sorted[0], 10)
		if n > 1 {
			part += "-" + strconv.FormatInt(sorted[n-1], 10)
		}
		parts, sorted = append(parts, part), sorted[n:]
	}
	return strings.Join(parts, ", ")
}
