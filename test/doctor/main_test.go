// Package doctor_test makes each check of `terrier doctor` fail on a real, private PostgreSQL, and checks that no other
// check notices.
package doctor_test

import (
	"os"
	"testing"

	"terrier/test/install"
)

func TestMain(m *testing.M) { os.Exit(install.Main(m)) }
