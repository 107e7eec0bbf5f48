//go:build js && wasm

package jsbridge

import (
	"slices"
	"strings"
	"testing"

	"github.com/hack-pad/safejs"
)

func eval(t *testing.T, source string) safejs.Value {
	t.Helper()
	class, err := safejs.Global().Get("Function")
	if err != nil {
		t.Fatal(err)
	}
	function, err := class.New("return (" + source + ")")
	if err != nil {
		t.Fatal(err)
	}
	v, err := function.Invoke()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func clock(t *testing.T) func() float64 {
	performance := eval(t, "performance")
	return func() float64 {
		v, err := performance.Call("now")
		if err != nil {
			t.Fatal(err)
		}
		ms, _ := v.Float()
		return ms
	}
}

func TestOptions(t *testing.T) {
	o := ReadOptions(eval(t, `{ s: "text", n: 41.9, b: true, list: ["a", "b"], nothing: null }`))
	if o.String("s") != "text" || o.Int("n") != 41 || !o.Bool("b") ||
		strings.Join(o.Strings("list"), "") != "ab" {
		t.Error("a field was not read")
	}
	if o.String("nothing") != "" || o.Int("absent") != 0 || o.Bool("absent") || o.Strings("absent") != nil {
		t.Error("an absent field is not zero")
	}
	if o.Err() != nil {
		t.Fatal(o.Err())
	}
	for name, read := range map[string]func(*Options){
		"s": func(o *Options) { o.Int("s") }, "n": func(o *Options) { o.String("n") },
		"b": func(o *Options) { o.Strings("b") }, "mixed": func(o *Options) { o.Strings("mixed") },
	} {
		o := ReadOptions(eval(t, `{ s: "text", n: 1, b: true, mixed: ["a", 1] }`))
		read(o)
		if o.Err() == nil || !strings.Contains(o.Err().Error(), "option "+name) {
			t.Errorf("%s of a wrong type: %v", name, o.Err())
		}
	}
}

func TestRandom64(t *testing.T) {
	seen := map[uint64]bool{}
	for range 100 {
		n, err := Random64()
		if err != nil || seen[n] {
			t.Fatalf("%x, seen before: %v, %v", n, seen[n], err)
		}
		seen[n] = true
	}
}

func TestClampTimeout(t *testing.T) {
	for delay, want := range map[int64]uint32{-1: 0, 0: 0, 5: 5, 1<<31 - 1: 1<<31 - 1, 1 << 31: 1<<31 - 1,
		1 << 62: 1<<31 - 1} {
		if got := ClampTimeout(delay); got != want {
			t.Errorf("ClampTimeout(%d) = %d, want %d", delay, got, want)
		}
	}
}

// TestWatchPage drives the listeners with real events of the browser's classes
// and counts that the end of the watch leaves none behind.
func TestWatchPage(t *testing.T) {
	if inWorker(t) {
		t.Skip("a worker has no page to watch")
	}
	type event struct {
		e   PageEvent
		gap int64
	}
	var got []event
	now := clock(t)
	stop, err := WatchPage(now, func(e PageEvent, gap int64) { got = append(got, event{e, gap}) })
	if err != nil {
		t.Fatal(err)
	}
	fire := func(source string) { eval(t, source) }
	fire(`dispatchEvent(new Event("offline"))`)
	fire(`dispatchEvent(new Event("online"))`)
	fire(`document.dispatchEvent(new Event("freeze"))`)
	for from := now(); now()-from < 20; {
	}
	fire(`document.dispatchEvent(new Event("resume"))`)
	fire(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }))`)
	fire(`dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
	fire(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
	want := []PageEvent{PageOffline, PageOnline, PageWoke, PageWoke}
	if len(got) != len(want) {
		t.Fatalf("events %v, want %v", got, want)
	}
	for i := range want {
		if got[i].e != want[i] {
			t.Errorf("event %d is %v, want %v", i, got[i].e, want[i])
		}
	}
	if got[2].gap < 20 {
		t.Errorf("a freeze of 20 ms counts %d ms", got[2].gap)
	}
	stop()
	fire(`dispatchEvent(new Event("online"))`)
	if len(got) != len(want) {
		t.Error("an event arrived after the end of the watch")
	}
}

// inWorker reports whether the tests run in a worker.
func inWorker(t *testing.T) bool {
	none, err := eval(t, `typeof document === "undefined"`).Truthy()
	return err == nil && none
}

// TestFault186_NetworkOfAWorker: Chromium fires neither online nor offline in a worker.
// There navigator.connection changes, and navigator.onLine has changed before.
func TestFault186_NetworkOfAWorker(t *testing.T) {
	if !inWorker(t) {
		t.Skip("a page has the events themselves: TestWatchPage")
	}
	var got []PageEvent
	stop, err := WatchPage(clock(t), func(e PageEvent, _ int64) { got = append(got, e) })
	if err != nil {
		t.Fatal(err)
	}
	change := func(onLine string) {
		eval(t, `Object.defineProperty(navigator, "onLine", { configurable: true, get: () => `+onLine+` })`)
		eval(t, `navigator.connection.dispatchEvent(new Event("change"))`)
	}
	change("false")
	change("true")
	eval(t, `dispatchEvent(new Event("offline"))`) // as other browsers do
	stop()
	change("true")
	if want := []PageEvent{PageOffline, PageOnline, PageOffline}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

// TestFault242_NetworkMeasuredAgain: navigator.connection changes too when the browser
// has measured the network again. No stream has to prove for that that it is open.
func TestFault242_NetworkMeasuredAgain(t *testing.T) {
	if !inWorker(t) {
		t.Skip("a page listens to online and offline")
	}
	eval(t, `Object.defineProperty(navigator, "onLine", { configurable: true, get: () => true })`)
	var got []PageEvent
	stop, err := WatchPage(clock(t), func(e PageEvent, _ int64) { got = append(got, e) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	change := func() { eval(t, `navigator.connection.dispatchEvent(new Event("change"))`) }
	change()
	change()
	if len(got) != 0 {
		t.Errorf("a network that was measured again: %v", got)
	}
	eval(t, `Object.defineProperty(navigator.connection, "type", { configurable: true, get: () => "wifi" })`)
	change()
	change()
	if want := []PageEvent{PageOnline}; !slices.Equal(got, want) {
		t.Errorf("another kind of network: %v, want %v", got, want)
	}
}

// TestUndosAfterAnError: a listener that cannot be added leaves nothing behind.
func TestUndosAfterAnError(t *testing.T) {
	var undo undos
	if err := undo.listen(eval(t, "({})"), "online", func(safejs.Value) {}); err == nil {
		t.Error("an object without addEventListener took a listener")
	}
	if len(undo) != 0 {
		t.Error("something is left to undo")
	}
}
