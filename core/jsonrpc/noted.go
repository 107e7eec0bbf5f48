package jsonrpc

// maxNoted is the number of members of a result that are noted: MCP's have six at most (content,
// structuredContent, isError, resultType, task, _meta).
const maxNoted = 6

// noted says where the members of a result are in it.
type noted struct {
	n  int // how many there are; those beyond maxNoted are not noted
	at [maxNoted]struct{ key, keyLen, value, valueLen uint32 }
}

func (s *noted) note(key, keyLen, value, valueLen int) {
	if s.n < maxNoted {
		m := &s.at[s.n]
		m.key, m.keyLen, m.value, m.valueLen = uint32(key), uint32(keyLen), uint32(value), uint32(valueLen)
	}
	s.n++
}

// ResultMember is [Member] of the Result. Where a [Series] has read it, it is not read again unless it has
// many members.
func (m *Message) ResultMember(key string) (value []byte, ok bool) {
	members := m.members
	if members == nil || members.n > maxNoted {
		return Member(m.Result, key)
	}
	for i := range members.n {
		at := &members.at[i]
		if !named(m.Result[at.key:at.key+at.keyLen], key) {
			continue
		}
		if ok {
			return nil, false
		}
		end := at.value + at.valueLen
		value, ok = m.Result[at.value:end:end], true
	}
	return value, ok
}
