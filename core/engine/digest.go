package engine

import "encoding/binary"

// Digest adds data to a sum by which what was seen is known again: FNV-1a, eight bytes a step.
// It holds within one page: nothing that is stored has it.
func Digest(sum uint64, data []byte) uint64 {
	for ; len(data) >= 8; data = data[8:] {
		sum = digestStep(sum, binary.LittleEndian.Uint64(data))
	}
	for _, b := range data {
		sum = digestStep(sum, uint64(b))
	}
	return sum
}

func digestStep(sum, n uint64) uint64 {
	sum = (sum ^ n) * 0x100000001b3
	return sum ^ sum>>32
}
