package link

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/sse"
)

// Limits bounds what one exchange may hold in memory, in bytes.
type Limits struct {
	Line  int // one line of an event stream
	Event int // the data of one event
	Body  int // a JSON body
}

// Exchange reads one HTTP response: its head decides how, then chunks become
// events or one JSON text. It holds no timers and takes no decisions.
type Exchange struct {
	head   engine.Head
	kind   BodyKind
	limits Limits
	parser *sse.Parser
	body   []byte
	text   bool // KeepText
}

// NewExchange returns an Exchange whose head has not come yet.
func NewExchange(limits Limits) Exchange { return Exchange{limits: limits} }

// Head takes the response head and returns how the body is read.
func (x *Exchange) Head(head engine.Head) BodyKind {
	x.head = head
	x.kind = ClassifyBody(head.Status, head.Get("content-type"))
	if x.kind == BodyStream {
		x.parser = sse.New(sse.Limits{Line: x.limits.Line, Event: x.limits.Event})
	}
	return x.kind
}

// Opened reports whether the head has come.
func (x *Exchange) Opened() bool { return x.head.Status != 0 }

// OK reports a 2xx status.
func (x *Exchange) OK() bool { return x.head.Status >= 200 && x.head.Status < 300 }

// Status returns the HTTP status, 0 before the head.
func (x *Exchange) Status() int { return x.head.Status }

// Header returns a response field by its lower-case name.
func (x *Exchange) Header(name string) string { return x.head.Get(name) }

// Kind returns how the body is read.
func (x *Exchange) Kind() BodyKind { return x.kind }

// Chunk takes the next bytes. A stream's events are then read with Next; they
// alias p. A JSON body, or one that may be, is gathered up to its limit; other bodies
// are dropped unread, so that an endless error page costs nothing.
func (x *Exchange) Chunk(p []byte) error {
	switch x.kind {
	case BodyStream:
		x.parser.Push(p)
	case BodyOther:
		if room := textLimit - len(x.body); x.text && room > 0 {
			x.body = append(x.body, p[:min(room, len(p))]...)
		}
	case BodyJSON, BodyCut:
		if len(x.body)+len(p) > x.limits.Body {
			return &engine.Error{Code: engine.CodeLimit, Message: "the JSON body is over the limit of bytes"}
		}
		if len(x.body)+len(p) > cap(x.body) {
			x.grow(len(p))
		}
		x.body = append(x.body, p...)
	}
	return nil
}

// textLimit is how much is kept of a body that is text, in bytes.
const textLimit = 4 << 10

// KeepText has the beginning of a body be kept that is neither JSON nor a stream: an error page says why.
func (x *Exchange) KeepText() { x.text = true }

// grow makes room for n bytes more: for the whole body where the server has said
// how long it is, else twice of what there was. Append's own steps of a quarter
// copy a large body four times.
func (x *Exchange) grow(n int) {
	want := max(n, cap(x.body))
	if size, ok := decimal(x.head.Get("content-length")); ok && x.body == nil {
		want = int(min(max(int64(want), size), int64(x.limits.Body)))
	}
	x.body = slices.Grow(x.body, want)
}

// Next returns the next event of a stream. The error is the parser's: a line
// or an event over its limit; the stream yields nothing after it.
func (x *Exchange) Next() (sse.Event, bool, error) {
	if x.parser == nil {
		return sse.Event{}, false, nil
	}
	e, ok := x.parser.Next()
	if ok {
		return e, true, nil
	}
	if err := x.parser.Err(); err != nil {
		return e, false, &engine.Error{Code: engine.CodeLimit, Message: "the event stream is over a limit",
			Cause: err}
	}
	return e, false, nil
}

// KeepData makes the data of the event that Next has just returned, or the body, the caller's own:
// it may be kept without a copy. False where it has to be copied.
func (x *Exchange) KeepData() bool {
	if x.parser != nil {
		return x.parser.KeepData()
	}
	return x.body != nil
}

// Retry returns the stream's reconnection time in ms, -1 where it named none.
func (x *Exchange) Retry() int64 {
	if x.parser == nil {
		return -1
	}
	return x.parser.Retry()
}

// Comments returns how many comment lines the stream has held. Servers send
// them to keep a quiet connection open.
func (x *Exchange) Comments() uint64 {
	if x.parser == nil {
		return 0
	}
	return x.parser.Stats().Comments
}

// NoJSON reports whether the body so far is the beginning of no JSON object or array.
func (x *Exchange) NoJSON() bool {
	if len(x.body) < len(byteOrderMark) && bytes.HasPrefix([]byte(byteOrderMark), x.body) {
		return false
	}
	text := bytes.TrimLeft(x.Body(), " \t\r\n")
	return len(text) > 0 && text[0] != '{' && text[0] != '['
}

// Body returns the JSON text gathered so far, without a byte order mark: servers may not send one (RFC 8259
// 8.1), and some do, since a browser's response.json() drops it. The Exchange owns it.
func (x *Exchange) Body() []byte { return bytes.TrimPrefix(x.body, []byte(byteOrderMark)) }

// byteOrderMark is that of UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"
