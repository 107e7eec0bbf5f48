package jsonrpc

// Parse reads one message. The text may have white space around it and nothing else. A text that is not JSON
// is refused as such even if its envelope is wrong as well; of several faults of the envelope the first in
// the text is reported. A batch is refused with BatchRefused: only MCP 2025-03-26 has them, see [ParseBatch].
//
// Parse reads the text once and allocates nothing, unless it refuses the text or the method is written with
// escapes.
func Parse(text []byte, l Limits) (Message, error) { return parse(text, l, nil) }

func parse(text []byte, l Limits, notes *noted) (Message, error) {
	start := skipSpace(text, 0)
	limit := depthLimit(l.Depth)
	r := reader{notes: notes}
	end, p := r.read(text, start, limit)
	if p != fine {
		return Message{}, p.at(end)
	}
	if i := skipSpace(text, end); i < len(text) {
		return Message{}, trailingText.at(i)
	}
	if r.bad == notObject && text[start] == '[' {
		r.bad = batchNotAllowed
	}
	if r.bad != fine {
		return Message{}, r.bad.at(r.badAt)
	}
	return r.m, nil
}

// Valid checks that text is one JSON value (RFC 8259) with white space around it at most, of any type, nested
// no deeper than depth levels (zero means [DefaultDepth]). It is the check of Parse without the envelope, for
// payloads that the application hands in.
func Valid(text []byte, depth int) error {
	end, p := skip(text, skipSpace(text, 0), depthLimit(depth))
	if p != fine {
		return p.at(end)
	}
	if i := skipSpace(text, end); i < len(text) {
		return trailingText.at(i)
	}
	return nil
}
