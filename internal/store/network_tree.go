package store

import (
	"fmt"
	"strings"

	"terrier/internal/record"
)

// In the order of inet, a network is followed by all networks inside it, so these are one range of an index over what the tree belongs to
// and the network. The networks around one are looked up by what they must be, one for each shorter length: the function
// networks_around lists them.

// NetworksInside counts a range of the index.
func (s *selector) NetworksInside(t record.NetworkTree) {
	network := s.column(t.Network())
	s.one(s.inTree(t, fmt.Sprintf("(SELECT count(*) FROM %s n WHERE %%s AND n.%s > %s AND n.%[2]s <= last_address(%[3]s))",
		quote(s.t.Table()), quote(t.Network().Name), network)), readInt, decodeInt)
	s.part.isAggregate = true
}

// NetworksAround looks up each network that may be around, one by one. With a list of them in one condition, PostgreSQL reads the whole
// tree for each record as long as it takes the table for a small one, as it does in the first import.
func (s *selector) NetworksAround(t record.NetworkTree) {
	s.one(s.inTree(t, fmt.Sprintf("(SELECT count(*) FROM unnest(networks_around(%[3]s)) around(network) CROSS JOIN LATERAL "+
		"(SELECT FROM %[2]s n WHERE %%s AND n.%[1]s = around.network LIMIT 1) found)",
		quote(t.Network().Name), quote(s.t.Table()), s.column(t.Network()))), readInt, decodeInt)
	s.part.isAggregate = true
}

// inTree makes an expression of a subselect over records n of the tree of this one, which the subselect has a place for. It is written
// once for the tree without an owner and once for the others, because no index answers both.
func (s *selector) inTree(t record.NetworkTree, subselect string) string {
	return ofOwner(s.column(t.Owner()), "n."+quote(t.Owner().Name), subselect)
}

// ofOwner makes an expression of a subselect over records with the same owner as this one, or with none as this one.
func ofOwner(mine, theirs, subselect string) string {
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN %s ELSE %s END", mine, strings.ReplaceAll(subselect, "%s", theirs+" IS NULL"),
		strings.ReplaceAll(subselect, "%s", theirs+" = "+mine))
}
