package sse

import "testing"

// Fault 5. "Once the end of the file is reached, any pending data must be
// discarded" (9.2.6): whatever the stream ends inside of, there is no message,
// no id, and nothing of it in the next connection.
func TestFault05_EOFInsideAnything(t *testing.T) {
	const full = "event: t\nid: 2\nretry: 7\ndata: {\"n\": 12\xE2\x82\xAC}\ndata: 34\r\n\r\n"
	const before = "id: 1\ndata: a\n\n"
	complete := len(full) - len("\n") // the CR ends the block; its LF is extra
	for n := range complete {
		for _, cut := range []cutter{whole, everyByte, cutAt(len(before)), cutAt(len(before) + n/2)} {
			conns := []string{before + full[:n], "data: b\n\n"}
			got := feed(t, Limits{}, conns, cut)
			if len(got.events) != 2 || got.events[0].data != "a" ||
				got.events[1] != (record{kind: Message, data: "b", id: "1", retry: -1}) {
				t.Fatalf("ended after %q: %v", full[:n], got.events)
			}
			if got.lastID != "1" {
				t.Fatalf("ended after %q: adopted id %q", full[:n], got.lastID)
			}
		}
	}
	if got := feed(t, Limits{}, []string{before + full[:complete]}, whole); len(got.events) != 2 ||
		got.lastID != "2" {
		t.Fatalf("complete block: %v", got.events)
	}
}

// EOF with a chunk half read drops the rest, and events of it too.
func TestFault05_EOFBeforeDraining(t *testing.T) {
	p := New(Limits{})
	p.Push([]byte("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"))
	if ev, ok := p.Next(); !ok || string(ev.Data) != "a" {
		t.Fatalf("got %q, %v", ev.Data, ok)
	}
	p.EOF()
	if ev, ok := p.Next(); ok || string(p.LastEventID()) != "1" {
		t.Fatalf("got %q, %v, last event ID %q", ev.Data, ok, p.LastEventID())
	}
}

// Fault 6. An id with NUL is ignored, an empty one clears, one without data is
// adopted at the blank line, one at the end of the stream is not.
func TestFault06_IDs(t *testing.T) {
	f := feeder{t: t, p: New(Limits{})}
	for _, step := range []struct{ push, id string }{
		{"id: 1\n", ""}, {"\n", "1"}, {"id: 2\x00\n\n", "1"}, {"id: 2", "1"}, {"2\ndata: a\n", "1"},
		{"\r", "22"},
		{"\nid\n", "22"}, {"\n", ""}, {"id: 3\n\n", "3"}, {"id:\ndata: x\n\n", ""},
		{"id: 4\n\nid: 5\x00", "4"},
		{"\n\n", "4"}, {": ping\n\n", "4"}, {"data: x\n\n", "4"}, {"id: 6\n", "4"},
	} {
		f.push(step.push)
		if got := string(f.p.LastEventID()); got != step.id {
			t.Fatalf("after %q: last event ID %q, want %q", step.push, got, step.id)
		}
	}
	f.p.EOF()
	if got := string(f.p.LastEventID()); got != "4" {
		t.Errorf("after EOF: %q", got)
	}
	f.p.Reset()
	if f.push("\n\ndata: b\n\n"); string(f.p.LastEventID()) != "4" {
		t.Errorf("next connection: %q", f.p.LastEventID())
	}
}

// A journal gives the ID back to a parser of another page.
func TestFault06_IDsRestored(t *testing.T) {
	p := New(Limits{})
	id := []byte("from the journal")
	p.SetLastEventID(id)
	clear(id)
	p.Push([]byte("data: a\n\nid: 2\n\n"))
	ev, _ := p.Next()
	if string(ev.ID) != "from the journal" || ev.HasID {
		t.Errorf("got id %q, new %v", ev.ID, ev.HasID)
	}
	p.SetLastEventID([]byte("meanwhile"))
	if string(ev.ID) != "from the journal" {
		t.Errorf("SetLastEventID changed an event to %q", ev.ID)
	}
	if string(p.LastEventID()) != "meanwhile" {
		t.Errorf("last event ID %q", p.LastEventID())
	}
	if ev, _ = p.Next(); string(ev.ID) != "2" {
		t.Errorf("got id %q", ev.ID)
	}
	drain(p)
	p.Push([]byte("data: b\n\n"))
	ev, _ = p.Next()
	if p.SetLastEventID([]byte("9")); string(ev.ID) != "2" {
		t.Errorf("SetLastEventID changed an event to %q", ev.ID)
	}
	drain(p)
	p.SetLastEventID(nil)
	p.Push([]byte("data: c\n\n"))
	if ev, _ = p.Next(); len(ev.ID) != 0 || string(ev.Data) != "c" {
		t.Errorf("got id %q", ev.ID)
	}
}

