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

// TestFault134_NoRoomForTheNextCall: outcomes wait for the app's ack, and two for
// somebody who takes them, until the browser has no room for another one. The two go
// first, then no more than that one takes, though Chrome may have no room then either.
// Whatever goes the app is told of, once it is gone; what it was not told of the next
// page has.
func TestFault134_NoRoomForTheNextCall(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	noise := make([]byte, 75_000) // the browser compresses what it stores
	_, _ = rand.Read(noise)
	large := base64.StdEncoding.EncodeToString(noise)
	r.p.ToolFunc("keep", func(peer.Call) peer.Script { return peer.Script{peer.Text(large)} })
	meter := r.profile.Open(r.site.URL)
	quota := 1_500_000.0
	chrome.Call(meter, storage.OverrideQuotaForOrigin,
		storage.OverrideQuotaForOriginParams{Origin: r.site.URL, QuotaSize: &quota})
	page := r.open()
	begin(page)
	got := chrome.Script[struct {
		Made, Counted, Outcomes int
		Memory                  bool
		Evicted                 []string
	}](page, `
		window.evicted = [];
		mcp.on("evicted", (call) => evicted.push(call));
		for (const key of ["a0", "a1"]) mcp.callTool("keep", {}, { key });
		const ended = (tx, got) => got(tx.objectStore("log").getAll()).then((rows) => rows.filter((row) => row.ended).length);
		while ((await raw("readonly", ended)) < 2);
		let made = 0;
		while (made < 60 && evicted.length === 0 && mcp.durability !== "memory") await mcp.callTool("keep", {}, { key: "m" + made++ + ".", ack: "manual" }).result;
		const all = await mcp.calls();
		const outcomes = await Promise.all(all.filter(({ key }) => key.startsWith("m")).map((call) => call.result));
		return { made, counted: mcp.counters.evictedCalls, outcomes: outcomes.length, memory: mcp.durability === "memory",
			evicted: evicted.map(({ why, key, ended }) => [why, key, ended].join(" ")) };`)
	if got.Made < 5 || got.Made == 60 || got.Counted != len(got.Evicted) || got.Outcomes != got.Made {
		t.Errorf("got %+v", got)
	}
	// Each takes about as much as another. Where the first has not made room, all are asked.
	order := []string{"quota a0 true", "quota a1 true", "quota m0. true"}
	if n := len(got.Evicted); n == 0 || n > len(order) || !slices.Equal(got.Evicted, order[:n]) ||
		got.Memory && n < 3 {
		t.Errorf("evicted are %v", got.Evicted)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	begin(page)
	left := chrome.Eval[[]string](page, `calls.map(({ key }) => key)`)
	keys := []string{"a0", "a1"}
	for i := range got.Made {
		keys = append(keys, fmt.Sprintf("m%d.", i))
	}
	if last := len(keys) - 1; got.Memory {
		keys = keys[:last] // the call that found no room has gone on in memory
	}
	for _, key := range keys {
		if told, stored := slices.Contains(got.Evicted, "quota "+key+" true"),
			slices.Contains(left, key); told == stored {
			t.Errorf("%s: told %v, stored %v", key, told, stored)
		}
	}
	t.Logf("%+v; left %v", got, left)
}

// TestFault570_PageThatComesWhereThereIsNoRoom: a page is loaded again on a disk that is full. It shows what
// is stored, an outcome that waits for the app and a call under way; that one goes on once there is room.
func TestFault570_PageThatComesWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	r.p.ToolFunc("keep", func(peer.Call) peer.Script { return peer.Script{peer.Text("kept")} })
	room := func(quota *float64) {
		meter := r.profile.Open(r.site.URL)
		chrome.Call(meter, storage.OverrideQuotaForOrigin,
			storage.OverrideQuotaForOriginParams{Origin: r.site.URL, QuotaSize: quota})
	}
	page := r.open()
	begin(page)
	chrome.Script[chrome.Void](page,
		`await mcp.callTool("keep", {}, { key: "outcome", ack: "manual" }).result;`)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	none := 1.0
	room(&none)
	page.Reload()
	page.WaitFor(`window.ready`)
	if n := begin(page); n != 2 {
		t.Fatalf("%d calls came back", n)
	}
	if got := chrome.Script[string](page,
		`return (await calls.find(({ key }) => key === "outcome").result).content[0].text;`); got != "kept" {
		t.Errorf("the outcome is %q", got)
	}
	chrome.Eval[chrome.Void](page, `void watch(calls.find(({ key }) => key !== "outcome"))`)
	page.WaitFor(`seen.progress.length === 2`)
	room(nil)
	for range 3 {
		r.p.Pass("go")
	}
	outcome(t, page, "")
	counted(t, page, 4)
	if n := r.p.Oracle().Runs("a"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}
