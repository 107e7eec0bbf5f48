//go:build !js

// Package moduleroot finds the folder that holds go.mod, which node_modules and
// web/dist lie beside.
package moduleroot

import (
	"errors"
	"os"
	"path/filepath"
)

// Find walks up from the working directory, which for a test is its package's
// folder.
func Find() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err = errors.New("no go.mod in the working directory or above it")
		}
		dir = parent
	}
	return "", err
}
