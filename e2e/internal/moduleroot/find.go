//go:build !js

// Package moduleroot finds the folder that holds go.mod and package.json, which node_modules and
// web/dist lie beside. Modules of their own, below it, have no package.json.
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
		_, noModule := os.Stat(filepath.Join(dir, "go.mod"))
		_, noPackage := os.Stat(filepath.Join(dir, "package.json"))
		if noModule == nil && noPackage == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err = errors.New("no go.mod with a package.json in the working directory or above it")
		}
		dir = parent
	}
	return "", err
}
