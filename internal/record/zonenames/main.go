// Command zonenames writes timezones.txt: the names of all time zones that Go's own database has, one on a line.
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
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" { // which means a clock that nobody has set
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	if err := os.WriteFile("timezones.txt", []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
}
