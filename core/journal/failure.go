package journal

import "github.com/holdfast-mcp/holdfast/core/engine"

// Tags of a failure's fields.
const (
	tagCode = iota + 1
	tagOp
	tagStatus
	tagRetryable
	tagMessage
	tagCause
	tagHint
)

// AppendFailure appends an error, its cause as a text.
func AppendFailure(b []byte, e *engine.Error) []byte {
	b = appendHeader(b)
	b = appendField(b, tagCode, []byte(e.Code))
	b = appendField(b, tagOp, []byte(e.Op))
	b = appendNumber(b, tagStatus, uint64(max(e.Status, 0)))
	if e.Retryable {
		b = appendNumber(b, tagRetryable, 1)
	}
	b = appendField(b, tagMessage, []byte(e.Message))
	if e.Cause != nil {
		b = appendField(b, tagCause, []byte(e.Cause.Error()))
	}
	if e.Hint != "" {
		b = appendField(b, tagHint, []byte(e.Hint))
	}
	return b
}

// ParseFailure reads what AppendFailure wrote.
func ParseFailure(b []byte) (*engine.Error, error) {
	e := &engine.Error{}
	in := input{p: b}
	in.header()
	for {
		tag, value, ok := in.field()
		if !ok {
			break
		}
		switch tag {
		case tagCode:
			e.Code = engine.Code(value)
		case tagOp:
			e.Op = string(value)
		case tagStatus:
			e.Status = int(in.number(value))
		case tagRetryable:
			e.Retryable = in.number(value) != 0
		case tagMessage:
			e.Message = string(value)
		case tagCause:
			e.Cause = &engine.Error{Message: string(value)}
		case tagHint:
			e.Hint = string(value)
		}
	}
	if in.err == nil && e.Code == "" {
		in.fail()
	}
	if in.err != nil {
		return nil, in.err
	}
	return e, nil
}
