package account

import (
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/alexedwards/argon2id"
)

// helperNice makes a core's time worth a tenth to the helper of what it is worth to others: it hardly delays them, and
// still gets on where they leave no core idle. At 19 it would take many seconds for one hash there.
const helperNice = 10

// hashTask is a password to compare with a hash or, where there is none, to hash.
type hashTask struct{ Plain, Hash string }

type hashResult struct {
	Hash  string
	Same  bool
	Error string
}

func (t hashTask) do() (r hashResult) {
	var err error
	if t.Hash == "" {
		r.Hash, err = argon2id.CreateHash(t.Plain, &hashParams)
	} else {
		r.Same, err = argon2id.ComparePasswordAndHash(t.Plain, t.Hash)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// ServeHelper is what the process of a Helper does: tasks come in and results go out, until in ends.
func ServeHelper(in io.Reader, out io.Writer, log *slog.Logger) error {
	runtime.GOMAXPROCS(1)
	if err := giveWay(); err != nil {
		log.Warn("the process that hashes passwords can't lower its priority: a flood of logins will slow other requests", "error", err)
	}
	tasks, results := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var t hashTask
		switch err := tasks.Decode(&t); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := results.Encode(t.do()); err != nil {
			return err
		}
	}
}

// giveWay lowers the priority of every thread: the process is alone in its process group. Where Linux groups processes by
// session, that holds inside the session only, and the session has a priority of its own.
func giveWay() error {
	if err := syscall.Setpriority(syscall.PRIO_PGRP, 0, helperNice); err != nil {
		return err
	}
	for {
		err := os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(helperNice)), 0)
		switch {
		case errors.Is(err, syscall.EAGAIN): // one process on the machine may do this every 100 ms
			time.Sleep(100 * time.Millisecond)
		case errors.Is(err, fs.ErrNotExist): // nothing is grouped
			return nil
		default:
			return err
		}
	}
}
