//go:build !js

package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Firefox is Mozilla's, of the release or the ESR channel.
type Firefox struct{}

// Name is "Firefox".
func (Firefox) Name() string { return "Firefox" }

// Find asks the Firefox that the environment variable FIREFOX names, or the one
// in PATH, for its version.
func (Firefox) Find() (string, error) {
	path, err := firefoxPath()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func firefoxPath() (string, error) {
	if chosen := os.Getenv("FIREFOX"); chosen != "" {
		return exec.LookPath(chosen)
	}
	for _, name := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Firefox found: apt-get install firefox-esr, or set FIREFOX to its path")
}

// preferences are those that stories need. What keeps Firefox from asking
// people and calling home it sets by itself while it is driven.
var preferences = []string{
	`user_pref("browser.sessionstore.resume_from_crash", false);`,
	`user_pref("toolkit.startup.max_resumed_crashes", -1);`,
	// Its own servers' addresses are reached all the same while offline, unless this says so.
	`user_pref("network.disable-localhost-when-offline", true);`,
}

// siteDataBlocked is what "Delete cookies and site data: block all" sets.
const siteDataBlocked = `user_pref("network.cookie.cookieBehavior", 2);`

// alwaysPrivate is what "Always use private browsing mode" sets.
const alwaysPrivate = `user_pref("browser.privatebrowsing.autostart", true);`

// listening is the line in which Firefox says where it takes commands.
var listening = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// Start starts a headless Firefox.
func (Firefox) Start(ctx context.Context, o Options) (Browser, error) {
	path, err := firefoxPath()
	if err != nil {
		return nil, err
	}
	prefs := preferences[:len(preferences):len(preferences)]
	if o.Blocked {
		prefs = append(prefs, siteDataBlocked)
	}
	if o.Private {
		prefs = append(prefs, alwaysPrivate)
	}
	if err := os.WriteFile(filepath.Join(o.Profile, "user.js"), []byte(strings.Join(prefs, "\n")+"\n"),
		0o644); err != nil {
		return nil, err
	}
	program, err := launch(nil, path, "--headless", "--no-remote", "--profile", o.Profile,
		"--remote-debugging-port=0", "--remote-allow-system-access", "about:blank")
	if err != nil {
		return nil, err
	}
	f := &firefox{program: program}
	if err := f.connect(ctx, o); err != nil {
		f.Kill()
		return nil, err
	}
	return f, nil
}

// firefox is one that runs.
type firefox struct {
	program *process
	bidi    *socket
	user    string // of its pages: a user context; "" is the profile's own
}

func (f *firefox) connect(ctx context.Context, o Options) error {
	url, err := f.program.says(ctx, listening)
	if err != nil {
		return err
	}
	if f.bidi, err = dial(ctx, url+"/session", nil); err != nil {
		return err
	}
	wants := map[string]any{"alwaysMatch": map[string]any{"acceptInsecureCerts": o.AnyCertificate}}
	return f.bidi.call(ctx, "session.new", map[string]any{"capabilities": wants}, nil)
}

// contexts lists the top-level browsing contexts of a scope: "content", or "chrome" for
// Firefox's own windows.
func (f *firefox) contexts(ctx context.Context, scope string) ([]string, error) {
	var tree struct {
		Contexts []struct{ Context string }
	}
	if err := f.bidi.call(ctx, "browsingContext.getTree", map[string]any{"moz:scope": scope, "maxDepth": 0},
		&tree); err != nil {
		return nil, err
	}
	var all []string
	for _, c := range tree.Contexts {
		all = append(all, c.Context)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("firefox: no window of scope %s", scope)
	}
	return all, nil
}

func (f *firefox) Open(ctx context.Context, url string) (Tab, error) {
	how := map[string]any{"type": "tab"}
	if f.user != "" {
		how["userContext"] = f.user
	}
	var made struct{ Context string }
	if err := f.bidi.call(ctx, "browsingContext.create", how, &made); err != nil {
		return nil, err
	}
	t := &firefoxTab{f: f, context: made.Context}
	return t, t.Navigate(ctx, url)
}

func (f *firefox) User(ctx context.Context) (Browser, error) {
	var made struct{ UserContext string }
	if err := f.bidi.call(ctx, "browser.createUserContext", map[string]any{}, &made); err != nil {
		return nil, err
	}
	return &firefox{program: f.program, bidi: f.bidi, user: made.UserContext}, nil
}

func (f *firefox) Leave(ctx context.Context) error {
	return f.bidi.call(ctx, "browser.removeUserContext", map[string]any{"userContext": f.user}, nil)
}

func (f *firefox) Offline(ctx context.Context, offline bool) error {
	windows, err := f.contexts(ctx, "chrome")
	if err != nil {
		return err
	}
	_, err = f.evaluate(ctx, windows[0],
		fmt.Sprintf(`(async () => { Services.io.offline = %t; return ""; })()`, offline))
	return err
}

func (f *firefox) Kill() {
	f.program.kill()
	if f.bidi != nil {
		f.bidi.close()
	}
}

// evaluate evaluates in a browsing context, its own or Firefox's.
func (f *firefox) evaluate(ctx context.Context, context, expression string) (string, error) {
	var got struct {
		Type             string
		Result           struct{ Value json.RawMessage }
		ExceptionDetails struct{ Text string }
	}
	err := f.bidi.call(ctx, "script.evaluate", map[string]any{
		"expression": expression, "target": map[string]any{"context": context}, "awaitPromise": true,
	}, &got)
	if err != nil {
		return "", err
	}
	if got.Type != "success" {
		return "", fmt.Errorf("firefox: the script threw %s", got.ExceptionDetails.Text)
	}
	var text string
	if err := json.Unmarshal(got.Result.Value, &text); err != nil {
		return "", fmt.Errorf("firefox: the script gave no string: %s", got.Result.Value)
	}
	return text, nil
}

// firefoxTab is a tab of Firefox. Those that are not in front are hidden, as a user's are.
type firefoxTab struct {
	f       *firefox
	context string
}

func (tab *firefoxTab) Evaluate(ctx context.Context, expression string) (string, error) {
	return tab.f.evaluate(ctx, tab.context, expression)
}

func (tab *firefoxTab) Navigate(ctx context.Context, url string) error {
	return tab.f.bidi.call(ctx, "browsingContext.navigate",
		map[string]any{"context": tab.context, "url": url, "wait": "complete"}, nil)
}

func (tab *firefoxTab) Reload(ctx context.Context) error {
	return tab.f.bidi.call(ctx, "browsingContext.reload",
		map[string]any{"context": tab.context, "wait": "complete"}, nil)
}

func (tab *firefoxTab) Close(ctx context.Context) error {
	return tab.f.bidi.call(ctx, "browsingContext.close", map[string]any{"context": tab.context}, nil)
}
