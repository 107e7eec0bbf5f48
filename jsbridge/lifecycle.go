//go:build js && wasm

package jsbridge

import "github.com/hack-pad/safejs"

// PageEvent is something that happened to the page as a whole.
type PageEvent uint8

// The page events.
const (
	PageOnline  PageEvent = iota + 1 // navigator believes in a network again
	PageOffline                      // it does not
	PageShown                        // the tab is seen again after a long time hidden
	PageWoke                         // the page comes back from a time in which it could not see
)

// hiddenLong is how long a tab has to have been hidden, in ms, for its return
// to be worth a word: timers of hidden tabs run at one per second, after
// five minutes at one per minute.
const hiddenLong = 10_000

// WatchPage reports page events: online, offline, freeze and resume (Page
// Lifecycle), pageshow from the back/forward cache, a return from a long time
// hidden. gap is how long, in ms, the clock ran while the page could not see.
// now reads the clock. Where there is no document (a worker), the network is all
// there is to watch. The returned function ends the watch and releases every Func.
func WatchPage(now func() float64, on func(e PageEvent, gap int64)) (stop func(), err error) {
	var undo undos
	global, err := global()
	if err != nil {
		return nil, err
	}
	document, err := global.Get("document")
	if err != nil {
		return nil, err
	}
	listen := func(target safejs.Value, event string, do func(e safejs.Value)) {
		if err == nil {
			err = undo.listen(target, event, do)
		}
	}
	listen(global, "online", func(safejs.Value) { on(PageOnline, 0) })
	listen(global, "offline", func(safejs.Value) { on(PageOffline, 0) })
	if document.Type() != safejs.TypeObject {
		watchConnection(global, listen, on)
	} else {
		watch := &blindTime{now: now, on: on}
		listen(document, "freeze", func(safejs.Value) { watch.begin() })
		listen(document, "resume", func(safejs.Value) { watch.end(0) })
		listen(global, "pagehide", func(safejs.Value) { watch.begin() })
		listen(global, "pageshow", func(e safejs.Value) {
			if persisted, err := e.Get("persisted"); err == nil {
				if yes, _ := persisted.Truthy(); yes {
					watch.end(0)
				}
			}
		})
		var hiddenAt float64
		listen(document, "visibilitychange", func(safejs.Value) {
			state, err := document.Get("visibilityState")
			if err != nil {
				return
			}
			if text, _ := state.String(); text == "hidden" {
				hiddenAt = now()
			} else if hiddenAt > 0 && now()-hiddenAt >= hiddenLong {
				hiddenAt = 0
				on(PageShown, 0)
			}
		})
	}
	if err != nil {
		undo.all()
		return nil, err
	}
	return undo.all, nil
}

// watchConnection is for workers, in which Chromium fires neither online nor offline:
// there it is navigator.connection that changes. It changes most often because the
// browser has measured the network again (rtt, downlink, effectiveType: Network
// Information API), which says nothing of what is open; so what counts is whether there
// is a network now and was none, and its type, where the system tells it. Other
// browsers, which have those events in workers, have no connection.
func watchConnection(global safejs.Value, listen func(safejs.Value, string, func(safejs.Value)),
	on func(PageEvent, int64)) {
	navigator, err := global.Get("navigator")
	if err != nil {
		return
	}
	connection, err := navigator.Get("connection")
	if err != nil || connection.Type() != safejs.TypeObject {
		return
	}
	look := func() (online bool, kind string) {
		if value, err := navigator.Get("onLine"); err == nil {
			online, _ = value.Truthy()
		}
		if value, err := connection.Get("type"); err == nil && value.Type() == safejs.TypeString {
			kind, _ = value.String()
		}
		return online, kind
	}
	wasOnline, was := look()
	listen(connection, "change", func(safejs.Value) {
		online, kind := look()
		switch {
		case online && (!wasOnline || kind != was):
			on(PageOnline, 0)
		case !online && wasOnline:
			on(PageOffline, 0)
		}
		wasOnline, was = online, kind
	})
}

// blindTime measures a freeze, or a stay in the back/forward cache.
type blindTime struct {
	now   func() float64
	on    func(PageEvent, int64)
	since float64
}

func (b *blindTime) begin() {
	if b.since == 0 {
		b.since = b.now()
	}
}

func (b *blindTime) end(gap int64) {
	if b.since != 0 {
		gap = int64(b.now() - b.since)
		b.since = 0
	}
	b.on(PageWoke, gap)
}
