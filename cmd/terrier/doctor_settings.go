package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"terrier/internal/app"
)

// isDoctor reports whether a line that was refused asks for doctor.
func isDoctor(err error) bool {
	wrong, ok := errors.AsType[*kong.ParseError](err)
	return ok && wrong.Context != nil && wrong.Context.Command() == "doctor"
}

// parseForDoctor parses a line although settings are refused. It leaves each of these out of the environment and
// parses again, until nothing is refused or what is left is the fault of the line itself.
func parseForDoctor(args []string, std streams) (selected *kong.Context, line *commands, refused []error, err error) {
	args, err = configInEnvironment(args)
	for err == nil {
		var parser *kong.Kong
		if parser, line, err = newParser(std); err != nil {
			break
		}
		var problem error
		if selected, problem = parser.Parse(args); problem == nil {
			return selected, line, refused, nil
		}
		name := culprit(args, std, problem)
		if name == "" {
			err = &exit{cantRun, fmt.Errorf("%w (see terrier doctor --help)", problem)}
			break
		}
		refused = append(refused, fmt.Errorf("%s: %w", name, problem))
		err = os.Unsetenv(name)
	}
	return nil, nil, nil, err
}

// culprit returns the setting in the environment without which the line is not refused, or refused for another reason; ""
// if there is none.
func culprit(args []string, std streams, problem error) string {
	for _, name := range app.SettingNames() {
		value, set := os.LookupEnv(name)
		if !set || os.Unsetenv(name) != nil {
			continue
		}
		err := problem
		if parser, _, made := newParser(std); made == nil {
			_, err = parser.Parse(args)
		}
		_ = os.Setenv(name, value) // it was set before
		if err == nil || err.Error() != problem.Error() {
			return name
		}
	}
	return ""
}

// configInEnvironment moves the settings file from the line to the environment.
func configInEnvironment(args []string) (rest []string, err error) {
	for i := 0; i < len(args) && err == nil; i++ {
		value, given := strings.CutPrefix(args[i], "--config=")
		if args[i] == "--config" && i+1 < len(args) {
			i++
			value, given = args[i], true
		}
		if given {
			err = os.Setenv(app.ConfigVariable, value)
		} else {
			rest = append(rest, args[i])
		}
	}
	return rest, err
}
