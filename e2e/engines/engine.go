//go:build !js

package engines

import (
	"context"
	"errors"
)

// An Engine is a kind of browser.
type Engine interface {
	// Name is the engine's, as docs/browsers.md has it.
	Name() string
	// Find returns the version of the one that is installed, or an error that
	// says what is missing and how to install it.
	Find() (version string, err error)
	// Start starts a browser, which has one empty page.
	Start(ctx context.Context, o Options) (Browser, error)
}

// Options are those of one start of a browser.
type Options struct {
	// Profile is the directory of the profile. What is in it is taken up.
	Profile string
	// Blocked refuses pages all storage, as a user can who blocks site data.
	Blocked bool
	// Private opens pages in a private window, which forgets what they stored when it closes. In WebKit that
	// is so of every page that is driven, unless it is Lasting.
	Private bool
	// Lasting is for stories that end the browser and start it again: what is
	// stored has to outlive it. Such a browser opens one page only.
	Lasting bool
	// AnyCertificate takes whichever a server shows.
	AnyCertificate bool
}

// ErrCannot says that an engine has no way to do what was asked for.
var ErrCannot = errors.New("this engine cannot do that")

// A Browser is one that runs. Its calls come from one goroutine, but for Kill.
type Browser interface {
	// Open opens a page and waits until it is loaded. The first call takes the page
	// that the browser has; every other makes a tab, or a window where hidden tabs stand still.
	Open(ctx context.Context, url string) (Tab, error)
	// User returns the same browser for another user, with empty storage of its own. It
	// is for stories that need no process of their own: to start one takes its time.
	User(ctx context.Context) (Browser, error)
	// Leave closes the pages of a browser that User gave, and forgets what they stored.
	Leave(ctx context.Context) error
	// Offline takes the network away from all pages, and gives it back; pages are told.
	// It is ErrCannot where the engine's protocol has no such thing.
	Offline(ctx context.Context, offline bool) error
	// Kill ends the browser with SIGKILL, and all that it started. It returns when they are gone. Any
	// goroutine may call it, also where another waits for an answer.
	Kill()
}

// A Tab is one page of a browser.
type Tab interface {
	// Evaluate evaluates a JavaScript expression that gives a promise of a
	// string, and returns that string.
	Evaluate(ctx context.Context, expression string) (string, error)
	// Navigate goes to an address and waits until that is loaded.
	Navigate(ctx context.Context, url string) error
	// Reload loads the page again and waits for it.
	Reload(ctx context.Context) error
	// Close closes the page, as a user does: it is told.
	Close(ctx context.Context) error
}

// MustBeThere reports whether an engine that is not installed fails the run, by the environment variable CI:
// a developer's run goes on without it, and says so.
func MustBeThere(ci string) bool { return ci == "true" }

// All are the engines, in the order of the columns of docs/browsers.md.
func All() []Engine { return []Engine{Chromium{}, Firefox{}, WebKit{}} }
