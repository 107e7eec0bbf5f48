package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// refusesVersion is what a server says of a version that it does not speak, in the words of the
// specification's example (2025-11-25 basic/lifecycle, Error Handling).
func refusesVersion(supported string) string {
	return `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":` + supported + `,"requested":"2025-11-25"}}}`
}

// Fault 580: a server refuses to initialize in a version that it does not speak, and names
// those that it does: with 200, or with 400. It is asked once more, in the newest of
// them that this client speaks; where there is none, connecting fails.
func TestFault580_VersionRefused(t *testing.T) {
	for _, status := range []int{200, 400} {
		for _, cfg := range []mcp.Config{{Revision: "auto", NoListen: true}, {Revision: "auto", Assume: "2025-11-25", NoListen: true}} {
			for supported, want := range map[string]string{
				`["2024-11-05","2025-06-18","2025-03-26"]`: "2025-06-18", `["2025-03-26"]`: "2025-03-26",
				`["2099-01-01"]`: "", `[]`: "", `["2025-11-25"]`: "",
			} {
				r := newRig(t, cfg)
				r.Start()
				if cfg.Assume == "" {
					r.refuse(r.Newest(), answered400["method not found"])
				}
				first := r.Newest()
				r.Head(first, status, "content-type", coretest.JSON)
				r.Chunk(first, strings.ReplaceAll(refusesVersion(supported), "$ID", coretest.RequestID(r.Exchange(first).Request)))
				r.End(first, engine.EndClean)
				again := r.Newest()
				body := string(r.Exchange(again).Request.Body)
				if want == "" {
					if strings.Contains(body, `"initialize"`) && again != first {
						r.fatal("%d, %s: asked again by %s", status, supported, body)
					}
					continue
				}
				if again == first || !strings.Contains(body, `"initialize","params":{"protocolVersion":"`+want+`"`) {
					r.fatal("%d, %s: %s follows, want an initialize in %s", status, supported, body, want)
				}
				r.Head(again, 200, "content-type", coretest.JSON)
				r.Chunk(again, coretest.Result(coretest.RequestID(r.Exchange(again).Request), `{"protocolVersion":"`+want+`","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`))
				r.End(again, engine.EndClean)
				r.Head(r.Newest(), 202)
				if last := r.states[len(r.states)-1]; !strings.Contains(last, `"revision":"`+want+`"`) {
					r.fatal("%d, %s: the state is %s", status, supported, last)
				}
			}
		}
	}
}
