//go:build !js

package engines

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// WebKit is WebKitGTK's MiniBrowser. It needs a display, for which Xvfb stands in.
type WebKit struct{}

// Name is "WebKit".
func (WebKit) Name() string { return "WebKit" }

// webkitParts are what Debian's packages webkit2gtk-driver and xvfb bring.
type webkitParts struct{ driver, browser, display string }

// miniBrowsers is where distributions have the MiniBrowser.
var miniBrowsers = []string{"/usr/lib/*/webkit*gtk-*/MiniBrowser", "/usr/libexec/webkit*gtk-*/MiniBrowser"}

func webkitPaths() (webkitParts, error) {
	const hint = "apt-get install webkit2gtk-driver xvfb"
	var p webkitParts
	var err error
	if p.driver, err = exec.LookPath("WebKitWebDriver"); err != nil {
		return p, errors.New("no WebKitWebDriver found: " + hint)
	}
	if p.display, err = exec.LookPath("Xvfb"); err != nil {
		return p, errors.New("no Xvfb found, which WebKit draws on: " + hint)
	}
	for _, pattern := range miniBrowsers {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			p.browser = found[len(found)-1]
			return p, nil
		}
	}
	return p, errors.New("no MiniBrowser of WebKitGTK found: " + hint)
}

// Find names the MiniBrowser that is driven. Without a display it tells no version.
func (WebKit) Find() (string, error) {
	parts, err := webkitPaths()
	if err != nil {
		return "", err
	}
	return "WebKitGTK, " + parts.browser, nil
}

// displayNumber is what Xvfb writes to where -displayfd says.
var displayNumber = regexp.MustCompile(`(?m)^(\d+)\n`)

// Start starts a display, and the driver or, for what lasts, nothing more: MiniBrowser then
// starts with its page.
func (WebKit) Start(ctx context.Context, o Options) (Browser, error) {
	if o.Blocked {
		return nil, fmt.Errorf("to block site data: %w", ErrCannot)
	}
	parts, err := webkitPaths()
	if err != nil {
		return nil, err
	}
	display, err := launch(nil, parts.display, "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten",
		"tcp")
	if err != nil {
		return nil, err
	}
	number, err := display.says(ctx, displayNumber)
	if err != nil {
		display.kill()
		return nil, err
	}
	w := &webkit{parts: parts, display: display, anyCertificate: o.AnyCertificate, env: []string{
		"DISPLAY=:" + number, "GDK_BACKEND=x11", "LIBGL_ALWAYS_SOFTWARE=1",
		"WEBKIT_DISABLE_COMPOSITING_MODE=1", "NO_AT_BRIDGE=1",
		"XDG_DATA_HOME=" + filepath.Join(o.Profile, "data"),
		"XDG_CACHE_HOME=" + filepath.Join(o.Profile, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(o.Profile, "config"),
	}}
	if o.Lasting {
		return &lastingWebkit{webkit: w}, nil
	}
	if err := w.connect(ctx); err != nil {
		w.Kill()
		return nil, err
	}
	return w, nil
}

// webkit is a driver, with at most one session: it can have no more.
type webkit struct {
	parts   webkitParts
	env     []string
	display *process
	program *process
	driver  webdriver
	session string // its path; "" while there is none
	windows []string
	current string // the window that commands go to
	// Takes whichever certificate a server shows.
	anyCertificate bool
}

// freePort is a port of the loopback that nobody listens at.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// again is how long to wait before a program that is starting is asked once more.
const again = 50 * time.Millisecond

func (w *webkit) connect(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	if w.program, err = launch(w.env, w.parts.driver, "--host=127.0.0.1", "--port="+port); err != nil {
		return err
	}
	w.driver = webdriver{base: "http://127.0.0.1:" + port}
	for w.driver.call(ctx, "GET", "/status", nil, nil) != nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("WebKitWebDriver does not answer: %w; it wrote: %s", ctx.Err(),
				w.program.output.last())
		case <-w.program.gone:
			return fmt.Errorf("WebKitWebDriver has ended: %s", w.program.output.last())
		case <-time.After(again):
		}
	}
	return nil
}

