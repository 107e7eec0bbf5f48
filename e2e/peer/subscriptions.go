//go:build !js

package peer

import (
	"fmt"
	"slices"
	"strings"
)

// Listeners is the number of subscriptions that are acknowledged and open.
func (p *Peer) Listeners() int { return len(p.shelf.listening()) }

// EndListen ends every open subscription and returns how many there were:
// gracefully, with the result that says so, or by dropping the connection
// without one. The release candidate has no such result; there the stream ends.
func (p *Peer) EndListen(graceful bool) int {
	return p.endListen(func(l *listener) ending {
		if !graceful || p.opts.Candidate {
			return ending{cut: !graceful}
		}
		return ending{
			last: response(l.run.id, "result",
				fmt.Sprintf(`{"resultType":"complete","_meta":{%q:%s}}`, metaSubscription, l.run.id))}
	})
}

// CancelListen ends every open subscription with notifications/cancelled, which
// basic/patterns/cancellation asks of servers, and returns how many there were.
func (p *Peer) CancelListen() int {
	return p.endListen(func(l *listener) ending {
		return ending{last: notification("notifications/cancelled",
			fmt.Sprintf(`{"_meta":{%q:%s},"requestId":%s}`, metaSubscription, l.run.id, l.run.id))}
	})
}

func (p *Peer) endListen(last func(*listener) ending) int {
	all := p.shelf.listening()
	for _, l := range all {
		select {
		case l.end <- last(l):
		default: // ended already
		}
	}
	return len(all)
}

// pushModern sends text to every subscription as it is, but for $LISTEN, which
// stands for the id of the subscription.
func (p *Peer) pushModern(message string) {
	for _, l := range p.shelf.listening() {
		l.run.emit(event{retry: -1, data: strings.ReplaceAll(message, "$LISTEN", l.run.id)})
	}
}

// Watched reports whether Updated would reach somebody who subscribed to the
// resource, and has a stream to be told on.
func (p *Peer) Watched(uri string) bool {
	for _, s := range p.home.list() {
		s.mu.Lock()
		subscribed := slices.Contains(s.subscribed, uri)
		s.mu.Unlock()
		if subscribed && s.standalone.now.Load() != nil {
			return true
		}
	}
	params := []byte(quote(map[string]any{"uri": uri}))
	return slices.ContainsFunc(p.shelf.listening(), func(l *listener) bool {
		return l.wants("notifications/resources/updated", params)
	})
}

// Updated sends notifications/resources/updated to whoever subscribed to the
// resource: with resources/subscribe in a legacy session, with
// resourceSubscriptions on a modern stream.
func (p *Peer) Updated(uri string) {
	params := []byte(quote(map[string]any{"uri": uri}))
	for _, s := range p.home.list() {
		s.mu.Lock()
		subscribed := slices.Contains(s.subscribed, uri)
		s.mu.Unlock()
		if subscribed {
			s.standalone.emit(
				event{retry: -1, data: notification("notifications/resources/updated", string(params))})
		}
	}
	for _, l := range p.shelf.listening() {
		if l.wants("notifications/resources/updated", params) {
			l.tell("notifications/resources/updated", params)
		}
	}
}
