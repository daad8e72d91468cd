package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestListsHaveLess: half of the connections, a shorter time for a statement, and one processor. Health and login have two
// connections. The address of the database says how many there are.
func TestListsHaveLess(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t)+"&pool_max_conns=6&pool_min_conns=4", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		pool              *pgxpool.Pool
		most, least       int32
		timeout, parallel string
	}{
		"records": {s.Pool(), 6, 4, "15s", "2"},
		"lists":   {store.ListPool(s), 3, 0, "10s", "0"},
		"spare":   {s.Spare(), 2, 0, "15s", "2"},
	} {
		var timeout, parallel string
		err := c.pool.QueryRow(t.Context(), "SELECT current_setting('statement_timeout'), current_setting('max_parallel_workers_per_gather')").Scan(&timeout, &parallel)
		if config := c.pool.Config(); err != nil || timeout != c.timeout || parallel != c.parallel || config.MaxConns != c.most || config.MinConns != c.least {
			t.Errorf("%s: %d to %d connections, %s for a statement, %s helpers (%v)", name, config.MinConns, config.MaxConns, timeout, parallel, err)
		}
	}
}
