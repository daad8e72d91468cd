package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// settingsFile has the settings of a file by their keys. Unlike kong's own JSON resolver it ignores a setting that
// the environment overrides, and refuses unknown keys: a misspelled login_required must not pass.
type settingsFile map[string]any

func loadSettings(r io.Reader) (kong.Resolver, error) {
	var values settingsFile
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("settings file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("settings file: it must hold one JSON object and nothing after it")
	}
	return values, nil
}

func (f settingsFile) Validate(application *kong.Application) error {
	known := make(map[string]bool)
	for _, flag := range settingFlags(application) {
		known[settingKey(flag)] = true
	}
	var unknown []string
	for key := range f {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fmt.Errorf("settings file: unknown settings %s: docs/configuration.md lists all settings", strings.Join(unknown, ", "))
	}
	return nil
}

func (f settingsFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !isSetting(flag) {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	return f[settingKey(flag)], nil
}

// settingFlags returns the flags that are settings: those that also have a name in the environment.
func settingFlags(application *kong.Application) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(application.Flags), func(flag *kong.Flag) bool { return !isSetting(flag) })
}

func isSetting(flag *kong.Flag) bool { return len(flag.Envs) > 0 && flag.Name != "config" }

func settingKey(flag *kong.Flag) string { return strings.ReplaceAll(flag.Name, "-", "_") }
