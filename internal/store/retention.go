package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Retention says for how many days the growing tables are kept; 0 is forever. What is sent and shown of a delivery is
// made from its change, so changes are kept at least as long.
type Retention struct {
	Changes    int // and the audit log
	Deliveries int // with their attempts, and the condition errors
}

// Retained is what one call of Retain did.
type Retained struct {
	Expired int64 // deliveries that were still to be sent
	Dropped []Partition
	Busy    []string // expired partitions that are still in use: they and later ones of the table are dropped another time
}

// Partition is a part of a growing table, usually a week.
type Partition struct {
	Name     string
	Of       string // the type of its rows, where they are counted
	Rows     int64
	Till     time.Time
	from     time.Time
	position int64 // of changes: the newest one among them
}

const (
	// A drop waits for readers of the table, and whoever comes later waits behind the drop. So it gives up soon and is
	// tried again with the next upkeep.
	dropPatience = "250ms"

	// The backlog of a webhook that was paused for months is split into several transactions.
	expireAtOnce = 1_000
)

// Counting takes long, and nobody waits for it. But nothing that holds locks scans a whole week.
var retentionSettings = []Setting{{"statement_timeout", "10min"}, {"enable_seqscan", "off"}}

// countedAs names the growing tables that are also lists, with the type under which their rows are counted.
var countedAs = map[string]string{"extras_objectchange": ChangeType, "extras_delivery": DeliveryType,
	"extras_conditionerror": ConditionErrorType, "extras_auditevent": AuditType}

// WeekOf returns the beginning of the week of a time: what is before it may be dropped when the time is the limit of a retention.
func WeekOf(t time.Time) time.Time { return weekOf(t) }

// Retain drops the partitions that are entirely before the limit. Older deliveries that are still to be sent fail
// first. If another process is doing it, it returns ErrElsewhere. Another error leaves what was done before it.
func (s *Store) Retain(ctx context.Context, keep Retention, now time.Time) (done Retained, err error) {
	defer named(&err, "remove what is past its retention")
	if keep == (Retention{}) {
		return done, nil
	}
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return done, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_, unlockErr := conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // the end of the connection would be noticed a little later
		err = errors.Join(err, unlockErr, conn.Close(ctx))
	}()
	if err := send(ctx, conn.PgConn(), retentionSettings); err != nil {
		return done, err
	}
	var mine bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", RetentionLock).Scan(&mine); err != nil {
		return done, err
	}
	if !mine {
		return done, ErrElsewhere
	}
	err = done.retain(ctx, conn, keep, now)
	return done, err
}

func (done *Retained) retain(ctx context.Context, conn *pgx.Conn, keep Retention, now time.Time) error {
	if keep.Deliveries > 0 {
		if err := done.expire(ctx, conn, keep.Deliveries, now.AddDate(0, 0, -keep.Deliveries), now); err != nil {
			return fmt.Errorf("fail expired deliveries: %w", err)
		}
	}
	for _, kept := range keep.tables() {
		if kept.days == 0 {
			continue
		}
		if err := done.dropBefore(ctx, conn, kept.table, now.AddDate(0, 0, -kept.days)); err != nil {
			return err
		}
	}
	return dropPositions(ctx, conn, now)
}

// keptTable is a growing table, and for how many days it is kept.
type keptTable struct {
	table string
	days  int
}

// tables lists the growing tables in the order in which partitions are dropped: what is made from changes goes first.
func (keep Retention) tables() []keptTable {
	return []keptTable{{"extras_delivery", keep.Deliveries}, {"extras_attempt", keep.Deliveries},
		{"extras_conditionerror", keep.Deliveries}, {"extras_auditevent", keep.Changes},
		{"extras_objectchange", keep.Changes}}
}

