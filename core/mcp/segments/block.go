package segments

import "bytes"

// blockSize is the most memory that is taken at a time for the texts of
// segments: a model's result comes as thousands of small ones.
const blockSize = 32 << 10

// keep returns a copy of raw.
func (s *Tracker) keep(raw []byte) []byte {
	if cap(s.block)-len(s.block) < len(raw) {
		// Twice as much each time, so that short results stay small.
		size := min(max(2*cap(s.block), 512), blockSize)
		if len(raw) > size/4 {
			return bytes.Clone(raw)
		}
		s.block = make([]byte, 0, size)
	}
	from := len(s.block)
	s.block = append(s.block, raw...)
	return s.block[from:len(s.block):len(s.block)]
}
