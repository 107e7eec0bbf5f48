//go:build !js

package main

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
)

// serverName is the server's among the contenders' in the results.
const serverName = "server"

// measureServer takes what the server does by itself, with a client that throws
// everything away: were it slow, all contenders would look alike.
func measureServer(f *field, r *results, s settings) error {
	address := f.entrants[0].site.URL + "/mcp"
	for range s.rounds {
		for _, l := range loads(s.events) {
			if l.Each {
				continue // the same to the server
			}
			took, err := drain(address, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
				`"params":{"name":"burst","arguments":{"count":%d,"size":%d},"_meta":{"progressToken":1}}}`,
				l.Count, l.Size))
			if err != nil {
				return err
			}
			r.add(serverName, l.name+" rate", float64(l.Count)/took.Seconds())
		}
		var all time.Duration
		for range s.calls {
			took, err := drain(address, `{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
				`"params":{"name":"echo","arguments":{"text":"ping"}}}`)
			if err != nil {
				return err
			}
			all += took
		}
		r.add(serverName, "calls", float64(s.calls)/all.Seconds())
	}
	return nil
}

// drain posts a request and reads the answer to its end.
func drain(address, body string) (time.Duration, error) {
	began := time.Now()
	response, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return time.Since(began), err
}

// alone says how fast the server is by itself; "" where that was not measured.
func (r *results) alone() string {
	if math.IsNaN(r.median(serverName, "calls")) {
		return ""
	}
	text := "The server by itself, to a Go client that throws everything away:"
	for _, l := range loads(0)[:2] {
		text += fmt.Sprintf(" %s %s a second", grouped(r.median(serverName, l.name+" rate"), 0), l.title)
		text += ","
	}
	return text + fmt.Sprintf(" %s small calls/s, one after another.",
		grouped(r.median(serverName, "calls"), 0))
}
