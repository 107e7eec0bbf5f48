//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// now reads performance.now().
//
//go:wasmimport holdfast now
func now() float64

// flush asks JavaScript to read the table: what happens to the page reaches Go
// by a callback, not by an export that JavaScript would read it after.
//
//go:wasmimport holdfast flush
func flush(records int32)

// stopWatching ends the watches that watchPage began.
var stopWatching []func()

// watchPage passes page events on to every client, until the program dies.
func watchPage() error {
	stopPage, err := jsbridge.WatchPage(now, pageEvent)
	if err != nil {
		return err
	}
	stopSleep, err := jsbridge.WatchSleep(now, func(gap, missed int64) {
		for _, c := range clients {
			if !panicked && c.mcp != nil {
				c.mcp.Slept(engine.Time(now()), missed)
			}
		}
		pageEvent(jsbridge.PageWoke, gap)
	})
	if err != nil {
		stopPage()
		return err
	}
	stopWatching = []func(){stopPage, stopSleep}
	return nil
}

func pageEvent(e jsbridge.PageEvent, gap int64) {
	if panicked {
		return
	}
	var records int32
	func() {
		defer guard(&records)
		table.Begin()
		t := engine.Time(now())
		// By handle, not by map order, so that a run can be replayed.
		for handle := uint32(1); handle <= lastHandle; handle++ {
			c := clients[handle]
			if c == nil {
				continue
			}
			switch e {
			case jsbridge.PageOnline:
				c.machine.Online(t)
			case jsbridge.PageOffline:
				c.machine.Offline(t)
			case jsbridge.PageShown:
				c.machine.Shown(t)
			case jsbridge.PageWoke:
				c.machine.Woke(t, gap)
			}
			c.drain(t)
		}
		records = table.Finish()
	}()
	flush(records)
}
