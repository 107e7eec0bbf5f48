//go:build js && wasm

package jsbridge

import "github.com/hack-pad/safejs"

// The sleep watch ticks every sleepTick ms. A tick that comes sleepSlack ms
// late by the wall clock means that the machine slept or the process was
// stopped. The slack is above one minute, the pace at which Chrome runs the
// timers of a tab hidden for long.
const (
	sleepTick  = 5_000
	sleepSlack = 75_000
)

// WatchSleep reports when the machine seems to have slept. The wall clock shows
// it, since the monotonic one stands still during sleep on some systems; gap is
// what the monotonic clock, which now reads, did count of it, in ms, and missed what
// it did not. A wall
// clock that is set forward looks the same and does no harm: streams prove that
// they are alive. The returned function ends the watch.
func WatchSleep(now func() float64, woke func(gap, missed int64)) (stop func(), err error) {
	global, err := global()
	if err != nil {
		return nil, err
	}
	date, err := global.Get("Date")
	if err != nil {
		return nil, err
	}
	wall := func() float64 {
		v, err := date.Call("now")
		if err != nil {
			return 0
		}
		ms, _ := v.Float()
		return ms
	}
	lastWall, last := wall(), now()
	tick, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		w, n := wall(), now()
		late := w - lastWall - sleepTick
		counted := n - last - sleepTick
		lastWall, last = w, n
		if late > sleepSlack {
			woke(int64(max(counted, 0)), int64(max(late-counted, 0)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	timer, err := global.Call("setInterval", tick.Value(), sleepTick)
	if err != nil {
		tick.Release()
		return nil, err
	}
	return func() {
		_, _ = global.Call("clearInterval", timer)
		tick.Release()
	}, nil
}
