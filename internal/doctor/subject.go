package doctor

import (
	"net"
	"time"

	"terrier/internal/account"
	"terrier/internal/egress"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Subject is what is examined: the settings, and through them everything else. Its parts may be wrong or missing.
type Subject struct {
	Settings Settings
	Registry *record.Registry
	Program  string // the program's version
	Now      func() time.Time
	Resolver *net.Resolver // nil: the system's
	Limits   Limits        // the zero value: the usual ones
}

// Settings is what a check needs of the settings. Values that may be secret are not shown by any check.
type Settings struct {
	Problem   error // all but the two below
	Key       error
	Retention error

	Files   []string // of settings and secrets
	Names   []string // of all settings, in the environment
	Environ []string // names in the environment that look like settings

	DatabaseURL string // "" if it is wrong
	BaseURL     string
	Proxies     account.Proxies // the networks that are trusted about client addresses
	Keep        store.Retention
	SecretKey   string
	Keys        *account.Keyring // nil if a key is wrong
	HeldAfter   time.Duration    // a hold is reported when it has lasted so long
	Egress      *egress.Client   // nil if its settings are wrong
}

// Limits are the figures beyond which something is wrong. Tests narrow them.
type Limits struct {
	LeastVersion    int           // of PostgreSQL
	LongTransaction time.Duration // may be open
	OldIDs          int64         // age of the oldest transaction id
	OldQueue        time.Duration // a delivery may wait
	LongJob         time.Duration // a job may run
	LostJob         time.Duration // a delivery may have no job
	LongPause       time.Duration
	FeedLag         time.Duration // a change may have no position
	Certificate     time.Duration // a certificate must be valid for
	OpenFiles       uint64
	FreeDisk        uint64 // bytes
	FreeShare       float64
}

// usual are the limits for people.
var usual = Limits{
	LeastVersion:    15_00_00,
	LongTransaction: 5 * time.Minute,
	OldIDs:          1_000_000_000, // PostgreSQL stops at 2,000 million, and autovacuum begins at 200 million
	OldQueue:        5 * time.Minute,
	LongJob:         2 * time.Minute, // a request may take 30 s
	LostJob:         3 * time.Minute, // workers look after one minute
	LongPause:       7 * 24 * time.Hour,
	FeedLag:         time.Minute, // they are numbered every 100 ms
	Certificate:     21 * 24 * time.Hour,
	OpenFiles:       4096,
	FreeDisk:        1 << 30,
	FreeShare:       0.05,
}
