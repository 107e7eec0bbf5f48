package sse_test

import (
	"fmt"

	"github.com/holdfast-mcp/holdfast/core/sse"
)

// A stream arrives in two chunks, cut inside a word. It starts with a priming
// event, whose id is adopted although there is no message yet.
func Example() {
	p := sse.New(sse.Limits{})
	for _, chunk := range []string{"id: s1\nretry: 500\n\nid: s2\nda", "ta: {\"a\":\ndata: 1}\n\n"} {
		p.Push([]byte(chunk))
		for {
			ev, ok := p.Next()
			if !ok {
				break
			}
			fmt.Printf("%v id=%q data=%q\n", ev.Kind, ev.ID, ev.Data)
		}
		if err := p.Err(); err != nil {
			fmt.Println(err)
			return
		}
	}
	p.EOF()
	fmt.Printf("resume after %q, wait %d ms\n", p.LastEventID(), p.Retry())
	// Output:
	// bare id="s1" data=""
	// message id="s2" data="{\"a\":\n1}"
	// resume after "s2", wait 500 ms
}
