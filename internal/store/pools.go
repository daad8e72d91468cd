package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/limit"
)

// ForLists are the settings of the connections for lists. Their statements have less time than others, because a list
// can be narrowed, and one processor each: with parallel workers, a few lists would take all.
var ForLists = []Setting{{"statement_timeout", "10s"}, {"max_parallel_workers_per_gather", "0"}}

// ForChanges are the settings of the connections for change sets and single records, which look everything up by index. A plan that was
// made while a table was nearly empty, and is kept, would scan all of it for every row once it has grown: foreign keys are
// checked with such plans too. Each statement is planned once for a connection: with a dozen joins that takes longer than reading.
var ForChanges = []Setting{{"enable_seqscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"},
	{"plan_cache_mode", "force_generic_plan"}}

// forRecords are further settings of the connections for single records: each statement takes milliseconds, unless something is wrong.
var forRecords = Setting{"statement_timeout", "2s"}

// recordConnections is how many connections single records have, of a number of main connections.
func recordConnections(main int32) int32 { return max(4, main/4) }

// spareConnections are reserved for health and login.
const spareConnections = 2

// callerLists is how many lists of one caller run at once at most, however many connections are free.
const callerLists = 8

// listBudget shares the connections for lists. No caller takes the last one.
func listBudget(connections int32) limit.Budget {
	return limit.Budget{Name: "lists", Size: int64(connections), Each: max(1, min(callerLists, int64(connections)-1)), Busy: errNoList}
}

var errNoList = &fault.Error{Kind: fault.Busy,
	Detail:     "Other lists, yours or those of others, were being read all the time. Try again, or ask for fewer at once.",
	RetryAfter: time.Second}

var errNoSnapshot = &fault.Error{Kind: fault.Busy,
	Detail:     "Other snapshots, yours or those of others, were being read all the time. Try again.",
	RetryAfter: 10 * time.Second}

var errNoWrite = &fault.Error{Kind: fault.Busy,
	Detail:     "Other changes, yours or those of others, were being written all the time. Try again, or send fewer at once.",
	RetryAfter: time.Second}

// writeBudget shares the main connections among change sets. One connection remains for what else needs them, such as River. A caller has
// half of them at most.
func writeBudget(connections int32) limit.Budget {
	return limit.Budget{Name: "writes", Size: int64(connections) - 1, Each: int64(connections) / 2, Busy: errNoWrite}
}

// draftBytes is how much memory the drafts of large change sets take together, and callerDrafts those of one caller: one of ten thousand
// records of a small type.
const (
	draftBytes   = 112 << 20
	callerDrafts = 96 << 20
)

// Charge waits until a caller may have so many bytes of drafts more in memory. The caller must have no connection.
func (p *pools) Charge(ctx context.Context, by access.Asker, bytes int64) (release func(), err error) {
	defer named(&err, "wait for memory for drafts")
	return p.drafts.Acquire(ctx, by, bytes)
}

// pools are the connections of a Store, separated so that neither readers nor writers can stop everybody.
type pools struct {
	pool    *pgxpool.Pool                  // change sets, River, upkeep: as many as the address of the database says
	records *pgxpool.Pool                  // sessions, tokens and single records
	lists   *pgxpool.Pool                  // requests that read many rows: half as many
	spare   *pgxpool.Pool                  // health and login
	reads   *limit.Semaphore[access.Asker] // of the connections for lists
	drafts  *limit.Semaphore[access.Asker] // of memory, for change sets
	answers answerMemory
	writes  *limit.Semaphore[access.Asker] // of the main connections, for change sets
	used    *limit.Usage[access.Asker]     // how much time lists of each caller have taken

	snapshots     *pgxpool.Pool
	snapshotReads *limit.Semaphore[access.Asker]

	resets   *resets
	listTime time.Duration // for all statements of a list together; 0 for no limit
}

