// Command bench measures how much of the speed of the machine Terrier leaves to its users.
//
// Absolute figures say more about the machine than about the program. So each figure is compared with a bare program that does the same
// work in the same run (package bare). Both are measured in turns of a fraction of a second, and the median of the ratios of the rounds
// counts. Latencies are measured open-loop. Servers, workers and the receiver are separate processes, so that the processor time of
// Terrier, of the bare program and of PostgreSQL can be measured separately.
//
// The client shares the processor with both sides and so moves every ratio towards 1. Therefore it is as small as possible (gauge.Side).
// Terrier's processes are built as the command builds them (internal/app). The only difference is that their log is thrown away.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

func main() {
	var err error
	if isChild() {
		err = child(os.Args[2:])
	} else {
		err = measure(os.Args[1:])
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func isChild() bool { return len(os.Args) == 4 && os.Args[1] == gauge.Child }

// measure is the whole program, on a PostgreSQL of its own.
func measure(args []string) error {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := prepareLog(ctx); err != nil {
		return err
	}
	return run(ctx, o, os.Stdout)
}

func run(ctx context.Context, o options, out io.Writer) (err error) {
	kept, err := figures.Read(o.kept)
	if err != nil {
		return err
	}
	if o.profile != "" {
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return err
		}
	}
	began := time.Now()
	b, err := newBench(ctx, o, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.measureAll(ctx); err != nil {
		return err
	}
	if err := b.result.Print(out); err != nil {
		return err
	}
	if kept != nil {
		if err := figures.PrintComparison(out, kept, b.result); err != nil {
			return err
		}
	}
	if err := o.write(b.result); err != nil {
		return err
	}
	b.note("%s and %s are written, after %.0f s", o.json, o.svg, time.Since(began).Seconds())
	if missed := b.result.Missed(); o.check && len(missed) > 0 {
		return fmt.Errorf("clearly missed, twice in a row: %s", strings.Join(missed, ", "))
	}
	return nil
}

// write writes the figures and the picture to the files that the flags name.
func (o options) write(r *figures.Result) error {
	jsons, svgs := []string{o.json}, []string{o.svg}
	if o.keep {
		jsons = append(jsons, o.kept)
		svgs = append(svgs, strings.TrimSuffix(o.kept, filepath.Ext(o.kept))+".svg")
	}
	for _, file := range append(jsons, svgs...) {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	}
	for _, file := range jsons {
		if err := r.Write(file); err != nil {
			return err
		}
	}
	for _, file := range svgs {
		if err := os.WriteFile(file, r.SVG(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
