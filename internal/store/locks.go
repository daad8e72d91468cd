package store

// The advisory locks of Terrier: every number that a process passes to PostgreSQL is in this block. Two that were equal would make one
// task wait for another, or be left out while the other runs. Processes of two versions run side by side during an upgrade, so a number
// never changes its meaning. 0x7e551e6 is taken by earlier versions.
//
// goose takes a lock of its own for migrations. Locks of a record, tree, place or rule have a hashed name instead of a number: "tree:",
// "hold:", "same:", "together:", "space:", "place:", "sources:", each followed by a type or rule.
const (
	RiverMigrateLock int64 = 0x21ce2    // migrating River's tables
	SearchLock       int64 = 0x7e55ea4c // making the search indexes, and merging what was written lately into them
	UpkeepLock       int64 = 0x7e551e4  // upkeep that takes a moment: partitions, counts, sweeps
	RetentionLock    int64 = 0x7e551e5  // dropping partitions, which may take minutes. Replays share it: they write into past weeks
	NumberingLock    int64 = 0x7e551e7  // numbering changes: held by the sequencer on a connection of its own
	RecountLock      int64 = 0x7e551e8  // counting the records of a type, which may take minutes
	AuditChainLock   int64 = 0x7e551e9  // adding events to the chain of the audit log, and removing its oldest entries
)
