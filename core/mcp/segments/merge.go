package segments

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// AppendResult appends the result that the segments come to: their content in
// order, without the numbers.
func (s *Tracker) AppendResult(b []byte) []byte {
	b = append(b, `{"content":[`...)
	for i, raw := range s.ordered {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonrpc.AppendWithout(b, raw, "seqNr")
	}
	b = append(b, ']')
	if s.Failed {
		b = append(b, `,"isError":true`...)
	}
	return append(b, '}')
}

// SameAs reports whether the whole result has the content that was streamed.
func (s *Tracker) SameAs(result []byte) bool {
	whole, _ := jsonrpc.Member(result, "content")
	list := jsonrpc.Elements(whole)
	list = list[min(s.base, uint64(len(list))):]
	same := len(s.ordered) == len(list) || len(s.ordered) < len(list) && !(s.Complete && s.Gapless())
	var a, b []byte
	for i := 0; same && i < len(s.ordered); i++ {
		a, b = jsonrpc.AppendWithout(a[:0], s.ordered[i], "seqNr"),
			jsonrpc.AppendWithout(b[:0], list[i], "seqNr")
		same = bytes.Equal(a, b)
	}
	return same
}

// Rest calls take with each part of the whole result that has not come as a
// segment, as the segment that it would have been: the merge is by number
// (SEP-1905), so that each block of content has one.
func (s *Tracker) Rest(result []byte, take func(raw []byte)) {
	whole, _ := jsonrpc.Member(result, "content")
	for i, block := range jsonrpc.Elements(whole) {
		if n := uint64(i) + 1; n > s.Last() && jsonrpc.IsObject(block) {
			number := strconv.AppendUint([]byte(`"seqNr":`), n, 10)
			take(jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, block, "seqNr"), number))
		}
	}
}
