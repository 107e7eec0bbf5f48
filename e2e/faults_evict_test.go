//go:build !js

package e2e

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/storage"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault134_NoRoomForTheNextCall: outcomes wait for the app's ack, until the
// browser has no room for another one. Whatever goes for it the app is told of, once it
// is gone; what it was not told of the next page has.
func TestFault134_NoRoomForTheNextCall(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	noise := make([]byte, 75_000) // the browser compresses what it stores
	_, _ = rand.Read(noise)
	large := base64.StdEncoding.EncodeToString(noise)
	r.p.ToolFunc("keep", func(peer.Call) peer.Script { return peer.Script{peer.Text(large)} })
	meter := r.profile.Open(r.site.URL)
	quota := 1_500_000.0
	chrome.Call(meter, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: r.site.URL, QuotaSize: &quota})
	page := r.open()
	begin(page)
	got := chrome.Script[struct {
		Made, Counted, Outcomes int
		Memory                  bool
		Evicted                 []string
	}](page, `
		window.evicted = [];
		mcp.on("evicted", (call) => evicted.push(call));
		let made = 0;
		while (made < 60 && evicted.length === 0 && mcp.durability !== "memory") await mcp.callTool("keep", {}, { key: "m" + made++ + ".", ack: "manual" }).result;
		const outcomes = await Promise.all((await mcp.calls()).map((call) => call.result));
		return { made, counted: mcp.counters.evictedCalls, outcomes: outcomes.length, memory: mcp.durability === "memory",
			evicted: evicted.map(({ why, key, ended }) => [why, key, ended].join(" ")) };`)
	if got.Made < 5 || got.Made == 60 || got.Counted != len(got.Evicted) || got.Outcomes != got.Made || !got.Memory && got.Counted == 0 {
		t.Errorf("got %+v", got)
	}
	if !got.Memory && got.Counted > got.Made/2 {
		t.Errorf("%d of %d go for one", got.Counted, got.Made)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	begin(page)
	left := chrome.Eval[[]string](page, `calls.map(({ key }) => key)`)
	for i := range got.Made - 1 {
		key := fmt.Sprintf("m%d.", i)
		if told, stored := slices.Contains(got.Evicted, "quota "+key+" true"), slices.Contains(left, key); told == stored {
			t.Errorf("%s: told %v, stored %v", key, told, stored)
		}
	}
	t.Logf("%+v; left %v", got, left)
}
