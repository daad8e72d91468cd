package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// write writes the figures and the picture to files.
func (w *world) write(r *result) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(w.out, "faults.json"), text, 0o644),
		os.WriteFile(filepath.Join(w.out, "timeline.svg"), []byte(picture(w.timeline, r)), 0o644))
}