// Fault 7. A priming event (id, retry, data empty or absent) gives its id and
// retry to the caller and is not a message with text (MCP 2025-11-25
// transports, SEP-1699).
func TestFault07_PrimingEvent(t *testing.T) {
	for stream, want := range map[string]record{
		"id: p\nretry: 9\ndata:\n\n":  {kind: Message, id: "p", hasID: true, retry: 9},
		"id: p\nretry: 9\ndata: \n\n": {kind: Message, id: "p", hasID: true, retry: 9},
		"id: p\nretry: 9\ndata\n\n":   {kind: Message, id: "p", hasID: true, retry: 9},
		"id: p\nretry: 9\n\n":         {kind: Bare, id: "p", hasID: true, retry: 9},
		"retry: 9\nid: p\r\n\r\n":     {kind: Bare, id: "p", hasID: true, retry: 9},
		"id: p\n\n":                   {kind: Bare, id: "p", hasID: true, retry: -1},
		"retry: 9\n\n":                {kind: Bare, retry: 9},
	} {
		for _, cut := range []cutter{whole, everyByte} {
			got := feed(t, Limits{}, []string{stream + "data: {}\n\n"}, cut)
			if len(got.events) != 2 || got.events[0] != want {
				t.Fatalf("%q: %v", stream, got.events)
			}
			if next := got.events[1]; next != (record{kind: Message, data: "{}", id: want.id, retry: -1}) {
				t.Errorf("%q: then %v", stream, next)
			}
			if got.lastID != want.id || got.retry != want.retry {
				t.Errorf("%q: id %q, retry %d", stream, got.lastID, got.retry)
			}
		}
	}
	for _, stream := range []string{"\n\n", ": c\n\n", "event: x\n\n", "foo: 1\n\n", "id: \x00\n\n",
		"retry: x\n\n"} {
		if got := feed(t, Limits{}, []string{stream}, whole); len(got.events) != 0 {
			t.Errorf("%q: %v", stream, got.events)
		}
	}
}

// Fault 8. Bogus values are ignored, huge ones neither wrap nor are lost: they
// saturate, and the caller clamps.
func TestFault08_RetryOutOfRange(t *testing.T) {
	for value, want := range map[string]int64{
		"": -1, "-1": -1, "+1": -1, "1.5": -1, "1e3": -1, "0x1": -1, " 1": -1, "1 ": -1, "abc": -1,
		"1\x00": -1, "1/": -1, "1:": -1, "\u0661": -1,
		"0": 0, "1": 1, "010": 10, "2147483648": 1 << 31, "4294967296": 1 << 32,
		"9007199254740991": 1<<53 - 1, "9007199254740992": 1 << 53, "9007199254740993": 1 << 53,
		"9223372036854775807": 1 << 53, "9223372036854775808": 1 << 53, "18446744073709551617": 1 << 53,
		"999999999999999999999999": 1 << 53, "000000000000000000000042": 42,
	} {
		for _, cut := range []cutter{whole, everyByte} {
			want := want
			got := feed(t, Limits{}, []string{"data: a\nretry: " + value + "\n\n"}, cut)
			if len(got.events) != 1 || got.events[0].retry != want || got.retry != want {
				t.Errorf("retry %q: event %v, stream %d, want %d", value, got.events, got.retry, want)
			}
			if want < 0 {
				want = 5 // a bogus one does not undo a good one
			}
			got = feed(t, Limits{}, []string{"retry: 5\nretry: " + value + "\n\n"}, cut)
			if len(got.events) != 1 || got.events[0].retry != want || got.retry != want {
				t.Errorf("retry 5, then %q: event %v, stream %d, want %d", value, got.events, got.retry, want)
			}
		}
	}
}

// "retry ... set the event stream's reconnection time" (9.2.6) is a step of
// the line, not of the dispatch.
func TestFault08_RetryCountsBeforeTheBlankLine(t *testing.T) {
	var p Parser
	if p.Retry() != -1 {
		t.Fatalf("at first %d", p.Retry())
	}
	p.Push([]byte("retry: 25"))
	drain(&p)
	if p.Retry() != -1 {
		t.Fatalf("in mid-line %d", p.Retry())
	}
	p.Push([]byte("0\r"))
	if n, _ := drain(&p); n != 0 || p.Retry() != 250 {
		t.Fatalf("%d events, retry %d", n, p.Retry())
	}
	p.EOF()
	p.Reset()
	if p.Retry() != 250 {
		t.Fatalf("next connection %d", p.Retry())
	}
}

// Fault 10. Every type is passed on as it is; it is the caller who ignores
// unknown ones. A type never outlives its block.
func TestFault10_EventTypes(t *testing.T) {
	for _, typ := range []string{"", "message", "Message", "error", "open", "close", "__proto__",
		"constructor",
		"toString", "endpoint", "größe", "a b", " x", "t\x00u", "data", "\uFFFD"} {
		conns := []string{"event: " + typ + "\ndata: a\n\ndata: b\n\nevent: " + typ + "\n\ndata: c\n\n"}
		for _, cut := range []cutter{whole, everyByte, cutAt(9), cutAt(8 + len(typ))} {
			got := feed(t, Limits{}, conns, cut)
			if len(got.events) != 3 {
				t.Fatalf("type %q: %v", typ, got.events)
			}
			for i, want := range []string{typ, "", ""} {
				if got.events[i].typ != want {
					t.Errorf("type %q: event %d has %q, want %q", typ, i, got.events[i].typ, want)
				}
			}
		}
	}
}
