// Command zonenames writes timezones.txt: the names of all time zones in Go's own database, one per line.
package main

import (
	"archive/zip"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	zones, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		log.Fatal(err)
	}
	var names []string
	for _, f := range zones.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" { // Factory means a clock that was never set
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	if err := os.WriteFile("timezones.txt", []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
}
