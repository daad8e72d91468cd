package store

import (
	"fmt"

	"terrier/internal/record"
)

// In the order of inet, a network is followed by all networks inside it, so these are one range of the index of the default order. The
// networks around one are looked up by what they must be, one for each shorter length: the function networks_around lists them.

// NetworksInside counts a range of the index.
func (s *selector) NetworksInside(t record.NetworkTree) {
	network := s.column(t.Network())
	s.one(fmt.Sprintf("(SELECT count(*) FROM %s n WHERE %s AND n.%s > %s AND n.%[3]s <= last_address(%[4]s))", quote(s.t.Table()), s.sameTree(t),
		quote(t.Network().Name), network), readInt, decodeInt)
}

// NetworksAround looks up each network that may be around.
func (s *selector) NetworksAround(t record.NetworkTree) {
	s.one(fmt.Sprintf("(SELECT count(DISTINCT n.%[1]s) FROM %[2]s n WHERE %[3]s AND n.%[1]s = ANY(networks_around(%[4]s)))",
		quote(t.Network().Name), quote(s.t.Table()), s.sameTree(t), s.column(t.Network())), readInt, decodeInt)
}

// sameTree tests whether a record n is in the tree of this one.
func (s *selector) sameTree(t record.NetworkTree) string {
	owner := quote(t.Owner().Name)
	return orNull("n."+owner, firstID) + " = " + orNull(s.alias+"."+owner, firstID)
}
