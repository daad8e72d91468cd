// Command bundle copies the files that pages load from node_modules, as their authors minified them. It compresses them and writes
// them, with their licences, to where package assets embeds them.
//
//	go run ./internal/web/assets/bundle internal/web/assets
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"terrier/internal/web/assets"
)

// part is the files that are taken from one package.
type part struct {
	pkg      string
	files    map[string]string // the files in the package, by the name that pages use
	licences []string
	icons    map[string]string // become one file
}

// Bootstrap's script is left out: menus are <details>, dialogues <dialog>. Swagger UI's standalone preset is left out too: it would
// only add a bar to load other documents and the badge of an external validator.
var parts = []part{
	{pkg: "bootstrap", files: map[string]string{"bootstrap.css": "dist/css/bootstrap.min.css"}, licences: []string{"LICENSE"}},
	{pkg: "bootstrap-icons", icons: icons, licences: []string{"LICENSE"}},
	{pkg: "htmx.org", files: map[string]string{"htmx.js": "dist/htmx.min.js"}, licences: []string{"LICENSE"}},
	{pkg: "swagger-ui-dist", files: map[string]string{"swagger-ui.css": "swagger-ui.css", "swagger-ui-bundle.js": "swagger-ui-bundle.js"},
		licences: []string{"LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"}},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bundle FOLDER, which holds node_modules and dist")
		os.Exit(2)
	}
	if err := bundle(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func bundle(folder string) error {
	modules, dist := filepath.Join(folder, "node_modules"), filepath.Join(folder, "dist")
	built := map[string][]byte{}
	var licences bytes.Buffer
	for _, p := range parts {
		for name, from := range p.files {
			content, err := os.ReadFile(filepath.Join(modules, p.pkg, from))
			if err != nil {
				return fmt.Errorf("%w: run `npm ci --ignore-scripts` in %s", err, folder)
			}
			built[name+".gz"] = assets.Compress(withoutSourceMap(content))
		}
		if p.icons != nil {
			content, err := sprite(filepath.Join(modules, p.pkg), p.icons)
			if err != nil {
				return fmt.Errorf("%w: run `npm ci --ignore-scripts` in %s", err, folder)
			}
			built[sprites+".gz"] = assets.Compress(content)
		}
		if err := p.license(&licences, filepath.Join(modules, p.pkg)); err != nil {
			return err
		}
	}
	built["LICENSES.txt.gz"] = assets.Compress(licences.Bytes())
	return replace(dist, built)
}

// sourceMap matches the reference to a source map. It is removed: browser tools would request the map, and it is not served.
var sourceMap = regexp.MustCompile(`(?m)^/[/*]# sourceMappingURL=.*$\n?`)

func withoutSourceMap(content []byte) []byte { return sourceMap.ReplaceAll(content, nil) }

// license appends the texts of the part's licence.
func (p part) license(to *bytes.Buffer, folder string) error {
	raw, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return err
	}
	var about struct{ Name, Version, License string }
	if err := json.Unmarshal(raw, &about); err != nil {
		return fmt.Errorf("%s: package.json: %w", p.pkg, err)
	}
	names := strings.Join(slices.Sorted(maps.Keys(p.files)), ", ")
	if p.icons != nil {
		names = sprites
	}
	fmt.Fprintf(to, "%s\n%s %s (%s): %s\n%[1]s\n\n", strings.Repeat("=", 78), about.Name, about.Version, about.License, names)
	for _, name := range p.licences {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "%s\n\n", bytes.TrimSpace(text))
	}
	return nil
}

// replace makes these files the only ones in the folder. It does not write a file that is the same, so that it does not disturb a
// compiler that is reading the folder.
func replace(folder string, files map[string][]byte) error {
	present, err := filepath.Glob(filepath.Join(folder, "*.gz"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range present {
		if _, wanted := files[filepath.Base(path)]; !wanted {
			errs = append(errs, os.Remove(path))
		}
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		fresh := path + ".new"
		if err := os.WriteFile(fresh, content, 0o644); err != nil {
			return err
		}
		errs = append(errs, os.Rename(fresh, path))
	}
	return errors.Join(errs...)
}
