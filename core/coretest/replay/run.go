package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// quiet is how long nothing has to happen until a trace counts as played, and hasten how much faster than the
// world the core's clock runs: in between are its own waits, of some seconds.
const (
	quiet  = 1500 * time.Millisecond
	hasten = 40
)

// byItself are requests that the client makes by itself, beside notifications: the app did not.
var byItself = []string{"", "initialize", "server/discover", "subscriptions/listen", "requests/resume",
	"requests/getStatus", "tasks/get", "tasks/result", "tasks/cancel", "tasks/update", "tasks/continue"}

// run plays a trace and writes what the app would see.
func run(from io.Reader, page string, to io.Writer) error {
	trace, err := readTrace(from, page)
	if err != nil {
		return err
	}
	p := newPlayer(trace)
	listens := slices.ContainsFunc(trace, func(x *exchange) bool {
		return x.request.Method == http.MethodGet || messageIn(x.request.Body).Method ==
			"subscriptions/listen"
	})
	h := coretest.NewHost(mcp.Config{URL: "http://replay.invalid/mcp",
		ClientInfo: []byte(`{"name":"replay","version":"1"}`), Seed: 1, NoListen: !listens})
	defer h.Close()
	h.HTTP = &http.Client{Transport: p}
	h.Hasten(hasten)
	h.Input((*mcp.Client).Start)
	written := 0
	show := func() {
		for _, e := range h.Effects()[written:] {
			written++
			fmt.Fprintln(to, coretest.Describe(e))
		}
	}
	if !h.Wait(func(all []engine.Effect) bool {
		return slices.ContainsFunc(all, func(e engine.Effect) bool {
			return e.Kind == engine.State && (strings.Contains(string(e.Data), `"open"`) || e.Failure != nil)
		})
	}) {
		show()
		return fmt.Errorf("the client does not connect; not on record: %q", p.missed)
	}
	show()
	for _, x := range trace {
		asked := messageIn(x.request.Body)
		if x.request.Method != http.MethodPost || len(asked.ID) == 0 ||
			slices.Contains(byItself, asked.Method) {
			continue
		}
		params := withoutToken(asked.Params)
		fmt.Fprintf(to, "call %s %s\n", asked.Method, params)
		h.Input(func(c *mcp.Client, now engine.Time) { c.Call(now, asked.Method, params, mcp.CallOptions{}) })
	}
	for seen := -1; seen != len(h.Effects()); {
		seen = len(h.Effects())
		for waiting := true; waiting; {
			select {
			case <-p.changed:
			case <-time.After(quiet):
				waiting = false
			}
		}
		show()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range trace {
		if !x.played && x.request.Method != http.MethodDelete {
			fmt.Fprintf(to, "not played: %s\n",
				strings.TrimSpace(x.request.Method+" "+messageIn(x.request.Body).Method))
		}
	}
	for _, what := range p.missed {
		fmt.Fprintf(to, "not on record: %s\n", what)
	}
	return nil
}

// withoutToken are a call's params without their _meta, which the client writes by itself.
func withoutToken(params json.RawMessage) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(params, &object) != nil {
		return params
	}
	delete(object, "_meta")
	text, _ := json.Marshal(object)
	return text
}
