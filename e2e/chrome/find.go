//go:build !js

package chrome

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrNoBrowser says that no Chrome or Chromium was found where [Find] looks.
var ErrNoBrowser = errors.New("no Chrome or Chromium found; install one, or set CHROME to its path")

// candidates are the names and places of a browser, the open build first
// because that is what a package manager installs.
var candidates = []string{
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
}

// Find returns the path of the browser that the tests drive: what the
// environment variable CHROME names, otherwise the first one installed.
func Find() (string, error) {
	if chosen := os.Getenv("CHROME"); chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return "", fmt.Errorf("CHROME names no program: %w", err)
		}
		return path, nil
	}
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// Version asks the browser at path for its name and version.
func Version(path string) (string, error) {
	// Only stdout counts: the wrapper scripts of some distributions grumble on stderr.
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}