// openPools connects. Pools that only some processes need connect on first use.
func openPools(ctx context.Context, url string, tracer pgx.QueryTracer, own []Setting) (p pools, err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	p.resets = &resets{}
	open := func(connections int32, settings ...Setting) (pool *pgxpool.Pool, sent []Setting, err error) {
		config, sent, err := readAddress(url, slices.Concat(ForAll, own, settings))
		if err != nil {
			return nil, nil, err
		}
		config.ConnConfig.Tracer = tracer
		if connections == 0 {
			pool, err = openPool(ctx, config, p.resets)
			return pool, sent, err
		}
		config.MaxConns, config.MinConns, config.MinIdleConns = connections, 0, 0
		pool, err = newPool(ctx, config, p.resets)
		return pool, sent, err
	}
	if p.pool, _, err = open(0, ForChanges...); err != nil {
		return p, err
	}
	if p.spare, _, err = open(spareConnections); err != nil {
		return p, err
	}
	if p.records, _, err = open(recordConnections(p.pool.Config().MaxConns), append(slices.Clone(ForChanges), forRecords)...); err != nil {
		return p, err
	}
	half := max(1, p.pool.Config().MaxConns/2)
	p.drafts = limit.New[access.Asker](limit.Budget{Name: "drafts", Size: draftBytes, Each: callerDrafts, Busy: errNoWrite})
	p.answers = newAnswerMemory()
	p.writes = limit.New[access.Asker](writeBudget(p.pool.Config().MaxConns))
	p.used = limit.NewUsage[access.Asker](listShare, listWindow)
	p.reads = limit.New[access.Asker](listBudget(half)).Prefer(p.used, slowLists(half))
	p.snapshotReads = limit.New[access.Asker](limit.Budget{Name: "snapshots", Size: snapshotConnections, Each: 1, Busy: errNoSnapshot})
	if p.snapshots, _, err = open(snapshotConnections, ForLists...); err != nil {
		return p, err
	}
	var sent []Setting
	p.lists, sent, err = open(half, ForLists...)
	p.listTime = statementTime(sent)
	return p, err
}

// statementTime reads the statement timeout from settings, as PostgreSQL does: a number is milliseconds. It returns 0
// if it can't.
func statementTime(settings []Setting) time.Duration {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == "statement_timeout" })
	if i < 0 {
		return 0
	}
	value := strings.NewReplacer(" ", "", "min", "m").Replace(settings[i].Value)
	if _, err := strconv.Atoi(value); err == nil {
		value += "ms"
	}
	timeout, err := time.ParseDuration(value)
	if err != nil {
		return 0 // PostgreSQL's own limit applies, to each statement
	}
	return timeout
}

// Close gives the connections back.
func (p *pools) Close() {
	for _, pool := range []*pgxpool.Pool{p.pool, p.records, p.lists, p.snapshots, p.spare} {
		if pool != nil {
			pool.Close()
		}
	}
}

// Pool is for River, which works on the same database.
func (p *pools) Pool() *pgxpool.Pool { return p.pool }

// Spare is for what must work however many requests there are: health.
func (p *pools) Spare() *pgxpool.Pool { return p.spare }

// list sends the statements of a list when it is the caller's turn.
func (p *pools) list(ctx context.Context, scope access.Scope, batch *pgx.Batch) error {
	return p.inTurn(ctx, scope, func(ctx context.Context) error { return p.lists.SendBatch(ctx, batch).Close() })
}

// beyond is how much longer than one statement all statements of a list may take: if one alone is too slow, PostgreSQL ends it
// first, even on a busy machine. Then its connection stays, and what the statements before it answered arrives.
const beyond = time.Second

// inTurn runs fn when it is the caller's turn to use a connection for lists. The statements of fn share the time that one
// statement may take, and beyond.
func (p *pools) inTurn(ctx context.Context, scope access.Scope, fn func(context.Context) error) error {
	done, err := p.admitList(ctx, scope.By())
	if err != nil {
		named(&err, "wait for a connection")
		return err
	}
	defer done()
	if p.listTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.listTime+beyond)
		defer cancel()
	}
	return fn(ctx)
}
