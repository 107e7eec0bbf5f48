package journal

import "github.com/holdfast-mcp/holdfast/core/engine"

// Head is the request as the app made it, written before it leaves.
type Head struct {
	Key       string // the app's own name for the call; "" for none
	Method    string
	Params    []byte // raw JSON object, nil for none
	Meta      []byte // the app's members of _meta, raw, nil for none
	Header    []engine.Field
	Flags     Flags
	CreatedAt int64 // ms since 1970, by the wall clock of the page that made it
	// Timeouts of the call in ms, as mcp.Timeouts has them.
	Answer, Idle, Total int64
	// SendWithin is for how long after CreatedAt the request may leave for the first
	// time, in ms; 0 where the head does not say, below 0 for ever.
	SendWithin int64
}

// Flags are what is known of a request when it is made: the annotations of its
// tool are copied, since a list fetched later may say something else.
type Flags uint8

// The flags of a Head.
const (
	ReadOnly    Flags = 1 << iota // the tool says readOnlyHint
	Idempotent                    // the tool says idempotentHint
	RerunAlways                   // the app allows to run it again
	ManualAck                     // only the app's ack ends redelivery
	ManualInput                   // the app answers requests for input itself
	// RerunNever: the app forbids to run it again, whatever its tool says.
	RerunNever
)

// Repeatable reports whether the request may be run again: the app allows it, or
// the tool says that it does no harm and the app lets that count.
func (f Flags) Repeatable() bool {
	return f&RerunNever == 0 && f&(ReadOnly|Idempotent|RerunAlways) != 0
}

// Harmless reports whether the request changes nothing, by its tool's word and the
// app's trust in it: it may leave before the store knows of it.
func (f Flags) Harmless() bool { return f&(ReadOnly|RerunNever) == ReadOnly }

// Tags of a head's fields. Append only; a reader skips what it does not know.
const (
	tagKey = iota + 1
	tagMethod
	tagParams
	tagMeta
	tagHeaderName
	tagHeaderValue
	tagFlags
	tagCreatedAt
	tagAnswer
	tagIdle
	tagTotal
	tagSendWithin
)

// AppendHead appends h.
func AppendHead(b []byte, h *Head) []byte {
	b = appendHeader(b)
	b = appendField(b, tagKey, []byte(h.Key))
	b = appendField(b, tagMethod, []byte(h.Method))
	b = appendField(b, tagParams, h.Params)
	b = appendField(b, tagMeta, h.Meta)
	for _, f := range h.Header {
		if f.Name == "" {
			continue // cannot be sent either, and its value would be the last field's
		}
		b = appendField(b, tagHeaderName, []byte(f.Name))
		b = append(b, tagHeaderValue)
		b = appendBytes(b, []byte(f.Value))
	}
	b = appendNumber(b, tagFlags, uint64(h.Flags))
	b = appendNumber(b, tagCreatedAt, uint64(max(h.CreatedAt, 0)))
	b = appendNumber(b, tagAnswer, zigzag(h.Answer))
	b = appendNumber(b, tagIdle, zigzag(h.Idle))
	b = appendNumber(b, tagTotal, zigzag(h.Total))
	return appendNumber(b, tagSendWithin, zigzag(h.SendWithin))
}

// ParseHead reads a head. Its byte slices alias b.
func ParseHead(b []byte) (Head, error) {
	var h Head
	in := input{p: b}
	in.header()
	for {
		tag, value, ok := in.field()
		if !ok {
			break
		}
		switch tag {
		case tagKey:
			h.Key = string(value)
		case tagMethod:
			h.Method = string(value)
		case tagParams:
			h.Params = value
		case tagMeta:
			h.Meta = value
		case tagHeaderName:
			if len(value) == 0 {
				return Head{}, ErrCorrupt
			}
			h.Header = append(h.Header, engine.Field{Name: string(value)})
		case tagHeaderValue:
			if len(h.Header) == 0 {
				return Head{}, ErrCorrupt
			}
			h.Header[len(h.Header)-1].Value = string(value)
		case tagFlags:
			h.Flags = Flags(in.number(value))
		case tagCreatedAt:
			h.CreatedAt = int64(in.number(value))
		case tagAnswer:
			h.Answer = unzigzag(in.number(value))
		case tagIdle:
			h.Idle = unzigzag(in.number(value))
		case tagTotal:
			h.Total = unzigzag(in.number(value))
		case tagSendWithin:
			h.SendWithin = unzigzag(in.number(value))
		}
	}
	if in.err == nil && h.Method == "" {
		in.fail()
	}
	if in.err != nil {
		return Head{}, in.err
	}
	return h, nil
}

// appendField appends a tagged field; an empty one is left out, which reads as
// the same.
func appendField(b []byte, tag byte, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return appendBytes(append(b, tag), value)
}

func appendNumber(b []byte, tag byte, n uint64) []byte {
	if n == 0 {
		return b
	}
	return appendField(b, tag, appendUvarint(nil, n))
}

// number reads a number that fills value.
func (in *input) number(value []byte) uint64 {
	n := input{p: value}
	v := n.uvarint()
	if n.err != nil || len(n.p) > 0 {
		in.fail()
		return 0
	}
	return v
}

// zigzag gives small numbers of either sign small codes. What lies beyond half
// of maxSafe is cut: the sign is the lowest bit, which a later cut would set.
func zigzag(n int64) uint64 {
	n = min(max(n, -maxSafe/2), maxSafe/2)
	return uint64(n<<1 ^ n>>63)
}

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
