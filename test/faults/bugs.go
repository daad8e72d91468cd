package main

// bug is a mistake that Terrier could have. It is compiled in only for the sensitivity run, with go build -overlay. The program itself
// contains nothing of it.
type bug struct {
	name  string
	does  string
	edits []edit

	breaks   string   // the invariant whose violation must be found
	faults   []string // the faults that are needed to show it
	patience int      // seconds to wait for the end of deliveries; 0 for the usual time
}

// edit replaces a snippet that is in a file exactly once.
type edit struct{ file, from, to string }

const (
	ledgerSet   = "internal/ledger/changeset.go"
	ledgerWrite = "internal/ledger/write.go"
	ledgerTell  = "internal/ledger/notify.go"
	storeStore  = "internal/store/store.go"
	storeChange = "internal/store/change.go"
	storeJobs   = "internal/store/jobs.go"
	storeQueue  = "internal/store/requeue.go"
	sendJob     = "internal/delivery/job.go"
	sendWorker  = "internal/delivery/worker.go"
	sendAttempt = "internal/delivery/attempt.go"
	storeNumber = "internal/store/numbering.go"
)

// healing is how long it may take until the deliveries of a dead worker are sent again, or a lost job is found.
const healing = 95

// lateCommits lets changes be committed in another order than that of their ids.
var lateCommits = edit{storeStore, "tx.batch.Queue(\"COMMIT\")",
	"tx.exec(\"SELECT pg_sleep(0.2 * random())\")\n\ttx.batch.Queue(\"COMMIT\")"}

// clockAlone gives a change the time of the server's clock, and ignores the times of the records that it locks.
var clockAlone = edit{ledgerSet, "!s.at.After(newest)", "newest.IsZero() && !s.at.After(newest)"}

