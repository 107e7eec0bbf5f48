//go:build !js

package peer

import "encoding/json"

// Push sends a notification on the standalone stream of every session, and on
// every modern subscription that asked for it; params is JSON, "" leaves it
// out. A GET that comes later replays it only with a Last-Event-ID of that
// stream. Resource updates go by session too: see Updated.
func (p *Peer) Push(method, params string) {
	p.pushLegacy(notification(method, params))
	for _, l := range p.shelf.listening() {
		if l.wants(method, json.RawMessage(params)) {
			l.tell(method, json.RawMessage(params))
		}
	}
}

// PushAsk sends a request of the server's own on the standalone stream of every
// session; id is raw JSON. The answer shows in Of("RESPONSE").
func (p *Peer) PushAsk(id, method, params string) { p.PushMessage(request(id, method, params)) }

// PushMessage sends any text as one stored event on the standalone stream of
// every session, and on every modern subscription whatever it asked for; there
// $LISTEN stands for the subscription's id.
func (p *Peer) PushMessage(text string) {
	p.pushLegacy(text)
	p.pushModern(text)
}

func (p *Peer) pushLegacy(text string) {
	for _, s := range p.home.list() {
		s.standalone.emit(event{retry: -1, data: text})
	}
}

// CutStreams cuts every event stream that a connection carries now, standalone
// ones included, and returns how many. The scripts go on.
func (p *Peer) CutStreams(how Cutting) int {
	n := 0
	for _, s := range p.home.list() {
		s.mu.Lock()
		streams := append([]*stream(nil), s.streams...)
		s.mu.Unlock()
		for _, st := range streams {
			if st.cut(how) {
				n++
			}
		}
	}
	for _, job := range p.modern.all() {
		if job.stream != nil && job.stream.cut(how) {
			n++
		}
	}
	return n
}
