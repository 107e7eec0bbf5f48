package link

import (
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// AppendFailure writes an error as the JSON object that web/src/base/errors.ts
// reads: {"code","op","status","retryable","message","cause","hint","unanswered","unheard","ofPage","lacks","reach"}.
func AppendFailure(b []byte, e *engine.Error) []byte {
	b = jsonrpc.AppendString(append(b, `{"code":`...), string(e.Code))
	b = jsonrpc.AppendString(append(b, `,"op":`...), e.Op)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(e.Status), 10)
	b = strconv.AppendBool(append(b, `,"retryable":`...), e.Retryable)
	b = jsonrpc.AppendString(append(b, `,"message":`...), e.Message)
	if e.Cause != nil {
		b = jsonrpc.AppendString(append(b, `,"cause":`...), e.Cause.Error())
	}
	if e.Hint != "" {
		b = jsonrpc.AppendString(append(b, `,"hint":`...), e.Hint)
	}
	if e.Unanswered() {
		b = append(b, `,"unanswered":true`...)
	}
	if e.Unheard() {
		b = append(b, `,"unheard":true`...)
	}
	if e.OfPage() {
		b = append(b, `,"ofPage":true`...)
	}
	if e.Lacks != "" {
		b = jsonrpc.AppendString(append(b, `,"lacks":`...), e.Lacks)
	}
	switch e.Reach {
	case engine.ReachAnswers:
		b = append(b, `,"reach":"answers"`...)
	case engine.ReachNothing:
		b = append(b, `,"reach":"nothing"`...)
	}
	return append(b, '}')
}

// ReadFailure reads what AppendFailure wrote in another tab.
func ReadFailure(text []byte) *engine.Error {
	member := func(name string) string {
		value, _ := jsonrpc.Member(text, name)
		s, _ := jsonrpc.String(value)
		return s
	}
	status, _ := jsonrpc.Member(text, "status")
	code, _ := jsonrpc.Int(status)
	retryable, _ := jsonrpc.Member(text, "retryable")
	e := &engine.Error{
		Code: engine.Code(member("code")), Op: member("op"), Status: int(code),
		Retryable: string(retryable) == "true", Message: member("message"),
	}
	if cause := member("cause"); cause != "" {
		e.Cause = &engine.Error{Message: cause}
	}
	return e
}
