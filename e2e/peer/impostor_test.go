//go:build !js

package peer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// Every Impostor really stands where it says: what is to be legacy can be
// initialized, what is to be modern lists tools without it.
func TestImpostors(t *testing.T) {
	plain := &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	for _, i := range peer.Impostors() {
		t.Run(i.Name, func(t *testing.T) {
			canary := peer.NewCanary(t)
			p := i.Start(t, canary)
			now := modern(t, p)
			probe, err := plain.Do(now.request(soon(t), "server/discover", "", "", ""))
			if err != nil {
				t.Fatal(err)
			}
			defer probe.Body.Close()
			then := &client{t: t, url: p.URL(), http: plain}
			init := then.post(
				`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
			opened := init.StatusCode == 200 && strings.Contains(body(init), `"protocolVersion":"2025-11-25"`)
			list, err := plain.Do(now.request(soon(t), "tools/list", "", "", ""))
			if err != nil {
				t.Fatal(err)
			}
			defer list.Body.Close()
			listed := list.StatusCode == 200 && strings.Contains(body(list), `"resultType":"complete"`)
			switch i.Era {
			case peer.Revision20251125:
				equal(t, "can be initialized", opened, true)
			case peer.Revision20260728:
				equal(t, "can list", listed, true)
			default:
				equal(t, "cannot be initialized", opened, false)
			}
			equal(t, "canary", canary.Hits(), 0)
		})
	}
}

func TestCanary(t *testing.T) {
	canary := peer.NewCanary(t)
	p := modernPeer(t)
	p.Lure(canary)
	contains(t, "list", body(modern(t, p).ask("tools/list", "", "", "")),
		`{"$ref":"`+canary.URL+`/schema.json"}`)
	r, _ := http.NewRequest("GET", canary.URL, nil)
	r.Header.Set("Authorization", "Bearer x")
	modern(t, p).send(r)
	equal(t, "hits", canary.Hits(), 1)
	equal(t, "token", canary.SawToken(), true)
}
