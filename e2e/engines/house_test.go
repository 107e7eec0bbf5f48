//go:build !js

package engines

import (
	"context"
	"os"
)

// A house is one browser process for the stories that need none of their own: each
// has a user of its own in it.
type house struct {
	engine  Engine
	profile string
	browser Browser // nil until the first of them
}

// user returns the browser for another user, and starts it where there is none.
func (h *house) user(ctx context.Context) (Browser, error) {
	if h.browser == nil {
		profile, err := os.MkdirTemp("", "holdfast-engine-")
		if err != nil {
			return nil, err
		}
		h.profile = profile
		if h.browser, err = h.engine.Start(ctx, Options{Profile: profile}); err != nil {
			return nil, err
		}
	}
	return h.browser.User(ctx)
}

// forget ends the browser. The next story has another one.
func (h *house) forget() {
	if h.browser != nil {
		h.browser.Kill()
		h.browser = nil
		_ = os.RemoveAll(h.profile) // or the system clears what is temporary
	}
}
