package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

const systemGroup = "system"

var systemChecks = []Check{
	{systemGroup, "files", "ulimit -n 65536 (systemd: LimitNOFILE=65536)", 0, (*examination).files},
	{systemGroup, "disk", "df -h", database, (*examination).disk},
}

func (e *examination) files(context.Context) (Finding, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return Finding{}, err
	}
	if limit.Cur < e.Limits.OpenFiles {
		return found(Warn, "", "a process may open %d files; each connection needs one", limit.Cur)
	}
	return ok("a process may open %d", limit.Cur)
}

// disk looks at the disk of PostgreSQL, if that is on this machine.
func (e *examination) disk(ctx context.Context) (Finding, error) {
	link, err := e.db.Link(ctx)
	if err != nil {
		return Finding{}, err
	}
	if !link.IsLocal {
		return skip("PostgreSQL is on another machine")
	}
	dir, err := e.db.DataDirectory(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case dir == "":
		return skip("the database user may not know where PostgreSQL keeps its files")
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return skip("PostgreSQL keeps its files where this process can't look")
	} else if err != nil {
		return Finding{}, err
	}
	free, all := disk.Bavail*uint64(disk.Bsize), disk.Blocks*uint64(disk.Bsize)
	seen := fmt.Sprintf("%.1f of %.1f GiB are free for PostgreSQL", float64(free)/(1<<30), float64(all)/(1<<30))
	if free < e.Limits.FreeDisk || float64(free) < e.Limits.FreeShare*float64(all) {
		return found(Warn, "df -h "+dir, "%s", seen)
	}
	return ok("%s", seen)
}
