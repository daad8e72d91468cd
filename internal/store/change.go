package store

import (
	"time"

	"terrier/internal/record"
)

// Change is one row of the change log.
type Change struct {
	At         time.Time
	UserID     int64 // 0 for the machine
	UserName   string
	RequestID  string
	Action     string // create, update, delete
	Type       *record.Type
	ID         int64
	Display    string
	Version    int64
	Prechange  []byte // nil on a creation
	Postchange []byte // nil on a deletion
	Data       []byte // the record as the API shows it
}

// ChangeType is the name under which the change log is read and counted.
const ChangeType = "extras.objectchange"

// InsertChanges writes change rows: one statement, however many.
func (tx *Tx) InsertChanges(changes []Change) {
	n := len(changes)
	at, users, names, requests := make([]time.Time, n), make([]*int64, n), make([]string, n), make([]string, n)
	actions, types, ids, displays := make([]string, n), make([]string, n), make([]int64, n), make([]string, n)
	versions, pre, post, data := make([]int64, n), make([]*string, n), make([]*string, n), make([]string, n)
	for i, c := range changes {
		at[i], names[i], requests[i], actions[i] = c.At, c.UserName, c.RequestID, c.Action
		types[i], ids[i], displays[i], versions[i], data[i] = c.Type.Key(), c.ID, c.Display, c.Version, string(c.Data)
		pre[i], post[i] = optionalText(c.Prechange), optionalText(c.Postchange)
		if c.UserID != 0 {
			users[i] = &c.UserID
		}
	}
	tx.exec(`
		INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version, prechange, postchange, data)
		SELECT at, u, un, r::uuid, a, ot, oid, d, v, pre, post, data
		FROM unnest($1::timestamptz[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[])
			AS x(at, u, un, r, a, ot, oid, d, v, pre, post, data)`,
		at, users, names, requests, actions, types, ids, displays, versions, pre, post, data)
}

func optionalText(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}
