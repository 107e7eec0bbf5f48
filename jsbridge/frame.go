//go:build js && wasm

package jsbridge

import "errors"

// ErrFrame says that a frame's lengths do not add up to its bytes.
var ErrFrame = errors.New("jsbridge: a frame is cut short")

// AppendPart appends one byte string of a frame.
func AppendPart(frame []byte, part string) []byte {
	n := uint32(len(part))
	frame = append(frame, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	return append(frame, part...)
}

// Parts splits a frame that JavaScript wrote. The parts alias it; an empty one is nil.
func Parts(frame []byte) ([][]byte, error) {
	var parts [][]byte
	for len(frame) > 0 {
		if len(frame) < 4 {
			return nil, ErrFrame
		}
		n := uint32(frame[0]) | uint32(frame[1])<<8 | uint32(frame[2])<<16 | uint32(frame[3])<<24
		frame = frame[4:]
		if uint64(n) > uint64(len(frame)) {
			return nil, ErrFrame
		}
		part := frame[:n:n]
		if n == 0 {
			part = nil
		}
		parts, frame = append(parts, part), frame[n:]
	}
	return parts, nil
}
