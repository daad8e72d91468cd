// Package system_test has the tests that need the real binary: several processes on one database, signals, kills, logs, dumps and memory.
// Everything else is tested closer to the code.
package system_test

import (
	"fmt"
	"os"
	"testing"

	"terrier/test/install"
)

// TestMain also runs the senders of TestHostile.
func TestMain(m *testing.M) {
	if order := os.Getenv(senderOrder); order != "" {
		if err := sendHostile(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(install.Main(m))
}

// Short names for what every test here uses.
type (
	object = install.Object
	server = install.Process
	answer = install.Answer
)

var (
	newInstall = install.New
	connect    = install.Connect
	number     = install.Number
	eventually = install.Eventually
	randomHex  = install.RandomHex
)

// randomKey returns a token's key.
func randomKey() string { return randomHex(20) }
