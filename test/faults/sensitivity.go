package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// senseBugs runs the harness against the program as it is, which must have no violations, and against each bug, which must be found.
// It prints a table.
func senseBugs(ctx context.Context, cfg config, only string) error {
	dir, err := os.MkdirTemp("", "terrier-bugs.")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // on an error it stays in the temporary directory
	clean := bug{name: "none", does: "the program as it is",
		faults: []string{killAPI, crash, killWorker, loseJobs, cutAPI, termWorker}, patience: healing}
	var chosen []bug
	for _, b := range append([]bug{clean}, bugs...) {
		if only == "" || b.name == only {
			chosen = append(chosen, b)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("there is no bug %q in test/faults/bugs.go", only)
	}
	fmt.Printf("| %-25s | %-81s | %-9s | %7s |\n|%s|%s|%s|%s|\n", "bug", "what it does", "caught by", "seconds", dashes(27),
		dashes(83), dashes(11), dashes(9))
	var missed []error
	for b := range builds(ctx, chosen, dir) {
		if b.err == nil {
			b.err = b.sense(ctx, cfg, b.binary)
		}
		if b.err != nil {
			missed = append(missed, b.err)
		}
	}
	return errors.Join(append(missed, ctx.Err())...)
}

// built is a bug whose program is ready.
type built struct {
	bug
	binary string
	err    error
}

// builds compiles the bugs one after the other. The next one is compiled while the last one runs.
func builds(ctx context.Context, chosen []bug, dir string) <-chan built {
	out := make(chan built)
	go func() {
		defer close(out)
		for _, b := range chosen {
			done := built{bug: b}
			done.binary, done.err = b.build(ctx, dir)
			select {
			case out <- done:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func dashes(n int) string { return strings.Repeat("-", n) }

// sense makes a short run against a bug and prints its line of the table.
func (b bug) sense(ctx context.Context, cfg config, binary string) error {
	began := time.Now()
	cfg.duration, cfg.clients, cfg.changes, cfg.faults, cfg.settling = 10*time.Second, 6, 900, 0, 25*time.Second
	cfg.binary, cfg.out = binary, filepath.Join(cfg.out, b.name)
	if b.patience > 0 {
		cfg.settling = time.Duration(b.patience) * time.Second
	}
	cfg.kinds = nil
	for _, name := range b.faults {
		at := slices.IndexFunc(faultKinds, func(k faultKind) bool { return k.name == name })
		cfg.kinds = append(cfg.kinds, faultKinds[at])
	}
	var log bytes.Buffer
	r := newReport(&log)
	_, err := runOnce(ctx, cfg, r)
	if err == nil {
		err = os.WriteFile(filepath.Join(cfg.out, "run.log"), log.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("bug %s: %w\n%s", b.name, err, log.Bytes())
	}
	numbers := r.violated()
	for i, kind := range numbers {
		numbers[i], _, _ = strings.Cut(kind, " ")
	}
	fmt.Printf("| %-25s | %-81s | %-9s | %7.0f |\n", b.name, b.does, strings.Join(numbers, ", "), time.Since(began).Seconds())
	switch {
	case len(b.edits) == 0 && r.total() > 0:
		return fmt.Errorf("without a bug there are violations:\n%s", log.Bytes())
	case len(b.edits) > 0 && !slices.Contains(r.violated(), b.breaks):
		return fmt.Errorf("bug %s was not caught by %q; seed %d, logs in %s", b.name, b.breaks, cfg.seed, cfg.out)
	}
	return nil
}
