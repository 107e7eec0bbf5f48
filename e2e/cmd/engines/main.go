//go:build !js

// Command engines finds the browsers that e2e/engines drives beside Chromium, and installs what is missing
// of them: Debian's Firefox, WebKitGTK's MiniBrowser with its driver, and the display that it needs. It
// prints a line for each engine. Where one cannot be had its line says why, and its stories are skipped; with
// CI=true that is an error.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/engines"
	"github.com/holdfast-mcp/holdfast/e2e/internal/debian"
)

// packages are what the engines need. Without a font WebKit draws no text, and Firefox no form.
var packages = []string{"firefox-esr", "webkit2gtk-driver", "xvfb", "fonts-dejavu-core"}

// limit is how long it may take to install them.
const limit = 15 * time.Minute

func main() {
	wanted := []engines.Engine{engines.Firefox{}, engines.WebKit{}}
	if len(missing(wanted)) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := debian.System().Install(ctx, packages...); err != nil {
			fmt.Fprintln(os.Stderr, "engines:", err)
		}
	}
	for _, engine := range wanted {
		if version, err := engine.Find(); err == nil {
			fmt.Println(version)
		}
	}
	lacking := missing(wanted)
	for _, err := range lacking {
		fmt.Fprintln(os.Stderr, "engines:", err)
	}
	if len(lacking) > 0 && engines.MustBeThere(os.Getenv("CI")) {
		os.Exit(1)
	}
}

// missing says of each engine that is not there what is missing of it.
func missing(wanted []engines.Engine) (errs []error) {
	for _, engine := range wanted {
		if _, err := engine.Find(); err != nil {
			errs = append(errs, fmt.Errorf("%s: its stories are skipped: %w", engine.Name(), err))
		}
	}
	return errs
}
