package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// layNewer has the build write its journal as a later version would, which this one
// cannot read: for the stories of two builds on one origin (fault 135).
func (l laid) layNewer(folder string) (laid, error) {
	source := filepath.Join("core", "journal", "varint.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return l, err
	}
	const versions = "\tversion = 1\n\toldest  = 1\n"
	if bytes.Count(text, []byte(versions)) != 1 {
		return l, fmt.Errorf("%s does not say which version it writes", source)
	}
	newer, err := filepath.Abs(filepath.Join(folder, "newer.go.txt"))
	if err != nil {
		return l, err
	}
	if source, err = filepath.Abs(source); err != nil {
		return l, err
	}
	if err := os.WriteFile(newer, bytes.Replace(text, []byte(versions), []byte("\tversion = 2\n\toldest  = 2\n"), 1), 0o666); err != nil {
		return l, err
	}
	overlay, err := os.ReadFile(l.file)
	if err != nil {
		return l, err
	}
	var laying struct{ Replace map[string]string }
	if err := json.Unmarshal(overlay, &laying); err != nil {
		return l, err
	}
	laying.Replace[source] = newer
	if overlay, err = json.Marshal(laying); err != nil {
		return l, err
	}
	l.file = filepath.Join(folder, "newer.json")
	return l, os.WriteFile(l.file, overlay, 0o666)
}
