package store

import (
	"encoding/json"
	"fmt"
	"time"

	"terrier/internal/record"
	"terrier/internal/webhook"
)

// Change is one row of the change log.
type Change struct {
	At         time.Time
	UserID     int64 // 0 for the machine
	UserName   string
	RequestID  string
	Action     string // Created, Updated or Deleted
	Type       *record.Type
	ID         int64
	Display    string
	Version    int64
	Prechange  []byte // nil on a creation
	Postchange []byte // nil on a deletion
	Data       []byte // the record as the API shows it
}

// The actions of the change log.
const (
	Created = "create"
	Updated = "update"
	Deleted = "delete"
)

// Event returns the change as webhooks see it.
func (c Change) Event() *webhook.Event {
	return &webhook.Event{Kind: webhook.KindOf(c.Action), Model: c.Type.Name, Timestamp: c.At, Username: c.UserName, RequestID: c.RequestID,
		Data: c.Data, Prechange: c.Prechange, Postchange: c.Postchange}
}

// About returns the webhook that the record is about, 0 for none.
func (c Change) About() int64 { return aboutWebhook(c.Type, c.Prechange, c.Postchange) }

// aboutWebhook returns the webhook that a record is about, by the states of its change; 0 for none.
func aboutWebhook(t *record.Type, states ...[]byte) (id int64) {
	if t == nil || t.Alerts == "" {
		return 0
	}
	for _, state := range states {
		var fields map[string]json.RawMessage
		if json.Unmarshal(state, &fields) == nil { // the state before a creation is empty
			_ = json.Unmarshal(fields[t.Alerts], &id) // a reference is a number
		}
	}
	return id
}

// The record types that the machine itself writes or notifies, as they are read and counted.
const (
	ChangeType         = "extras.objectchange"
	WebhookType        = "extras.webhook"
	DeliveryType       = "extras.delivery"
	ConditionErrorType = "extras.conditionerror"
	WebhookHealthType  = "extras.webhookhealth"
)

var changeRows = relation[Change]{
	attr("at", "timestamptz", func(c *Change) *time.Time { return &c.At }),
	attr("u", "bigint", func(c *Change) *int64 { return optionalID(&c.UserID) }),
	attr("un", "text", func(c *Change) *string { return &c.UserName }),
	attr("r", "text", func(c *Change) *string { return &c.RequestID }),
	attr("a", "text", func(c *Change) *string { return &c.Action }),
	attr("ot", "text", func(c *Change) *string { key := c.Type.Key(); return &key }),
	attr("oid", "bigint", func(c *Change) *int64 { return &c.ID }),
	attr("d", "text", func(c *Change) *string { return &c.Display }),
	attr("v", "bigint", func(c *Change) *int64 { return &c.Version }),
	attr("pre", "text", func(c *Change) *string { return optionalText(c.Prechange) }),
	attr("post", "text", func(c *Change) *string { return optionalText(c.Postchange) }),
	attr("data", "text", func(c *Change) *string { return optionalText(c.Data) }),
}

var insertChanges = changeRows.over(func(from string) string {
	return `
	INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version,
		prechange, postchange, data)
	SELECT at, u, un, r::uuid, a, ot, oid, d, v, pre, post, data FROM ` + from
})

// InsertChanges writes change rows: one statement, however many.
func (tx *Tx) InsertChanges(changes []Change) {
	tx.exec(insertChanges.of(len(changes)), changeRows.args(changes)...)
}

func optionalID(id *int64) *int64 {
	if *id == 0 {
		return nil
	}
	return id
}

func optionalText(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}

// Hook is an enabled webhook, with what decides whether it is notified of a change.
type Hook struct {
	ID, Version                  int64
	OnCreate, OnUpdate, OnDelete bool
	Conditions                   *string // JSON; nil for none
}

// Wants reports whether the webhook is notified of an action on a record that is about a webhook, or about none (0). None is
// notified of what is about itself.
func (h Hook) Wants(action string, about int64) bool { return h.On(action) && about != h.ID }

