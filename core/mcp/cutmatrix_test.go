package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// transcript is what a server says on one call's stream, as blocks with ids
// "0", "1", ...: a priming event, progress in every shape that the format
// knows, and the response. About 4 KiB.
func transcript(id string) (blocks []string, progress int) {
	blocks = []string{"id: 0\nretry: 10\ndata: \n\n"}
	add := func(format, data string) {
		blocks = append(blocks, fmt.Sprintf(format, len(blocks), data))
	}
	text := func() string {
		progress++
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id +
			`,"progress":` + fmt.Sprint(progress) + `,"message":"` +
			strings.Repeat("h\u00e9ld f\u00e4st \U0001f600 ", 4) + `"}}`
	}
	for progress < 16 {
		add("id: %d\ndata: %s\n\n", text())
		add("data: %[2]s\r\nid: %[1]d\r\n\r\n", text())
		add("id:%d\rdata:%s\r\r", text())
		add("id: %d\n: keep-alive\nevent: message\ndata: %s\n\n",
			strings.Replace(text(), ",", ",\ndata: ", 1))
		add("event: ping\nid: %d\ndata: %s\n\n", "x")
	}
	add("id: %d\ndata: %s\n\n", coretest.Result(id, `{"content":[]}`))
	return blocks, progress
}

// TestCutAfterEveryByte cuts a call's stream after every byte of a
// conversation: by a clean end, by an error, and by a reset, which also takes
// away bytes that the server had sent. Each time nothing is lost, nothing
// comes twice, and the order holds. A call without a cursor says that it cannot know.
func TestCutAfterEveryByte(t *testing.T) {
	probe := connected(t, mcp.Config{}).stream("tools/call")
	blocks, _ := transcript(probe.id)
	length := len(strings.Join(blocks, ""))
	runs := 0
	for at := 0; at <= length; at += slow {
		for _, kind := range []string{"clean", "network", "loss"} {
			cutAt(t, at, kind)
			runs++
		}
	}
	t.Logf("%d runs over %d bytes: 0 lost, 0 twice", runs, length)
}

// cutAt plays the conversation with one cut behind that many bytes.
func cutAt(t *testing.T, at int, kind string) {
	o := connected(t, mcp.Config{Seed: uint64(at + 1)}).stream("tools/call")
	blocks, total := transcript(o.id)
	all := strings.Join(blocks, "")
	how := engine.EndNetwork
	switch kind {
	case "clean":
		how = engine.EndClean
	case "loss":
		all = all[:max(at-1-at*37%300, 0)]
	}
	o.send(all[:min(at, len(all))], 1+at%173)
	arrived := min(at, len(all))
	o.cut(how)

	next, end := 0, 0 // the block that the server has to say next
	for next < len(blocks) && end+len(blocks[next]) <= arrived {
		end += len(blocks[next])
		next++
	}
	// A CR ends a block without the LF that may follow it.
	if next < len(blocks) && end+len(blocks[next]) == arrived+1 && strings.HasSuffix(blocks[next], "\r\n") {
		next++
	}
	if next == 0 {
		o.wantFailure(engine.CodeOutcomeUnknown)
		return
	}
	if next < len(blocks) {
		if from, _ := o.resume(); from != fmt.Sprint(next-1) {
			o.fatal("cut at byte %d (%s): resumed from %q, want %d", at, kind, from, next-1)
		}
		o.send(strings.Join(blocks[next:], ""), 1<<20)
		o.cut(engine.EndClean)
	}
	o.wantResult()
	for i, n := range o.call(o.c).numbers() {
		if n != i+1 {
			o.fatal("cut at byte %d (%s): progress %v", at, kind, o.call(o.c).numbers())
		}
	}
	if n := len(o.call(o.c).progress); n != total {
		o.fatal("cut at byte %d (%s): %d of %d progress events", at, kind, n, total)
	}
	o.wantIdle()
}

// send says text in pieces of that size.
func (o *onStream) send(text string, size int) {
	for len(text) > 0 {
		n := min(size, len(text))
		o.say(text[:n])
		text = text[n:]
	}
}
