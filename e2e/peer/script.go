//go:build !js

package peer

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
)

// A Step is one thing that a script does. Steps are made by the functions of
// this package.
type Step struct{ do func(*run) }

// A Script is what happens, in order, in answer to one request. It runs once
// per request, on its own, whatever becomes of the connection. Its stream ends
// with it.
type Script []Step

// A Call is what a script may depend on.
type Call struct {
	// Name is the name of the tool or prompt, the URI of the resource; "" for
	// another method.
	Name string
	// Arguments is the tool's or prompt's arguments, or another method's params.
	Arguments json.RawMessage
	// ID is the JSON-RPC id as written.
	ID string
	// Revision is the one negotiated, or the one that the request names.
	Revision string
	// N counts the calls of this tool from 1; 0 for another method.
	N int
	// Label is what the Oracle knows the call by: the argument "call", or the
	// name of the tool. Run counts the calls of that label from 1.
	Label string
	Run   int
	// Meta is the request's params._meta.
	Meta json.RawMessage
	// InputResponses is what the client brings to an input_required answer: a
	// JSON object by the keys of inputRequests; nil in the first round.
	InputResponses json.RawMessage
	// RequestState is the string that came back with it; "" if none did.
	RequestState string
}

// Input digs raw JSON out of InputResponses: Input("name", "content", "text").
func (c Call) Input(path ...string) json.RawMessage { return field(c.InputResponses, path...) }

// Form is how a request is answered.
type Form int

const (
	// SSE answers with an event stream: the default for tools/call.
	SSE Form = iota
	// JSON answers with one JSON body: the default for all else. What a
	// script sends before its result goes to the standalone stream.
	JSON
)

// Form sets how a JSON-RPC method is answered. For tools/call a tool's own
// trait AsJSON goes first.
func (p *Peer) Form(method string, f Form) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	if p.rules.form == nil {
		p.rules.form = make(map[string]Form)
	}
	p.rules.form[method] = f
}

// Method answers a JSON-RPC method other than tools/call with a script.
func (p *Peer) Method(name string, s Script) { p.MethodFunc(name, func(Call) Script { return s }) }

// MethodFunc is Method with a script that depends on the request.
func (p *Peer) MethodFunc(name string, f func(Call) Script) {
	p.rules.mu.Lock()
	defer p.rules.mu.Unlock()
	if p.rules.scripts == nil {
		p.rules.scripts = make(map[string]func(Call) Script)
	}
	p.rules.scripts[name] = f
}

// A run is one script at work on one request.
type run struct {
	p       *Peer
	ctx     context.Context
	session *session
	stream  *stream  // of the POST; carries events unless json
	post    *carrier // the POST's own answer
	json    bool
	modern  bool
	shared  bool // the stream is the session's one of HTTP+SSE, which goes on
	id      string
	method  string
	params  json.RawMessage
	token   string            // raw progress token; "" if none
	task    *task             // that the script works at; nil for a call that is none
	blocks  []json.RawMessage // made by Segment without a task
	level   string            // the least severe log message wanted; "" if none was named
	nextID  string            // event id set by ID
	tear    *tear             // how the next event breaks off; set by Torn
	batch   *[]string

	honoured string // filter of an acknowledged subscription
	answered atomic.Bool
	stop     context.CancelFunc
}

type tear struct {
	after int // bytes
	how   Cutting
}

func (r *run) play(s Script) {
	for _, step := range s {
		if r.ctx.Err() != nil {
			return
		}
		step.do(r)
	}
}

// finish ends what the script was writing to.
func (r *run) finish() {
	switch {
	case r.json:
		r.post.cut(Clean)
	case r.shared:
	default:
		r.stream.end()
	}
}

// emit sends an event on the call's stream. A JSON answer has none: there it
// goes to the standalone stream.
func (r *run) emit(e event) {
	switch {
	case r.task != nil && r.batch == nil:
		r.task.emit(r, e)
	case r.batch != nil:
		*r.batch = append(*r.batch, e.data)
	case r.json && r.modern: // there is no other stream
	case r.json:
		r.session.standalone.emit(e)
	case r.tear != nil:
		r.stream.torn(e, r.tear.after, r.tear.how)
	default:
		r.stream.emit(e)
	}
}

// answer sends the response, which a JSON answer consists of.
func (r *run) answer(text string) {
	r.answered.Store(true)
	if r.task != nil {
		r.task.end(field(json.RawMessage(text), "result"), field(json.RawMessage(text), "error"))
		return
	}
	if r.json && r.batch == nil {
		r.post.respond(Response{Body: text}, strings.NewReplacer())
		return
	}
	r.emit(r.message(text))
}

func (r *run) message(text string) event {
	e := event{id: r.nextID, retry: -1, data: text}
	r.nextID = ""
	return e
}

// vars replaces the placeholders that Message, Raw and Respond know.
func (r *run) vars() *strings.Replacer {
	task := ""
	if r.task != nil {
		task = r.task.id
	}
	return strings.NewReplacer("$ID", r.id, "$TOKEN", r.token, "$SESSION", r.session.id, "$TASK", task)
}
