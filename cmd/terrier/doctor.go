package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"terrier/internal/app"
	"terrier/internal/doctor"
)

type doctorCommand struct {
	JSON    bool     `help:"Print the outcome as JSON."`
	Offline bool     `help:"Skip checks that need DNS or hosts other than the database."`
	Strict  bool     `help:"Let warnings count as failures."`
	Only    []string `placeholder:"GROUP" help:"Check only these groups: settings, database, schema, fleet, queues, webhooks, keys, proxy, system."`
	Skip    []string `placeholder:"GROUP" help:"Leave these groups out."`
	Via     string   `placeholder:"URL" help:"Also check what a server sees of requests to this address, through its proxies."`
}

// Exit codes of doctor.
const (
	checkFailed = 1
	cantRun     = 2
)

// Run prints what the checks found. It fails if one of them failed, or could not run because something else is wrong.
func (c doctorCommand) Run(ctx context.Context, s *session) error {
	options := doctor.Options{Only: c.Only, Skip: c.Skip, Offline: c.Offline, Via: c.Via}
	if err := doctor.CheckOptions(options); err != nil {
		return &exit{cantRun, err}
	}
	report, err := app.Doctor(ctx, s.config, s.refused, options)
	if err == nil {
		err = c.print(s, report)
	}
	if err != nil {
		return &exit{cantRun, err}
	}
	if report.Count(doctor.Fail) > 0 || c.Strict && report.Count(doctor.Warn) > 0 {
		return &exit{code: checkFailed}
	}
	if why := report.Blocked(); why != "" {
		return &exit{cantRun, errors.New(why)}
	}
	return nil
}

func (c doctorCommand) print(s *session, report doctor.Report) error {
	if !c.JSON {
		return printReport(newScreen(s.out), report)
	}
	out := json.NewEncoder(s.out)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(report)
}

var statusColours = map[doctor.Status]colour{doctor.OK: green, doctor.Warn: yellow, doctor.Fail: red, doctor.Skip: faint}

// printReport prints a line for each check, under the name of its group, and the remedy below what is wrong.
func printReport(out screen, report doctor.Report) error {
	width := 0
	for _, r := range report.Results {
		width = max(width, len(r.Name))
	}
	var b strings.Builder
	group := ""
	for _, r := range report.Results {
		if r.Group != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = r.Group
			fmt.Fprintf(&b, "%s\n", out.paint(bold, group))
		}
		fmt.Fprintf(&b, "  %s  %-*s  %s\n", out.paint(statusColours[r.Status], fmt.Sprintf("%-4s", r.Status)), width, r.Name, out.line(r.Seen))
		if r.Remedy != "" {
			indent := strings.Repeat(" ", width+10)
			fmt.Fprintf(&b, "%s→ %s\n%s  %s\n", indent, out.line(r.Remedy), indent, out.paint(faint, r.Page))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", report.Summary())
	_, err := fmt.Fprint(out, b.String())
	return err
}
