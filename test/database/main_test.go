// Package database_test tests Terrier on databases as they are run: behind a pooler, as two nodes of which one fails,
// stopped and started again. Server, worker and poolers are the real programs.
package database_test

import (
	"os"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) { os.Exit(install.Main(m)) }
