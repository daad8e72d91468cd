package main

import "runtime/debug"

// version is set by the linker: see the Makefile.
var version string

type versionCommand struct{}

func (versionCommand) Run(s *session) error { return s.printf("%s\n", versionLine(s.config.Version)) }

// versionLine is what the command and the flag print.
func versionLine(version string) string { return "terrier " + version }

func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
