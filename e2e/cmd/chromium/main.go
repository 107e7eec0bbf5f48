//go:build !js

// Command chromium prints the path and the version of the browser that the
// tests drive. Where there is none it installs Chromium, if apt-get is there and
// may be used without a password; otherwise it says what to install.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/debian"
)

func main() {
	path, err := chrome.Find()
	if errors.Is(err, chrome.ErrNoBrowser) && install() {
		path, err = chrome.Find()
	}
	if err != nil {
		fail(err)
	}
	version, err := chrome.Version(path)
	if err != nil {
		fail(err)
	}
	fmt.Printf("%s (%s)\n", version, path)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "chromium:", err)
	os.Exit(1)
}

// install tries Debian's package and reports whether it went in.
func install() bool {
	fmt.Fprintln(os.Stderr, "chromium: no browser found, installing the package chromium")
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := debian.System().Install(ctx, "chromium")
	if err != nil {
		fmt.Fprintln(os.Stderr, "chromium:", err)
	}
	return err == nil
}

// limit is how long it may take to install it.
const limit = 15 * time.Minute
