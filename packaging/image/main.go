// Command image joins images of several architectures, each an OCI layout that buildah made, into one archive. It adds
// the health check, which the format has no name for but container engines read, and writes the same bytes for the
// same images.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	refName      = "org.opencontainers.image.ref.name"
	healthPeriod = int64(30 * time.Second)
)

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

func main() {
	out := flag.String("out", "", "the archive to write")
	tag := flag.String("tag", "", "the name of the image in it")
	epoch := flag.Int64("epoch", 0, "the time of the files, in seconds")
	flag.Parse()
	if err := run(*out, *tag, time.Unix(*epoch, 0), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(out, tag string, at time.Time, layouts []string) error {
	files := map[string][]byte{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}
	all := index{SchemaVersion: 2, MediaType: indexType}
	for _, layout := range layouts {
		manifest, err := add(files, layout)
		if err != nil {
			return fmt.Errorf("%s: %w", layout, err)
		}
		all.Manifests = append(all.Manifests, manifest)
	}
	// An archive names one image, so the architectures are an index of their own.
	list, err := put(files, all)
	if err != nil {
		return err
	}
	list.MediaType, list.Annotations = indexType, map[string]string{refName: tag}
	if files["index.json"], err = json.Marshal(index{SchemaVersion: 2, MediaType: indexType, Manifests: []descriptor{list}}); err != nil {
		return err
	}
	archive, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := write(archive, files, at); err != nil {
		return err
	}
	return archive.Close()
}

// add takes the one image of a layout, with the health check.
func add(files map[string][]byte, layout string) (descriptor, error) {
	var top index
	if err := read(filepath.Join(layout, "index.json"), &top); err != nil {
		return descriptor{}, err
	}
	if len(top.Manifests) != 1 {
		return descriptor{}, fmt.Errorf("there are %d images, want one", len(top.Manifests))
	}
	manifest, config := map[string]any{}, map[string]any{}
	if err := read(blob(layout, top.Manifests[0].Digest), &manifest); err != nil {
		return descriptor{}, err
	}
	for _, layer := range manifest["layers"].([]any) {
		digest := layer.(map[string]any)["digest"].(string)
		content, err := os.ReadFile(blob(layout, digest))
		if err != nil {
			return descriptor{}, err
		}
		files[blob("", digest)] = content
	}
	stated := manifest["config"].(map[string]any)
	if err := read(blob(layout, stated["digest"].(string)), &config); err != nil {
		return descriptor{}, err
	}
	config["config"].(map[string]any)["Healthcheck"] = map[string]any{
		"Test": []string{"CMD", "/usr/bin/terrier", "healthcheck"}, "Interval": healthPeriod, "Timeout": healthPeriod / 3,
	}
	changed, err := put(files, config)
	if err != nil {
		return descriptor{}, err
	}
	stated["digest"], stated["size"] = changed.Digest, changed.Size
	d, err := put(files, manifest)
	d.MediaType = top.Manifests[0].MediaType
	d.Platform = &platform{Architecture: config["architecture"].(string), OS: config["os"].(string)}
	return d, err
}

// put adds a value as a blob.
func put(files map[string][]byte, value any) (descriptor, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	sum := sha256.Sum256(raw)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	files[blob("", digest)] = raw
	return descriptor{Digest: digest, Size: int64(len(raw))}, nil
}

func blob(layout, digest string) string {
	return filepath.Join(layout, "blobs", strings.Replace(digest, ":", "/", 1))
}

// read keeps numbers as they are written.
func read(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func write(w io.Writer, files map[string][]byte, at time.Time) error {
	archive := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return err
		}
	}
	return archive.Close()
}
