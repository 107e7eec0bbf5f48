package coretest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// socketMachine is a machine that opens WebSockets.
type socketMachine interface {
	SocketOpened(now engine.Time, x engine.ExchangeID)
	SocketMessage(now engine.Time, x engine.ExchangeID, text []byte)
	SocketClosed(now engine.Time, x engine.ExchangeID, code int, why string)
}

// Opcodes and codes of RFC 6455 5.2 and 7.4.1.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xA

	closeNone     = 1005 // a close frame without a code
	closeAbnormal = 1006 // no close frame
)

// webSocket is a client's end of a WebSocket (RFC 6455), as a browser has one:
// messages whole, pings answered.
type webSocket struct {
	conn net.Conn
	in   *bufio.Reader
	out  chan []byte // frames; one goroutine writes them
}

// openSocket opens a WebSocket for the machine, and reports on it until it closes.
func (h *Host[M]) openSocket(ctx context.Context, x engine.ExchangeID, url string, out chan []byte) {
	machine := any(h.Client).(socketMachine)
	code, why := closeAbnormal, ""
	defer func() { h.send(func() { machine.SocketClosed(h.now(), x, code, why) }) }()
	s, err := dialSocket(ctx, url, out)
	if err != nil {
		why = err.Error()
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer s.conn.Close()
	context.AfterFunc(ctx, func() { s.conn.Close() })
	go s.write(ctx)
	h.send(func() { machine.SocketOpened(h.now(), x) })
	for {
		text, closed, err := s.read()
		if err != nil {
			code = closed
			return
		}
		taken := make(chan struct{})
		h.send(func() { machine.SocketMessage(h.now(), x, text); h.driver.Drain(h.now()); close(taken) })
		select {
		case <-taken:
		case <-h.done:
			return
		}
	}
}

func dialSocket(ctx context.Context, url string, out chan []byte) (*webSocket, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http"+url[len("ws"):], nil)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	request.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {base64.StdEncoding.EncodeToString(key)}}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", request.URL.Host)
	if err != nil {
		return nil, err
	}
	s := &webSocket{conn: conn, in: bufio.NewReader(conn), out: out}
	if err = request.Write(conn); err == nil {
		var response *http.Response
		if response, err = http.ReadResponse(s.in, request); err == nil &&
			response.StatusCode != http.StatusSwitchingProtocols {
			err = fmt.Errorf("status %d", response.StatusCode)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// write sends the frames, one after the other.
func (s *webSocket) write(ctx context.Context) {
	for {
		select {
		case frame := <-s.out:
			if _, err := s.conn.Write(frame); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// maskedFrame is a whole frame. A client's are masked; zeros will do.
func maskedFrame(op byte, payload []byte) []byte {
	frame := []byte{0x80 | op}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(n))
	}
	return append(append(frame, 0, 0, 0, 0), payload...)
}

var errSocketClosed = errors.New("the WebSocket was closed")

// read returns the next text message; where there is none, the code of the close.
func (s *webSocket) read() (text []byte, code int, err error) {
	var message bytes.Buffer
	first := byte(0)
	for {
		var head [2]byte
		if _, err = io.ReadFull(s.in, head[:]); err != nil {
			return nil, closeAbnormal, err
		}
		size := uint64(head[1] & 0x7F)
		if size >= 126 {
			wide := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
			if _, err = io.ReadFull(s.in, wide); err != nil {
				return nil, closeAbnormal, err
			}
			size = 0
			for _, b := range wide {
				size = size<<8 | uint64(b)
			}
		}
		payload := make([]byte, size)
		if _, err = io.ReadFull(s.in, payload); err != nil {
			return nil, closeAbnormal, err
		}
		switch op := head[0] & 0x0F; op {
		case opPing:
			s.out <- maskedFrame(opPong, payload)
		case opClose:
			if len(payload) < 2 {
				return nil, closeNone, errSocketClosed
			}
			return nil, int(binary.BigEndian.Uint16(payload)), errSocketClosed
		case opText, opBinary, opContinuation:
			if op != opContinuation {
				first = op
				message.Reset()
			}
			message.Write(payload)
			if head[0]&0x80 != 0 && first == opText {
				return message.Bytes(), 0, nil
			}
		}
	}
}
