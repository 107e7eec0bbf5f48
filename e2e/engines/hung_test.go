//go:build !js

package engines

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hanging is an engine whose pages never answer. With deaf they do not heed the
// end of a command either, until the browser is killed.
type hanging struct {
	deaf   bool
	killed chan struct{}
	once   *sync.Once
}

func (hanging) Name() string                                      { return "Hanging" }
func (hanging) Find() (string, error)                             { return "", nil }
func (h hanging) Start(context.Context, Options) (Browser, error) { return h, nil }
func (h hanging) User(context.Context) (Browser, error)           { return h, nil }
func (h hanging) Leave(ctx context.Context) error                 { _, err := h.Evaluate(ctx, ""); return err }
func (h hanging) Offline(context.Context, bool) error             { return nil }
func (h hanging) Kill()                                           { h.once.Do(func() { close(h.killed) }) }
func (h hanging) Open(context.Context, string) (Tab, error)       { return h, nil }
func (h hanging) Navigate(context.Context, string) error          { return nil }
func (h hanging) Reload(context.Context) error                    { return nil }
func (h hanging) Close(context.Context) error                     { return nil }
func (h hanging) Evaluate(ctx context.Context, _ string) (string, error) {
	heeds := ctx.Done()
	if h.deaf {
		heeds = nil
	}
	select {
	case <-heeds:
		return "", ctx.Err()
	case <-h.killed:
		return "", ErrCannot
	}
}

// TestHungBrowserIsEnded runs this test once more as a process, in which a story meets a browser that
// does not answer. It fails there after its limit, says in which story it was and what the browser
// had been asked, and the browser is ended.
func TestHungBrowserIsEnded(t *testing.T) {
	const inside = "HOLDFAST_HUNG"
	if how := os.Getenv(inside); how != "" {
		engine := hanging{deaf: how == "deaf", killed: make(chan struct{}), once: new(sync.Once)}
		t.Cleanup(func() {
			<-engine.killed
			t.Log("the browser was ended")
		})
		t.Run("a story", func(t *testing.T) {
			in := &house{engine: engine}
			defer in.forget()
			play(t, in, limits{story: 50 * time.Millisecond, grace: 50 * time.Millisecond,
				look: 50 * time.Millisecond}, func(s *scene) {
				s.open("http://127.0.0.1/").waitFor(`window.answer`)
			})
		})
		return
	}
	for _, how := range []string{"heeds", "deaf"} {
		command := exec.Command(os.Args[0], "-test.run=^TestHungBrowserIsEnded$", "-test.v",
			"-test.timeout=1m")
		command.Env = append(os.Environ(), inside+"="+how)
		out, err := command.CombinedOutput()
		if err == nil {
			t.Errorf("%s: the story passed", how)
		}
		for _, want := range []string{"--- FAIL: TestHungBrowserIsEnded/a_story",
			"the story has had its 50ms", "it was asked: to wait for window.answer",
			"the browser was ended"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: it does not say %q: %s", how, want, out)
			}
		}
	}
}

// TestEngineThatDoesNotStart does it with engines that are installed, and do not get as far as a page: the
// story fails after its limit, or at once where a program ends, says what that wrote, and nothing of it is
// left.
func TestEngineThatDoesNotStart(t *testing.T) {
	const (
		inside = "HOLDFAST_UNSTARTED"
		hangs  = "echo $$ > \"$PIDS/$$\"; echo it hangs; exec sleep 600"
		ends   = "echo it is broken >&2; exit 1"
		// in this order: who has its display may be ended at once
		displays = "echo $$ > \"$PIDS/$$\"; echo 7; exec sleep 600"
	)
	if which := os.Getenv(inside); which != "" {
		miniBrowsers = []string{os.Getenv("PIDS") + "/../bin/MiniBrowser"}
		var engine Engine = WebKit{}
		if which == "Firefox" {
			engine = Firefox{}
		}
		t.Run("a story", func(t *testing.T) {
			in := &house{engine: engine}
			defer in.forget()
			play(t, in, limits{story: time.Second, grace: time.Second, look: time.Second}, func(s *scene) {
				s.open("http://127.0.0.1/")
			})
		})
		return
	}
	for name, c := range map[string]struct {
		engine   string
		programs map[string]string
		says     string
	}{
		"Xvfb hangs": {"WebKit", map[string]string{"Xvfb": hangs}, "the story has had its 1s"},
		"Xvfb ends":  {"WebKit", map[string]string{"Xvfb": ends}, "it is broken"},
		"the driver hangs": {"WebKit", map[string]string{"Xvfb": displays, "WebKitWebDriver": hangs},
			"the story has had its 1s"},
		"the driver ends": {"WebKit", map[string]string{"Xvfb": displays, "WebKitWebDriver": ends},
			"it is broken"},
		"Firefox hangs": {"Firefox", map[string]string{"firefox-esr": hangs}, "the story has had its 1s"},
		"Firefox ends":  {"Firefox", map[string]string{"firefox-esr": ends}, "it is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bin, pids := dir+"/bin", dir+"/pids"
			for _, each := range []string{bin, pids} {
				if err := os.Mkdir(each, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, program := range []string{"Xvfb", "WebKitWebDriver", "MiniBrowser", "firefox-esr"} {
				script := "#!/bin/sh\n" + c.programs[program] + "\n"
				if err := os.WriteFile(bin+"/"+program, []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command(os.Args[0], "-test.run=^TestEngineThatDoesNotStart$", "-test.v",
				"-test.timeout=1m")
			command.Env = append(os.Environ(), inside+"="+c.engine, "PATH="+bin+":"+os.Getenv("PATH"),
				"FIREFOX=", "PIDS="+pids)
			out, err := command.CombinedOutput()
			if err == nil {
				t.Error("the story passed")
			}
			for _, want := range []string{"--- FAIL: TestEngineThatDoesNotStart/a_story", "it does not start",
				"it was asked: to start", c.says} {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q: %s", want, out)
				}
			}
			left, err := os.ReadDir(pids)
			if err != nil {
				t.Fatal(err)
			}
			if started := strings.Contains(strings.Join(slices.Collect(maps.Values(c.programs)), ""),
				"PIDS"); started != (len(left) > 0) {
				t.Errorf("%d processes have said that they run", len(left))
			}
			for _, each := range left { // where there is no /proc nothing is seen
				if _, err := os.Stat("/proc/" + each.Name()); err == nil {
					t.Errorf("process %s still runs", each.Name())
				}
			}
		})
	}
}

// TestEngineThatIsMissing: a developer's run is told what to install; one with CI=true fails.
func TestEngineThatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("FIREFOX", "")
	for _, engine := range []Engine{Firefox{}, WebKit{}} {
		if _, err := engine.Find(); err == nil || !strings.Contains(err.Error(), "apt-get install") {
			t.Errorf("%s: %v", engine.Name(), err)
		}
	}
	if !MustBeThere("true") || MustBeThere("") {
		t.Error("an engine that is missing fails a developer's run, or not that of CI")
	}
}
