//go:build !js

package engines

import (
	"context"
	"os"
	"os/exec"
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
			play(t, in, limits{story: 50 * time.Millisecond, grace: 50 * time.Millisecond, look: 50 * time.Millisecond}, func(s *scene) {
				s.open("http://127.0.0.1/").waitFor(`window.answer`)
			})
		})
		return
	}
	for _, how := range []string{"heeds", "deaf"} {
		command := exec.Command(os.Args[0], "-test.run=^TestHungBrowserIsEnded$", "-test.v", "-test.timeout=1m")
		command.Env = append(os.Environ(), inside+"="+how)
		out, err := command.CombinedOutput()
		if err == nil {
			t.Errorf("%s: the story passed", how)
		}
		for _, want := range []string{"--- FAIL: TestHungBrowserIsEnded/a_story", "the story has had its 50ms", "it was asked: to wait for window.answer", "the browser was ended"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: it does not say %q: %s", how, want, out)
			}
		}
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
	if !mustBeThere("true") || mustBeThere("") {
		t.Error("an engine that is missing fails a developer's run, or not that of CI")
	}
}
