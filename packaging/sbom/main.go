// Command sbom lists everything that a binary of Terrier was built from, as CycloneDX: the Go modules of its build
// information, and what the pages load of others, from npm's lock file.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	binary := flag.String("binary", "", "the program")
	lock := flag.String("lock", "", "npm's package-lock.json")
	version := flag.String("version", "", "the version of the program")
	epoch := flag.Int64("epoch", 0, "when its source was changed last, in seconds")
	flag.Parse()
	if err := run(*binary, *lock, *version, time.Unix(*epoch, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(binary, lock, version string, changed time.Time) error {
	modules, err := goModules(binary)
	if err != nil {
		return err
	}
	packages, err := npmPackages(lock)
	if err != nil {
		return err
	}
	components := slices.Concat(modules, packages)
	sort.Slice(components, func(i, j int) bool { return components[i].BOMRef < components[j].BOMRef })
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: changed.Format(time.RFC3339),
		Component: &cdx.Component{BOMRef: "terrier", Type: cdx.ComponentTypeApplication, Name: "terrier", Version: version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}},
	}
	bom.Components = &components
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: "terrier", Dependencies: &refs}}
	bom.SerialNumber = "urn:uuid:" + uuid(version, refs)
	encoder := cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON)
	return encoder.SetPretty(true).Encode(bom)
}

// goModules returns the modules that are compiled into the program, with the compiler's library.
func goModules(binary string) ([]cdx.Component, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	components := []cdx.Component{library("pkg:golang/stdlib@"+strings.TrimPrefix(info.GoVersion, "go"), "stdlib", info.GoVersion)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := library("pkg:golang/"+module.Path+"@"+module.Version, module.Path, module.Version)
		// The sum of go.sum is over a list of files. CycloneDX has no name for that, so it is a property.
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: module.Sum}}
		components = append(components, c)
	}
	return components, nil
}

// npmPackages returns the packages in a lock file.
func npmPackages(path string) ([]cdx.Component, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var components []cdx.Component
	for place, p := range lock.Packages {
		at := strings.LastIndex(place, "node_modules/")
		if at < 0 {
			continue // the list itself
		}
		name := place[at+len("node_modules/"):]
		c := library("pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+p.Version, name, p.Version)
		if sum, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			digest, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, name, err)
			}
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(digest)}}
		}
		if p.License != "" {
			c.Licenses = &cdx.Licenses{{Expression: p.License}}
		}
		components = append(components, c)
	}
	return components, nil
}

func library(purl, name, version string) cdx.Component {
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
}

// uuid returns a name for the list that depends only on what is in it.
func uuid(version string, refs []string) string {
	sum := sha256.Sum256([]byte(version + "\n" + strings.Join(refs, "\n")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: made by a rule of one's own
	text := hex.EncodeToString(sum[:16])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}
