package metrics

// The families that are read of the database at scrapes. All processes show the same, so take the max, never the sum.
var (
	QueueDeliveries = Family{Name: "terrier_queue_deliveries", Kind: Gauge, From: everywhere,
		Help:   "Deliveries that are to be sent: queued, or retrying (failed, and retried automatically later).",
		Labels: []string{"webhook", "state"}}
	QueueOldest = Family{Name: "terrier_queue_oldest_seconds", Kind: Gauge, From: everywhere,
		Help: "How long the oldest queued delivery has been waiting; 0 if there is none. " +
			"For webhook=other, held, paused and disabled webhooks are left out.", Labels: []string{"webhook"}}
	WebhookInfo = Family{Name: "terrier_webhook_info", Kind: Gauge, From: everywhere,
		Help:   "1 for each webhook with a label of its own, with its name and state: enabled, held, paused or disabled.",
		Labels: []string{"webhook", "name", "state"}}
	WebhookHealth = Family{Name: "terrier_webhooks", Kind: Gauge, From: everywhere,
		Help: "Webhooks by health: healthy, failing (the last five attempts failed) or held (deliveries stay queued until the receiver " +
			"is back).",
		Labels: []string{"health"}}
	RiverJobs = Family{Name: "terrier_river_jobs", Kind: Gauge, From: everywhere,
		Help: "Jobs of deliveries by River's state.", Labels: []string{"state"}}
	WorkersAlive = Family{Name: "terrier_workers_alive", Kind: Gauge, From: everywhere,
		Help: "Workers that are alive: they reported within the last 20 seconds."}
	WorkersClockWrong = Family{Name: "terrier_workers_clock_wrong", Kind: Gauge, From: everywhere,
		Help: "Workers that take no deliveries because their clock differs from the database's."}
	ServersClockWrong = Family{Name: "terrier_servers_clock_wrong", Kind: Gauge, From: everywhere,
		Help: "Servers whose clock differs from the database's by more than 2 seconds: their changes have wrong times."}
	DatabaseUp = Family{Name: "terrier_database_up", Kind: Gauge, From: everywhere,
		Help: "1 if the database answers this process."}
	DatabaseWritable = Family{Name: "terrier_database_writable", Kind: Gauge, From: everywhere,
		Help: "1 if the database accepts writes: it is neither a standby nor read-only."}
	ClockOffset = Family{Name: "terrier_clock_offset_seconds", Kind: Gauge, From: everywhere,
		Help: "How far the database's clock is ahead of this machine's, at least; negative if it is behind."}
	MigrationsPending = Family{Name: "terrier_migrations_pending", Kind: Gauge, From: everywhere,
		Help: "Migrations that the database lacks."}
	PartitionsAhead = Family{Name: "terrier_partitions_ahead_seconds", Kind: Gauge, From: everywhere,
		Help: "For how long there are partitions to write to, without a gap.", Labels: []string{"table"}}
	Records = Family{Name: "terrier_records", Kind: Gauge, From: everywhere,
		Help: "Records by type.", Labels: []string{"type"}}
	FeedPosition = Family{Name: "terrier_feed_position", Kind: Gauge, From: everywhere,
		Help: "The newest position of a change: that of the feed."}
	FeedLag = Family{Name: "terrier_feed_lag_seconds", Kind: Gauge, From: everywhere,
		Help: "How old the oldest change is that has no position yet; 0 if there is none."}
)

// The connections of this process to the database, asked for at scrapes. The pools are those of docs/operations.md.
var (
	PoolMax = Family{Name: "terrier_pool_max_connections", Kind: Gauge, From: everywhere,
		Help: "The most connections that a pool may have.", Labels: []string{"pool"}}
	PoolAcquired = Family{Name: "terrier_pool_acquired_connections", Kind: Gauge, From: everywhere,
		Help: "Connections in use.", Labels: []string{"pool"}}
	PoolIdle = Family{Name: "terrier_pool_idle_connections", Kind: Gauge, From: everywhere,
		Help: "Connections that are open and not in use.", Labels: []string{"pool"}}
	PoolWaits = Family{Name: "terrier_pool_waits_total", Kind: Counter, From: everywhere,
		Help: "How often somebody had to wait for a connection.", Labels: []string{"pool"}}
	PoolWaited = Family{Name: "terrier_pool_wait_seconds_total", Kind: Counter, From: everywhere,
		Help: "How long they waited, together.", Labels: []string{"pool"}}
	PoolCancelled = Family{Name: "terrier_pool_cancelled_total", Kind: Counter, From: everywhere,
		Help: "How often somebody gave up waiting for a connection.", Labels: []string{"pool"}}
)

// What requests of this server share: see docs/limits.md.
var (
	BudgetSize = Family{Name: "terrier_budget_size", Kind: Gauge, From: servers,
		Help: "How much there is of what requests share: connections, bytes or requests.", Labels: []string{"budget"}}
	BudgetInUse = Family{Name: "terrier_budget_in_use", Kind: Gauge, From: servers,
		Help: "How much of it is in use.", Labels: []string{"budget"}}
	BudgetWaiting = Family{Name: "terrier_budget_waiting_requests", Kind: Gauge, From: servers,
		Help: "Requests that wait for it.", Labels: []string{"budget"}}
)
