package metrics

// A Group is a part of the table in docs/metrics.md.
type Group struct {
	Title    string
	Families []Family
}

// Groups lists every family of ours.
func Groups() []Group {
	return []Group{
		{"Requests", []Family{httpRequests, httpDuration, httpInFlight, BudgetSize, BudgetInUse, BudgetWaiting}},
		{"Logins", []Family{logins, PasswordQueue}},
		{"Deliveries", []Family{attempts, attemptDuration, deliveryLag, DeliveriesSending, rescued, lostJobs, NotifierConnected, expired}},
		{"Queues", []Family{QueueDeliveries, QueueOldest, WebhookInfo, WebhookHealth, RiverJobs, WorkersAlive, WorkersClockWrong}},
		{"The database", []Family{DatabaseUp, DatabaseWritable, ClockOffset, ServersClockWrong, MigrationsPending, PartitionsAhead, Records,
			PoolMax, PoolAcquired, PoolIdle, PoolWaits, PoolWaited, PoolCancelled}},
		{"The feed", []Family{FeedPosition, FeedLag}},
		{"Upkeep", []Family{upkeepSuccess, upkeepFailures}},
		{"The process", []Family{buildInfo, Panics, readingUp, readingSeconds}},
	}
}