var bugs = []bug{
	{
		name: "enqueue-after-commit", does: "deliveries and jobs are written when the change is committed already",
		breaks: oneEach, faults: []string{killAPI, killAPI, killAPI},
		edits: []edit{
			{storeStore, "\tbatch *pgx.Batch\n", "\tbatch *pgx.Batch\n\tlate  *pgx.Batch\n"},
			{storeStore, "batch: &pgx.Batch{}}", "batch: &pgx.Batch{}, late: &pgx.Batch{}}"},
			{storeStore, "return tx.s.ended(tx.send(commit))", `defer func() {
		if tx.late.Len() > 0 {
			time.Sleep(200 * time.Millisecond)
			_ = tx.conn.SendBatch(context.WithoutCancel(ctx), tx.late).Close()
		}
	}()
	return tx.s.ended(tx.send(commit))`},
			{storeChange, "sized{notified(insertChanges.one), notified(insertChanges.many)}",
				"notified(`SELECT id, changed_at, version, object_type, object_id, request_id FROM extras_objectchange WHERE request_id::text = $1`)"},
			{storeChange, "n := len(changeRows)", "n := 1"},
			{storeChange, "(%s RETURNING id, changed_at, version, object_type, object_id, request_id),", "(%s),"},
			{storeChange,
				"tx.exec(insertNotified.of(len(changes)), append(changeRows.args(changes), milliseconds, shift, mask, hooks, types, ids, events)...)",
				"tx.InsertChanges(changes)\n\ttx.late.Queue(insertNotified, changes[0].RequestID, milliseconds, shift, mask, hooks, " +
					"types, ids, events)"},
			{storeChange, "tx.exec(notifyJobs, hooks)", "tx.late.Queue(notifyJobs, hooks)"},
		},
	},
	{
		name: "enqueue-outside", does: "change row, deliveries and jobs are written outside the transaction of the record",
		breaks: oneRow, faults: []string{killAPI, cutAPI, killAPI, cutAPI},
		edits: []edit{
			{storeChange, "import (\n", "import (\n\t\"context\"\n"},
			{storeChange, "tx.exec(insertNotified.of(", "tx.apart(insertNotified.of("},
			{storeChange, "// ConditionError is a change", `func (tx *Tx) apart(sql string, args ...any) {
	conn, err := pgx.Connect(context.Background(), tx.s.pool.Config().ConnString())
	if err == nil {
		_, _ = conn.Exec(context.Background(), sql, args...)
		_ = conn.Close(context.Background())
	}
}

// ConditionError is a change`},
			{storeStore, "tx.batch.Queue(\"COMMIT\")", "time.Sleep(150 * time.Millisecond)\n\ttx.batch.Queue(\"COMMIT\")"},
		},
	},
	{
		name: "two-transactions", does: "the record is committed before its change row",
		breaks: oneRow, faults: []string{killAPI, cutAPI, killAPI, cutAPI},
		edits: []edit{
			{storeStore, "\tbatch := tx.batch\n", "\ttx.exec(\"COMMIT\")\n\ttx.exec(\"BEGIN\")\n\tbatch := tx.batch\n"},
			{storeStore, "tx.batch.Queue(\"COMMIT\")", "time.Sleep(150 * time.Millisecond)\n\ttx.batch.Queue(\"COMMIT\")"},
		},
	},
	{
		name: "answer-before-durable", does: "a commit is acknowledged before it is on disk",
		breaks: oneRow, faults: []string{crash, crash, crash},
		edits: []edit{{"internal/store/connect.go", `{"timezone", "UTC"},`, "{\"timezone\", \"UTC\"}, {\"synchronous_commit\", \"off\"},"}},
	},
	{
		name: "complete-before-send", does: "a delivery is marked as successful before it is sent",
		breaks: received, faults: []string{killWorker},
		edits: []edit{{sendJob, "outcome, err := w.guarded(ctx, due, job.Probe)", `status := int64(200)
	early := store.Outcome{ID: due.ID, ChangedAt: due.ChangedAt, Webhook: due.Webhook, Round: due.Round, Job: job.ID,
		State: store.Successful, At: w.now(), Status: 200,
		Attempt: &store.Attempt{StartedAt: w.now(), Method: "POST", RequestHeaders: "{}", ResponseHeaders: "{}", Status: &status}}
	if _, err := w.results.Do(ctx, early); err != nil {
		return err
	}
	outcome, err := w.guarded(ctx, due, job.Probe)`}},
	},
	{
		name: "lose-batch-on-stop", does: "a worker that is stopped throws away the outcomes it has not written yet",
		breaks: once, faults: []string{termWorker, termWorker, termWorker, termWorker, termWorker, termWorker}, patience: healing,
		edits: []edit{
			{sendWorker, "// Args are the arguments", "var stopping atomic.Bool\n\n// Args are the arguments"},
			{sendWorker, `w.Log.Info("worker stopping`, "stopping.Store(true)\n\tw.Log.Info(\"worker stopping"},
			{sendJob, "for wait := 50 * time.Millisecond;",
				"if stopping.Load() {\n\t\treturn make([]struct{}, len(outcomes)), nil\n\t}\n\tfor wait := 50 * time.Millisecond;"},
		},
	},
	{
		name: "double-claim", does: "two workers may take the same round of a delivery",
		breaks: once,
		edits: []edit{
			{storeJobs, "SELECT job_id, jsonb", "SELECT CASE twin WHEN 1 THEN job_id ELSE nextval('river_job_id_seq') END, jsonb"},
			{storeJobs, "%s FROM %s`,", "%s FROM (SELECT * FROM %s) x CROSS JOIN generate_series(1, 2) twin`,"},
		},
	},
	{
		name: "no-rescue", does: "what a killed worker had taken is never taken again",
		breaks: ends, faults: []string{killWorker, killWorker, killWorkers}, patience: healing,
		edits: []edit{
			{sendWorker, "RescueStuckJobsAfter:        rescueAfter,", "RescueStuckJobsAfter:        24 * time.Hour,"},
			{"internal/delivery/watch.go", "const silence = 20 * time.Second", "const silence = 24 * time.Hour"},
		},
	},
	{
		name: "no-reconciler", does: "nobody looks for deliveries whose job was lost",
		breaks: ends, faults: []string{loseJobs}, patience: healing,
		edits: []edit{{sendWorker, `loops.Loop(looping, "recovery of lost jobs", w.recovering)`, "_ = w.recovering"}},
	},
	{
		name: "no-coalescing", does: "two edits of a record in one request are two changes",
		breaks: answered,
		edits:  []edit{{ledgerWrite, "if same, ok := first[d.v.ID()]; ok {", "if same, ok := first[d.v.ID()]; ok && false {"}},
	},
	{
		name: "sign-other-bytes", does: "the signature is not made of the body",
		breaks: mapped,
		edits: []edit{{"internal/webhook/render.go", "Signature(secrets[i], out.Body)",
			"Signature(secrets[i], append([]byte(nil), out.Body[1:]...))"}},
	},
	{
		name: "stale-secret", does: "a worker keeps using the webhook as it was before an edit",
		breaks: mapped,
		edits:  []edit{{"internal/delivery/hooks.go", "known.version == version", "known.version > 0"}},
	},
	{
		name: "drop-on-pause", does: "the queued deliveries of a paused webhook are dropped when it is resumed",
		breaks: oneEach,
		edits: []edit{{storeQueue, `"DELETE FROM extras_webhook_pause WHERE webhook_id = $1"`,
			`"WITH dropped AS (DELETE FROM extras_delivery WHERE webhook_id = $1 AND state = 'queued') DELETE FROM extras_webhook_pause WHERE ` +
				`webhook_id = $1"`}},
	},
	{
		name: "send-while-paused", does: "a pause has no effect",
		breaks: ends,
		edits: []edit{
			{"internal/store/workers.go", "NOT w.enabled OR p.webhook_id IS NOT NULL,", "NOT w.enabled,"},
			{"internal/store/deliveries.go", "(NOT w.enabled OR p.webhook_id IS NOT NULL)", "NOT w.enabled"},
		},
	},
	{
		name: "broken-condition-stops", does: "after a condition that can't be evaluated, no other webhook is notified",
		breaks: oneEach,
		edits:  []edit{{ledgerTell, "Reason: verdict.Reason})\n", "Reason: verdict.Reason})\n\t\t\t\treturn out, nil\n"}},
	},
	{
		name: "stale-conditions", does: "conditions are remembered after they were edited",
		breaks: oneEach,
		edits:  []edit{{ledgerTell, "known.version == h.Version", "known.version > 0"}},
	},
	{
		name: "retry-with-new-id", does: "another attempt has another delivery id",
		breaks: noInvented,
		edits:  []edit{{sendAttempt, "h.t.FormatID(due.ID)", "h.t.FormatID(due.ID + (due.Round-1)<<21)"}},
	},
	{
		name: "round-not-raised", does: "a manual retry stays in the round that is over",
		breaks: once,
		edits:  []edit{{storeQueue, "round = d.round + 1, tries = 0", "round = d.round, tries = 0"}},
	},
	{
		name: "retries-forgotten", does: "what failed is not sent again although its webhook says so",
		breaks: ends,
		edits:  []edit{{sendAttempt, "due.Tries >= hook.maxRetries ||", "due.Tries >= 0 ||"}},
	},
	{
		name: "retry-too-soon", does: "a receiver that asks for time gets a quarter of it",
		breaks: ends, faults: []string{answer429, answer429, answer429},
		edits: []edit{{sendAttempt, "o.RetryIn = asked", "o.RetryIn = asked / 4"}},
	},
	{
		name: "deleted-webhook-forgotten", does: "the queued deliveries of a deleted webhook never end",
		breaks: ends,
		edits:  []edit{{"internal/delivery/lanes.go", "wanted[id] = abandonedAtOnce", "_ = id"}},
	},
	{
		name: "redirect-is-success", does: "an answer of 3XX counts as success",
		breaks: received,
		edits:  []edit{{sendAttempt, "answer.Status < 300", "answer.Status < 400"}},
	},
	{
		name: "version-not-raised", does: "a site that loses its region keeps its version",
		breaks: gapless,
		edits: []edit{{ledgerSet, "\t\t\t\td.v.Version++",
			"\t\t\t\tif b.t.Index(\"region\") < 0 || d.v.Link(\"region\").ID != 0 || d.pre.Link(\"region\").ID == 0 " +
				"{\n\t\t\t\t\td.v.Version++\n\t\t\t\t}"}},
	},
	{
		name: "version-gap", does: "a version is left out",
		breaks: gapless,
		edits:  []edit{{ledgerSet, "d.v.Version++", "d.v.Version += 1 + s.at.UnixNano()/1000%2"}},
	},
	{
		name: "prechange-after-merge", does: "the state before a change is taken after it",
		breaks: gapless,
		edits:  []edit{{"internal/ledger/changes.go", "record.AppendSnapshot(nil, e.pre)", "record.AppendSnapshot(nil, shown)"}},
	},
	{
		name: "notified-of-nothing", does: "a write that changes nothing is a change",
		breaks: oneRow,
		edits:  []edit{{ledgerSet, "same := d.v.Equal(d.pre)", "same := d.v.Equal(d.pre) && len(b.drafts) > 1"}},
	},
	{
		name: "children-of-the-first", does: "of several new parents only the first brings its children",
		breaks: whole,
		edits: []edit{{"internal/ledger/children.go", "copies := newCopies(rule)\n\tfor _, p := range parents {",
			"copies := newCopies(rule)\n\tfor _, p := range parents[:1] {"}},
	},
	{
		name: "taken-without-lock", does: "a free address is taken without its lock",
		breaks: givenOnce,
		edits: []edit{
			{"internal/store/free.go", "CASE WHEN pg_try_advisory_xact_lock(%s) THEN", "CASE WHEN %s <> 0 THEN"},
			{storeStore, "tx.batch.Queue(\"COMMIT\")", "time.Sleep(150 * time.Millisecond)\n\ttx.batch.Queue(\"COMMIT\")"},
		},
	},
	{
		name: "sequencer-forgets", does: "a change that is committed after one with a greater id never gets a position",
		breaks: inOrder,
		edits:  []edit{lateCommits, {"internal/feed/gaps.go", "dead := min(l.settled, l.upTo)", "dead := l.upTo"}},
	},
	{
		name: "sequencer-by-time", does: "changes are numbered in the order of their times, by servers whose clocks differ",
		breaks: inOrder,
		edits: []edit{
			{storeNumber, "row_number() OVER (ORDER BY v.id)", "row_number() OVER (ORDER BY v.changed_at)"},
			{ledgerSet, "s.at = s.l.Timestamp()", "s.at = s.l.Timestamp().Add(-time.Duration(time.Now().UnixMicro()%2*2) * time.Second)"},
			clockAlone,
			{"internal/feed/sequencer.go", "tick = 100 * time.Millisecond", "tick = 3 * time.Second"},
		},
	},
	{
		name: "clock-alone", does: "the time of a change is that of the server's clock, and the clocks of two servers differ",
		breaks: gapless,
		edits:  []edit{clockAlone},
	},
	{
		name: "sequencer-taken-over", does: "who takes over the numbering does not know which changes were not committed yet",
		breaks: inOrder, faults: []string{rolling, rolling},
		edits: []edit{lateCommits, {storeNumber, "at.Gaps, err = structs[Span](rows)", "_, err = structs[Span](rows)"}},
	},
	{
		name: "read-only-writes", does: "a read-only token may write",
		breaks: answered,
		edits:  []edit{{"internal/ledger/ledger.go", "t.ReadOnly || c.ReadOnly", "t.ReadOnly"}},
	},
}
