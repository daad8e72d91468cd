package access

import (
	"encoding/json"
	"sync"

	"terrier/internal/record"
)

// constraints caches what the constraints of permissions mean for a type and a user. A page asks hundreds of times
// what its caller may do, and parsing a permission takes longer than deciding. The cache never goes stale: the
// meaning follows from the key alone.
type constraints struct {
	mu    sync.Mutex
	known map[constraintsKey]meaning
	bytes int
}

type constraintsKey struct {
	t      *record.Type
	userID int64
	raw    string
}

// meaning is the result of ParseConstraints. It is shared and must not be changed.
type meaning struct {
	alternatives [][]record.Predicate
	err          error
}

// mostConstraints is how many bytes of constraints are cached. Others are parsed again each time.
const mostConstraints = 4 << 20

func (c *constraints) parse(t *record.Type, raw json.RawMessage, userID int64) ([][]record.Predicate, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	c.mu.Lock()
	found, ok := c.known[constraintsKey{t, userID, string(raw)}]
	c.mu.Unlock()
	if ok {
		return found.alternatives, found.err
	}
	found.alternatives, found.err = record.ParseConstraints(t, raw, userID)
	c.keep(constraintsKey{t, userID, string(raw)}, found)
	return found.alternatives, found.err
}

// entryBytes is about what an entry takes besides its text.
const entryBytes = 200

func (c *constraints) keep(key constraintsKey, m meaning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes += entryBytes + len(key.raw); c.known == nil || c.bytes > mostConstraints {
		c.known, c.bytes = map[constraintsKey]meaning{}, entryBytes+len(key.raw)
	}
	c.known[key] = m
}
