package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// listens reports whether there is a stream for unasked messages to open: the
// GET stream, or subscriptions/listen where anything can be subscribed to.
func (c *Client) listens() bool {
	return c.revision.GetStream || c.revision.SelfDescribing && len(c.subscriptionFilter()) > 2
}

// subscriptionFilter returns what subscriptions/listen asks for, as JSON: the
// changes that the server says it announces, the resources that the app watches
// (2026-07-28 basic/patterns/subscriptions), and the tasks of its calls. The changes are the
// same for all tabs of a user: where connections are few, the one with the lease asks for them.
func (c *Client) subscriptionFilter() []byte {
	capabilities, _ := jsonrpc.Member(c.session.result, "capabilities")
	b := []byte{'{'}
	add := func(name string, value []byte) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(jsonrpc.AppendString(b, name), ':'), value...)
	}
	told := c.cfg.Tabs && c.scarce && !c.listen.lease
	for _, of := range [...]struct{ capability, filter string }{
		{"tools", "toolsListChanged"}, {"prompts", "promptsListChanged"}, {"resources", "resourcesListChanged"},
	} {
		settings, _ := jsonrpc.Member(capabilities, of.capability)
		if changes, _ := jsonrpc.Member(settings, "listChanged"); string(changes) == "true" && !told {
			add(of.filter, []byte("true"))
		}
	}
	if len(c.resources) > 2 {
		add("resourceSubscriptions", c.resources)
	}
	// A stream for tasks alone would take a connection that calls may need.
	if ids := c.liveTasks(); len(ids) > 0 && (len(b) > 1 || !c.scarce) {
		list := []byte{'['}
		for i, id := range ids {
			if i > 0 {
				list = append(list, ',')
			}
			list = jsonrpc.AppendString(list, id)
		}
		add("taskIds", append(list, ']'))
	}
	return append(b, '}')
}

// subscribeAfter gathers subscriptions into one request, in ms: a page that begins, or whose
// worker has been replaced, makes all of its at once.
const subscribeAfter = 10

// Subscribe sets the resources whose updates a self-describing revision's
// listen stream asks for: a JSON array of URIs. Earlier revisions have requests
// for it (resources/subscribe), which are the app's to make.
func (c *Client) Subscribe(now engine.Time, uris []byte) {
	c.effects.Begin(now)
	c.resources = append(c.resources[:0], uris...)
	if c.state != stateOpen || !c.revision.SelfDescribing || c.cfg.NoListen {
		return
	}
	w := &c.taskListen
	missed, room := w.missed || c.listen.hasMissed(), w.room
	// An acknowledgement that comes from here on is that of a stream that asks for these.
	if c.listen.state == listenRunning {
		missed = missed || c.listen.hadStream // nobody hears the server until that one is open
		c.listen.stop(c)
	}
	if w.drop(c); !c.listens() {
		room = 0 // nothing is asked for that would have to wait
	}
	w.forApp, w.missed, w.room, w.at = true, missed, room, max(now.After(subscribeAfter), room)
}

// hasMissed reports whether the app is still to be told that nobody heard the server for a while: the
// stream was cut, or is another tab's of before, and is not open again.
func (l *listen) hasMissed() bool {
	return l.missed || l.hadStream && (l.state == listenParked || l.runs() && l.stream.State() != link.StateUp)
}

// relisten opens the stream of a self-describing revision for what this tab asks for by
// now, and ends it where that is nothing; missed: another one may have been told meanwhile.
func (c *Client) relisten(now engine.Time, missed bool) {
	if c.listens() {
		c.listen.open(c, now)
		c.listen.missed = missed
	} else {
		c.listen.stop(c)
	}
}

// fetchSubscriptions starts the exchange of a subscriptions/listen.
func (l *listen) fetchSubscriptions(c *Client) engine.ExchangeID {
	l.request, l.ids = c.newRequestID(), c.liveTasks()
	params := append(append([]byte(`{"notifications":`), c.subscriptionFilter()...), '}')
	meta := append(c.appendIdentity([]byte{'{'}), '}')
	l.stream.Once = true
	return c.fetch(l, "POST", jsonrpc.AppendRequest(nil, uint64(l.request), "subscriptions/listen", params, meta),
		wire.MirroredHeader("subscriptions/listen", nil)...)
}
