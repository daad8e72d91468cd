package feed

import (
	"sort"
	"sync"

	"terrier/internal/store"
)

// How many recent changes a server keeps for those who wait, and how many bytes of them: documents and texts.
const (
	ringChanges = 10_000
	ringBytes   = 32 << 20
)

// Change is a change with its position. All who wait for it share it.
type Change struct {
	store.Positioned

	once sync.Once
	text []byte
}

// Text returns what encode makes of the change. It is encoded once for all readers.
func (c *Change) Text(encode func(store.Positioned) []byte) []byte {
	c.once.Do(func() { c.text = encode(c.Positioned) })
	return c.text
}

// share makes changes that readers can share.
func share(changes []store.Positioned) []*Change {
	shared := make([]*Change, len(changes))
	for i, c := range changes {
		shared[i] = &Change{Positioned: c}
	}
	return shared
}

// ring is the recent changes: all after one position, up to another.
type ring struct {
	changes     []*Change
	first, last int64
	bytes       int
}

// add appends changes, after which the ring leads up to a position. The oldest ones make room for them.
func (r *ring) add(changes []*Change, last int64) {
	for _, c := range changes {
		r.changes = append(r.changes, c)
		r.bytes += 2 * c.Bytes()
	}
	r.last = last
	for len(r.changes) > ringChanges || r.bytes > ringBytes {
		oldest := r.changes[0]
		r.changes[0] = nil // so that its memory can be freed
		r.changes = r.changes[1:]
		r.bytes -= 2 * oldest.Bytes()
		r.first = oldest.Position
	}
}

// after returns the changes after a position.
func (r *ring) after(position int64) []*Change {
	i := sort.Search(len(r.changes), func(i int) bool { return r.changes[i].Position > position })
	return r.changes[i:]
}
