//go:build !js

package sse

import "testing"

// FuzzParser compares the parser with the reference reader on any bytes, split
// by any plan. The plan's bytes are the lengths of the chunks, over and over.
// Odd plans end the connection half-way and go on in a second one.
func FuzzParser(f *testing.F) {
	for i, v := range loadVectors(f) {
		for _, conn := range v.conns {
			f.Add([]byte(conn), []byte{byte(i % 7), 3, 1, byte(i), 0})
		}
	}
	f.Fuzz(func(t *testing.T, stream, plan []byte) {
		conns := []string{string(stream)}
		if len(plan)%2 == 1 {
			conns = []string{string(stream[:len(stream)/2]), string(stream[len(stream)/2:])}
		}
		want := reference(conns)
		for name, cut := range map[string]cutter{"whole": whole, "bytes": everyByte, "plan": planned(plan)} {
			if diff := want.diff(feed(t, Limits{}, conns, cut)); diff != "" {
				t.Fatalf("%s %v: %s", name, plan, diff)
			}
		}
		// Limits: the same error, and the same events before it, in any chunking.
		limits := Limits{Line: 1 + len(plan)%20, Event: 1 + len(stream)%20}
		limited := feed(t, limits, conns, whole)
		for name, cut := range map[string]cutter{"bytes": everyByte, "plan": planned(plan)} {
			if diff := limited.diff(feed(t, limits, conns, cut)); diff != "" {
				t.Fatalf("limits %+v, %s %v: %s", limits, name, plan, diff)
			}
		}
		if limited.err != "" {
			return
		}
		for _, ev := range limited.events {
			if len(ev.data) > limits.Event {
				t.Fatalf("limits %+v: %v", limits, ev)
			}
		}
	})
}

// planned cuts by the plan; one that would never end becomes byte by byte.
func planned(plan []byte) cutter {
	sum, i := 0, -1
	for _, n := range plan {
		sum += int(n)
	}
	if sum == 0 {
		return everyByte
	}
	return func(int, int) int {
		i++
		return int(plan[i%len(plan)])
	}
}
