package jsonrpc

// Batch goes over the messages of a text that is one message or an array of them (JSON-RPC 2.0 section 6). It
// aliases the text. A Batch is a value; copying it copies the position.
type Batch struct {
	text  []byte
	pos   int // where the next element begins
	left  int
	limit int
}

// ParseBatch checks that text is JSON and either a single value or a non-empty array of at most l.Batch
// elements, each nested no deeper than l.Depth. What each element is as a message, [Batch.Next] tells; one
// that is none spoils only itself (section 6 answers each element for itself).
//
// The text is read twice, here and by Next. Only MCP 2025-03-26 has batches, and there they are rare.
func ParseBatch(text []byte, l Limits) (Batch, error) {
	b := Batch{text: text, pos: skipSpace(text, 0), limit: depthLimit(l.Depth)}
	if b.pos >= len(text) || text[b.pos] != '[' {
		if err := Valid(text, l.Depth); err != nil {
			return Batch{}, err
		}
		b.left = 1
		return b, nil
	}
	most := l.Batch
	if most <= 0 {
		most = DefaultBatch
	}
	i := skipSpace(text, b.pos+1)
	if i < len(text) && text[i] == ']' {
		if i = skipSpace(text, i+1); i < len(text) {
			return Batch{}, trailingText.at(i)
		}
		return Batch{}, batchEmpty.at(b.pos)
	}
	b.pos = i
	for {
		if b.left == most {
			return Batch{}, batchTooLarge.at(i)
		}
		end, p := skip(text, i, b.limit)
		if p != fine {
			return Batch{}, p.at(end)
		}
		b.left++
		i = skipSpace(text, end)
		switch {
		case i >= len(text):
			return Batch{}, unexpectedEnd.at(i)
		case text[i] == ',':
			i = skipSpace(text, i+1)
		case text[i] == ']':
			if i = skipSpace(text, i+1); i < len(text) {
				return Batch{}, trailingText.at(i)
			}
			return b, nil
		default:
			return Batch{}, unexpectedByte.at(i)
		}
	}
}

// Len returns how many messages Next has yet to deliver, refused ones included.
func (b *Batch) Len() int { return b.left }

// Next returns the next message, or the error of the next element if that is no message; the ones after it
// are still delivered. The bool is false once all have been. Offsets of errors count from the beginning of
// the whole text.
func (b *Batch) Next() (Message, bool, error) {
	if b.left == 0 {
		return Message{}, false, nil
	}
	b.left--
	var r reader
	end, p := r.read(b.text, b.pos, b.limit)
	if p != fine { // ParseBatch has accepted the text: somebody changed it since
		b.left = 0
		return Message{}, true, p.at(end)
	}
	b.pos = skipSpace(b.text, skipSpace(b.text, end)+1)
	if r.bad != fine {
		return Message{}, true, r.bad.at(r.badAt)
	}
	return r.m, true, nil
}