// On reports whether the webhook has the event of an action selected.
func (h Hook) On(action string) bool {
	return h.OnCreate && action == Created || h.OnUpdate && action == Updated || h.OnDelete && action == Deleted
}

// Hooks reads the enabled webhooks of a type.
func (tx *Tx) Hooks(t *record.Type) *Promise[[]Hook] {
	return promise(tx, `
		SELECT id, version, type_create, type_update, type_delete, conditions::text
		FROM extras_webhook WHERE enabled AND content_types @> ARRAY[$1]::text[] ORDER BY id`, []any{t.Key()}, structs[Hook])
}

// Match is a change that a webhook is notified of.
type Match struct {
	Change  int // its position
	Webhook int64
	Event   string // created, updated, deleted
}

// insertNotified has the parameters of the change rows, and seven more. The time of the statement, when the records are locked, gives
// the jobs of a record the order of its versions; transactions may have begun in another.
var insertNotified = sized{notified(insertChanges.one), notified(insertChanges.many)}

func notified(changes string) string {
	n := len(changeRows)
	return fmt.Sprintf(`WITH change AS (%s RETURNING id, changed_at, version, object_type, object_id, request_id),
		delivery AS (
			INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
				state, round, tries, attempt_count, job_id, queued_at, reason)
			SELECT ($%d::bigint << $%d::int) | (nextval('extras_delivery_id_seq') & $%d::int), c.changed_at, c.id, m.webhook, c.version, m.event,
				c.object_type, c.object_id, c.request_id, 'queued', 1, 0, 0, nextval('river_job_id_seq'), c.changed_at, ''
			FROM unnest($%d::bigint[], $%d::text[], $%d::bigint[], $%d::text[]) WITH ORDINALITY AS m(webhook, ot, oid, event, place)
			JOIN change c ON c.object_type = m.ot AND c.object_id = m.oid ORDER BY m.place
			RETURNING id, webhook_id, round, job_id)
		%s`, changes, n+1, n+2, n+3, n+4, n+5, n+6, n+7, insertJobs("delivery", "'available'", "statement_timestamp()"))
}

// InsertDeliveries writes change rows with their deliveries and jobs in one statement, however many, so that there
// are either all or none. A change set has one change per object, so type and id find it.
func (tx *Tx) InsertDeliveries(changes []Change, matches []Match) {
	n := len(matches)
	hooks, types, ids, events := make([]int64, n), make([]string, n), make([]int64, n), make([]string, n)
	for i, m := range matches {
		c := changes[m.Change]
		hooks[i], types[i], ids[i], events[i] = m.Webhook, c.Type.Key(), c.ID, m.Event
	}
	milliseconds, shift, mask := record.TimedIDs(changes[0].At)
	tx.exec(insertNotified.of(len(changes)), append(changeRows.args(changes), milliseconds, shift, mask, hooks, types, ids, events)...)
	tx.exec(notifyJobs, hooks)
}

// ConditionError is a change that a webhook was not notified of, because its conditions could not be evaluated.
type ConditionError struct {
	Change  int
	Webhook int64
	Reason  string
}

// InsertConditionErrors records why webhooks were not notified.
func (tx *Tx) InsertConditionErrors(changes []Change, failed []ConditionError) {
	n := len(failed)
	at, hooks, versions, types := make([]time.Time, n), make([]int64, n), make([]int64, n), make([]string, n)
	ids, requests, reasons := make([]int64, n), make([]string, n), make([]string, n)
	for i, m := range failed {
		c := changes[m.Change]
		at[i], hooks[i], versions[i], types[i], ids[i], requests[i], reasons[i] = c.At, m.Webhook, c.Version, c.Type.Key(), c.ID,
			c.RequestID, m.Reason
	}
	tx.exec(`
		INSERT INTO extras_conditionerror (changed_at, webhook_id, version, object_type, object_id, request_id, reason)
		SELECT at, w, v, ot, oid, r::uuid, why
		FROM unnest($1::timestamptz[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[]) AS x(at, w, v, ot, oid,
			r, why)`,
		at, hooks, versions, types, ids, requests, reasons)
}
