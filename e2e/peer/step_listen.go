//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
)

// A listener is one subscriptions/listen stream that is open (2026-07-28
// basic/patterns/subscriptions).
type listener struct {
	run   *run
	asked map[string]json.RawMessage
	end   chan ending
}

// An ending is how the server ends a subscription.
type ending struct {
	last string // what it sends last; "" sends nothing
	cut  bool   // drops the connection
}

// listenScript is the well-behaved answer to subscriptions/listen.
var listenScript = Script{Ack(""), Listening()}

// Ack acknowledges a subscription. honoured is the JSON of the filter that the
// server agrees to; "" takes what was asked and the capabilities offer.
func Ack(honoured string) Step {
	return Step{func(r *run) {
		filter := honoured
		if filter == "" {
			filter = r.p.honoured(r.params)
		}
		r.honoured = filter
		r.emit(r.message(notification("notifications/subscriptions/acknowledged",
			fmt.Sprintf(`{"_meta":{%q:%s},"notifications":%s}`, metaSubscription, r.id, filter))))
	}}
}

// Listening makes the stream one that Push, Updated and EndListen reach, until
// the subscription ends.
func Listening() Step {
	return Step{func(r *run) {
		if r.json {
			return
		}
		l := &listener{run: r, asked: members(json.RawMessage(r.honoured)), end: make(chan ending, 1)}
		r.p.shelf.listen(l)
		r.p.changed.signal()
		defer func() {
			r.p.shelf.unlisten(l)
			r.p.changed.signal()
		}()
		select {
		case <-r.ctx.Done():
		case <-r.post.done:
		case e := <-l.end:
			if e.cut {
				r.stream.cut(FIN)
				return
			}
			r.answered.Store(true)
			if e.last != "" {
				r.emit(r.message(e.last))
			}
		}
	}}
}

// honoured is the part of a filter that the capabilities cover.
func (p *Peer) honoured(params json.RawMessage) string {
	offered := json.RawMessage(p.capabilities(Revision20260728))
	out := make(map[string]json.RawMessage)
	for key, value := range members(field(params, "notifications")) {
		var ok bool
		switch key {
		case "toolsListChanged":
			ok = string(field(offered, "tools", "listChanged")) == "true"
		case "promptsListChanged":
			ok = string(field(offered, "prompts", "listChanged")) == "true"
		case "resourcesListChanged":
			ok = string(field(offered, "resources", "listChanged")) == "true"
		case "resourceSubscriptions":
			ok = string(field(offered, "resources", "subscribe")) == "true"
		case "taskIds":
			ok = field(offered, "extensions", taskExtension) != nil
			if p.settings() != nil {
				value = p.knownTasks(value)
			}
		}
		if ok {
			out[key] = value
		}
	}
	return quote(out)
}

// wants reports whether a notification is one that the listener subscribed to.
func (l *listener) wants(method string, params json.RawMessage) bool {
	has := func(key, value string) bool {
		var all []string
		json.Unmarshal(l.asked[key], &all)
		for _, one := range all {
			if one == value {
				return true
			}
		}
		return false
	}
	switch method {
	case "notifications/tools/list_changed":
		return string(l.asked["toolsListChanged"]) == "true"
	case "notifications/prompts/list_changed":
		return string(l.asked["promptsListChanged"]) == "true"
	case "notifications/resources/list_changed":
		return string(l.asked["resourcesListChanged"]) == "true"
	case "notifications/resources/updated":
		return has("resourceSubscriptions", text(params, "uri"))
	case "notifications/tasks":
		return has("taskIds", text(params, "taskId"))
	}
	return false
}

// tell sends a notification, marked as the subscription's.
func (l *listener) tell(method string, params json.RawMessage) {
	all := members(params)
	meta := members(all["_meta"])
	meta[metaSubscription] = json.RawMessage(l.run.id)
	all["_meta"] = json.RawMessage(quote(meta))
	l.run.emit(event{retry: -1, data: notification(method, quote(all))})
}
