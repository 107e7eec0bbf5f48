//go:build !js

package acppeer

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
)

// Opcodes of RFC 6455 5.2.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xA
)

// maxMessage is what a client may send at once, as over HTTP.
const maxMessage = 16 << 20

var (
	errClosed   = errors.New("the client closed")
	errUnmasked = errors.New("a client's frame must be masked")
	errTooBig   = errors.New("the message is too big")
)

// read returns the next text message, and answers pings and closes on the way.
// Binary messages are ignored (RFD streamable-http-websocket-transport).
func (s *socket) read() ([]byte, error) {
	var message []byte
	first := 0
	for {
		final, op, payload, err := s.readFrame()
		if err != nil {
			return nil, err
		}
		switch op {
		case opPing:
			s.write(opPong, payload)
			continue
		case opPong:
			continue
		case opClose:
			s.write(opClose, payload)
			return nil, errClosed
		case opText, opBinary:
			first, message = op, payload
		case opContinuation:
			message = append(message, payload...)
		}
		if len(message) > maxMessage {
			return nil, errTooBig
		}
		if final && first == opText {
			return message, nil
		}
	}
}

func (s *socket) readFrame() (final bool, op int, payload []byte, err error) {
	var head [2]byte
	if _, err = io.ReadFull(s.in, head[:]); err != nil {
		return
	}
	final, op = head[0]&0x80 != 0, int(head[0]&0x0F)
	if head[1]&0x80 == 0 {
		return false, 0, nil, errUnmasked
	}
	size := uint64(head[1] & 0x7F)
	if size >= 126 {
		wide := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
		if _, err = io.ReadFull(s.in, wide); err != nil {
			return
		}
		size = 0
		for _, b := range wide {
			size = size<<8 | uint64(b)
		}
	}
	if size > maxMessage {
		return false, 0, nil, errTooBig
	}
	var mask [4]byte
	if _, err = io.ReadFull(s.in, mask[:]); err != nil {
		return
	}
	payload = make([]byte, size)
	if _, err = io.ReadFull(s.in, payload); err != nil {
		return
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return
}

// encode is a whole frame of a server, which masks nothing.
func encode(op int, payload []byte) []byte {
	frame := []byte{0x80 | byte(op)}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 127), uint64(n))
	}
	return append(frame, payload...)
}

func (s *socket) write(op int, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = op == opClose
	_, err := s.conn.Write(encode(op, payload))
	return err
}

// half writes the first half of a text frame.
func (s *socket) half(payload []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame := encode(opText, payload)
	s.conn.Write(frame[:len(frame)/2])
}

func (s *socket) close(code uint16) {
	s.write(opClose, binary.BigEndian.AppendUint16(nil, code))
	s.conn.Close()
}