// begin begins the session, if there is none.
func (w *webkit) begin(ctx context.Context) error {
	if w.session != "" {
		return nil
	}
	var made struct {
		SessionID string `json:"sessionId"`
	}
	err := w.driver.call(ctx, "POST", "/session",
		map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
			"acceptInsecureCerts": w.anyCertificate,
			"webkitgtk:browserOptions": map[string]any{"binary": w.parts.browser,
				"args": []string{"--automation"}},
			// Commands have limits of their own here.
			"timeouts": map[string]any{"script": storyScript.Milliseconds(),
				"pageLoad": storyScript.Milliseconds()},
		}}}, &made)
	if err != nil {
		return err
	}
	w.session, w.windows = "/session/"+made.SessionID, nil
	return w.driver.call(ctx, "GET", w.session+"/window", nil, &w.current)
}

// storyScript is how long the driver waits for a script or a page: longer than any story does.
const storyScript = 10 * time.Minute

func (w *webkit) Open(ctx context.Context, url string) (Tab, error) {
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	handle := w.current
	if len(w.windows) > 0 {
		// A window of its own: WebKit stops the timers of hidden tabs.
		var made struct{ Handle string }
		if err := w.driver.call(ctx, "POST", w.session+"/window/new", map[string]any{"type": "window"},
			&made); err != nil {
			return nil, err
		}
		handle = made.Handle
	}
	w.windows = append(w.windows, handle)
	t := &webkitTab{w: w, handle: handle}
	return t, t.Navigate(ctx, url)
}

// User returns the driver again. Its next session is another browser: with the session
// all is forgotten, by Leave.
func (w *webkit) User(context.Context) (Browser, error) { return w, nil }

func (w *webkit) Leave(ctx context.Context) error {
	if w.session == "" {
		return nil
	}
	session := w.session
	w.session = ""
	return w.driver.call(ctx, "DELETE", session, nil, nil)
}

func (w *webkit) Offline(context.Context, bool) error {
	return fmt.Errorf("to go offline: %w", ErrCannot)
}

func (w *webkit) Kill() {
	if w.program != nil {
		w.program.kill()
	}
	w.display.kill()
}

// webkitTab is a window.
type webkitTab struct {
	w      *webkit
	handle string
}

// do makes a request about the window.
func (tab *webkitTab) do(ctx context.Context, method, path string, body, value any) error {
	if tab.w.current != tab.handle {
		if err := tab.w.driver.call(ctx, "POST", tab.w.session+"/window",
			map[string]any{"handle": tab.handle}, nil); err != nil {
			return err
		}
		tab.w.current = tab.handle
	}
	return tab.w.driver.call(ctx, method, tab.w.session+path, body, value)
}

func (tab *webkitTab) Evaluate(ctx context.Context, expression string) (string, error) {
	var got scriptAnswer
	if err := tab.do(ctx, "POST", "/execute/async", asyncScript(expression), &got); err != nil {
		return "", err
	}
	return got.text()
}

func (tab *webkitTab) Navigate(ctx context.Context, url string) error {
	return tab.do(ctx, "POST", "/url", map[string]any{"url": url}, nil)
}

func (tab *webkitTab) Reload(ctx context.Context) error {
	return tab.do(ctx, "POST", "/refresh", nil, nil)
}

func (tab *webkitTab) Close(ctx context.Context) error {
	err := tab.do(ctx, "DELETE", "/window", nil, nil)
	tab.w.current = ""
	return err
}

// profileDirectories makes those that WebKit keeps its data in.
func profileDirectories(env []string) error {
	for _, variable := range env {
		if name, path, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "XDG_") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}
