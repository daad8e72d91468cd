// Package metrics_test looks at the metrics of the real binary as Prometheus does.
package metrics_test

import (
	"os"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) { os.Exit(install.Main(m)) }
