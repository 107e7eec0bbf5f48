//go:build js && wasm && !mcponly

package main

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// The exports about a session that one tab carries and others look on at.

// exportAgentServe does what another tab asks for: the input is the text of its
// EventForward. The header's answer word is the call that settles with what
// becomes of it, 0 where none does or this tab does not carry the session.
//
//go:wasmexport agentServe
func exportAgentServe(handle uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	table.Answer(uint32(c.agent.Serve(engine.Time(now), table.Input(int(n)))))
	return c.leave(engine.Time(now))
}

// exportAgentForwardSettled takes what became of a request that another tab makes for this
// one: an engine.Outcome and its text as settle has it, or 0 for that the other
// tab has it. The number is a float since an id takes up to 53 bits.
//
//go:wasmexport agentForwardSettled
func exportAgentForwardSettled(handle uint32, request float64, outcome uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	text := table.Input(int(n))
	var failure *engine.Error
	if engine.Outcome(outcome) == engine.OutcomeFailure {
		failure = readFailure(text)
	}
	c.agent.ForwardSettled(engine.Time(now), uint64(request), engine.Outcome(outcome), text, failure)
	return c.leave(engine.Time(now))
}

// exportAgentRest lets go of the sessions' streams, since the page is being
// frozen, or takes them up again.
//
//go:wasmexport agentRest
func exportAgentRest(handle uint32, resting int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.Rest(engine.Time(now), resting != 0)
	return c.leave(engine.Time(now))
}

// exportAgentStreams says how many streams of sessions the client may hold. The
// header's answer word is how many it may: fewer cannot be at the time.
//
//go:wasmexport agentStreams
func exportAgentStreams(handle uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	table.Answer(uint32(c.agent.Streams(engine.Time(now), int(n))))
	return c.leave(engine.Time(now))
}

// exportAgentForget forgets a session here; the agent keeps it.
//
//go:wasmexport agentForget
func exportAgentForget(handle, session uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.Forget(engine.Time(now), session)
	return c.leave(engine.Time(now))
}

// readFailure reads what appendFailure wrote in another tab.
func readFailure(text []byte) *engine.Error {
	member := func(name string) string {
		value, _ := jsonrpc.Member(text, name)
		s, _ := jsonrpc.String(value)
		return s
	}
	status, _ := jsonrpc.Member(text, "status")
	code, _ := jsonrpc.Int(status)
	retryable, _ := jsonrpc.Member(text, "retryable")
	e := &engine.Error{Code: engine.Code(member("code")), Op: member("op"), Status: int(code), Retryable: string(retryable) == "true", Message: member("message")}
	if cause := member("cause"); cause != "" {
		e.Cause = &engine.Error{Message: cause}
	}
	return e
}