// expire fails the awaited deliveries of changes before the limit and removes their jobs. One
// that is being sent at the moment is left to its worker.
func (done *Retained) expire(ctx context.Context, conn *pgx.Conn, days int, limit, now time.Time) error {
	reason := fmt.Sprintf("It expired: it was not sent within the %d days that deliveries are kept.", days)
	for after := int64(0); ; {
		var expired, seen int64
		var last *int64
		err := conn.QueryRow(ctx, `
			WITH chosen AS (
				SELECT id, changed_at, job_id FROM extras_delivery
				WHERE (state = 'queued' OR retry_at IS NOT NULL) AND changed_at < $1 AND id > $2 ORDER BY id LIMIT $3 FOR NO KEY UPDATE),
			expired AS (
				UPDATE extras_delivery d SET state = 'failed', retry_at = NULL, finished_at = $4, status_code = NULL, reason = $5
				FROM chosen x WHERE d.id = x.id AND d.changed_at = x.changed_at AND d.changed_at < $1 AND (d.state = 'queued' OR d.retry_at IS NOT NULL)
					AND NOT EXISTS (SELECT FROM river_job j WHERE j.id = x.job_id AND j.state = 'running')
				RETURNING d.webhook_id, d.job_id),
			job AS (DELETE FROM river_job j USING expired e WHERE j.id = e.job_id AND j.state <> 'running'),
			tally AS (
				INSERT INTO extras_tally (minute, webhook_id, successful, failed, milliseconds)
				SELECT date_trunc('minute', $4::timestamptz), webhook_id, 0, count(*), 0 FROM expired GROUP BY webhook_id)
			SELECT (SELECT count(*) FROM expired), (SELECT count(*) FROM chosen), (SELECT max(id) FROM chosen)`,
			limit, after, expireAtOnce, now, reason).Scan(&expired, &seen, &last)
		done.Expired += expired
		if err != nil || seen < expireAtOnce {
			return err
		}
		after = *last
	}
}

// dropBefore drops the partitions of a table that end before the limit, the oldest first. It stops at one that is in
// use: more tries would make everybody wait more often.
func (done *Retained) dropBefore(ctx context.Context, conn *pgx.Conn, table string, limit time.Time) error {
	old, err := partitionsBefore(ctx, conn, table, limit)
	if err != nil {
		return err
	}
	for _, p := range old {
		p.Of = countedAs[table]
		err := p.measure(ctx, conn, table)
		if err == nil {
			_, err = conn.Exec(ctx, p.dropStatement(table))
		}
		switch {
		case Locked(err), errors.Is(err, errUnnumbered):
			done.Busy = append(done.Busy, p.Name)
			return nil
		case err != nil:
			return fmt.Errorf("drop partition %s: %w", p.Name, err)
		default:
			done.Dropped = append(done.Dropped, p)
		}
	}
	return nil
}

// measure reads what is noted when the partition is dropped. Nobody writes into a week that has been over for a day, so it stays right
// while there is no lock yet.
func (p *Partition) measure(ctx context.Context, conn *pgx.Conn, table string) error {
	err := conn.QueryRow(ctx, "SELECT count(*) FROM "+p.Name).Scan(&p.Rows)
	if err == nil && countedAs[table] == ChangeType {
		p.position, err = p.lastPosition(ctx, conn)
	}
	return err
}

// partitionsBefore uses the bounds of the partitions, not their names: somebody may have made one by hand. The names
// it returns are quoted.
func partitionsBefore(ctx context.Context, conn querier, table string, limit time.Time) ([]Partition, error) {
	rows, err := conn.Query(ctx, `
		SELECT name, bound[1]::timestamptz, bound[2]::timestamptz FROM (
			SELECT c.oid::regclass::text AS name, regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \('(.*)'\) TO \('(.*)'\)$$) AS bound
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass) p
		WHERE bound[2]::timestamptz <= $2 ORDER BY 3`, table, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Partition, error) {
		var p Partition
		err := row.Scan(&p.Name, &p.from, &p.Till)
		return p, err
	})
}

// stillUsed returns the query whose answer forbids dropping a partition.
func (p Partition) stillUsed(table string) string {
	switch table {
	case "extras_delivery":
		return fmt.Sprintf("EXISTS (SELECT FROM %s WHERE state = 'queued' OR retry_at IS NOT NULL)", p.Name)
	case "extras_attempt", "extras_objectchange":
		return fmt.Sprintf("EXISTS (SELECT FROM extras_delivery WHERE changed_at >= '%s' AND changed_at < '%s')",
			p.from.Format(time.RFC3339Nano), p.Till.Format(time.RFC3339Nano))
	}
	return "false"
}

// dropStatement is a single statement, so that the locks never wait for this process. DROP takes both locks anyway.
// Taken beforehand, in the order that everybody uses, only the first is waited for, and stillUsed is asked when its
// answer can't change any more.
func (p Partition) dropStatement(table string) string {
	count := ""
	if name, ok := countedAs[table]; ok {
		count = fmt.Sprintf("INSERT INTO record_count (type, n) VALUES ('%s', -%d);", name, p.Rows)
	}
	if countedAs[table] == ChangeType {
		count += fmt.Sprintf("UPDATE extras_sequencer SET oldest = greatest(oldest, %d);", p.position+1)
	}
	return fmt.Sprintf(`DO $$ BEGIN
		SET LOCAL lock_timeout = '%s';
		LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE;
		LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT;
		IF %s THEN
			RAISE lock_not_available;
		END IF;
		%s
		DROP TABLE %[3]s;
	END $$`, dropPatience, quote(table), p.Name, p.stillUsed(table), count)
}
