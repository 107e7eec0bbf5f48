package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// keeping is a page whose store holds outcomes that nobody has acknowledged.
type keeping struct {
	coretest.MCP
	t *testing.T
}

func newKeeping(t *testing.T, cfg mcp.Config) *keeping {
	t.Helper()
	cfg.Journal, cfg.NoListen = true, true
	k := &keeping{coretest.NewMCP(t, cfg), t}
	k.Handshake("2025-11-25")
	k.stored()
	return k
}

func (k *keeping) stored() {
	for k.Store.Flying() != 0 {
		k.Stored(journal.ResultOK, 0)
	}
}

// ended makes a call that comes to a result of so many bytes.
func (k *keeping) ended(key string, bytes int, flags journal.Flags) {
	k.t.Helper()
	c, _ := k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Key: key, Flags: flags})
	k.stored()
	x := k.Fetched()
	k.Head(x, 200, "content-type", coretest.JSON)
	k.Chunk(x, coretest.Result(coretest.RequestID(k.Request(x)), `{"text":"`+strings.Repeat("x", bytes)+`"}`))
	k.End(x, engine.EndClean)
	k.stored()
	if !strings.Contains(k.Log(), fmt.Sprintf("settle c%d result", c)) {
		k.t.Fatalf("%s does not end\n%s", key, k.Log())
	}
}

// keys are those of the calls in the store.
func (k *keeping) keys() string {
	var keys []string
	for _, call := range k.Store.Calls() {
		keys = append(keys, k.Store.Record(call).Head.Key)
	}
	return strings.Join(keys, " ")
}

// told are the evictions that the app has heard of: why, and which.
func (k *keeping) told() string {
	var told []string
	for _, text := range k.Trace {
		if !strings.HasPrefix(text, "  deliver c0 #0 evicted ") {
			continue
		}
		member := func(name string) string {
			_, value, _ := strings.Cut(text, `"`+name+`":"`)
			value, _, _ = strings.Cut(value, `"`)
			return value
		}
		if !strings.Contains(text, `"method":"tools/call"`) || !strings.Contains(text, `"createdAt":1`) {
			k.t.Errorf("the app is told %s", text)
		}
		told = append(told, member("why")+" "+member("key"))
	}
	return strings.Join(told, ", ")
}

func (k *keeping) want(stored, told string) {
	k.t.Helper()
	if got := k.keys(); got != stored {
		k.t.Errorf("stored are %q, want %q", got, stored)
	}
	if got := k.told(); got != told {
		k.t.Errorf("the app is told %q, want %q", got, told)
	}
}

// Fault 134: where the browser has no room, ten outcomes that wait for the app's ack
// stay, as long as others make room; of those only as many go as it takes. What a
// transaction deletes makes no room in it: they go in one of their own. The app is
// told of each once it is gone, and each is counted; the next page has the others.
func TestFault134_QuotaEvictsJustEnough(t *testing.T) {
	k := newKeeping(t, mcp.Config{})
	for i := range 10 {
		k.ended(fmt.Sprint("m", i), 2_000, journal.ManualAck)
	}
	k.ended("a0", 2_000, 0)
	k.ended("a1", 2_000, 0)
	k.Store.Quota = k.Store.Bytes() + 10
	calls := 0
	next := func(bytes string) { // a call that finds no room
		k.Call("tools/call", `{"name":"work","text":"`+bytes+`"}`,
			mcp.CallOptions{Durable: true, Key: fmt.Sprint("n", calls)})
		calls++
		k.Stored(journal.ResultOK, 0)
	}
	next("")
	k.want("m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 a0 a1", "")
	k.Stored(journal.ResultOK, 0) // what is deleted
	k.want("m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 a1", "quota a0")
	k.stored()
	k.want("m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 a1 n0", "quota a0")
	next(strings.Repeat("x", 3_000))
	k.stored()
	k.want("m1 m2 m3 m4 m5 m6 m7 m8 m9 n0 n1", "quota a0, quota a1, quota m0")
	if n := k.Client.Counters().EvictedCalls; n != 3 {
		t.Errorf("%d are counted", n)
	}
	if strings.Contains(k.Log(), `{"durability":"memory"`) {
		t.Error("the app is told that it is memory from now on")
	}
	// Where that does not help, as the browser counts in its own way, no more of those
	// that wait for the app go: the calls go on in memory.
	k.Store.Quota = 1
	next("")
	for k.Store.Flying() != 0 {
		k.stored()
	}
	k.want("m2 m3 m4 m5 m6 m7 m8 m9 n0 n1", "quota a0, quota a1, quota m0, quota m1")
	if n := strings.Count(k.Log(), `{"durability":"memory","why":"quota"}`); n != 1 {
		t.Errorf("the app is told %d times that it is memory from now on", n)
	}
	told := k.told()
	k.Store.Quota = 0
	k.Reload()
	k.Start()
	k.stored()
	k.want("m2 m3 m4 m5 m6 m7 m8 m9 n0 n1", told)
}

// Fault 134: twice as much goes after each failure of what would be forgotten by itself,
// and of what waits for the app no more than the commit takes, however often it failed.
func TestFault134_QuotaEvictsTwiceAsMuch(t *testing.T) {
	k := newKeeping(t, mcp.Config{})
	for i := range 3 {
		k.ended(fmt.Sprint("m", i), 2_000, journal.ManualAck)
	}
	for i := range 8 {
		k.ended(fmt.Sprint("a", i), 1_000, 0)
	}
	k.Store.Quota = k.Store.Bytes() - 3_500
	k.Call("tools/call", `{"name":"work","text":"`+strings.Repeat("x", 800)+`"}`,
		mcp.CallOptions{Durable: true, Key: "n0"})
	k.stored()
	k.want("m0 m1 m2 a7 n0", "quota a0, quota a1, quota a2, quota a3, quota a4, quota a5, quota a6")
	k.Store.Quota = 1
	k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Key: "n1"})
	k.stored()
	k.want("m1 m2 n0",
		"quota a0, quota a1, quota a2, quota a3, quota a4, quota a5, quota a6, quota a7, quota m0")
}

// Fault 134: where the deletion fails nothing of it is told, and the calls go on in
// memory; where it hangs it is told once it is there after all.
func TestFault134_NoRoomAndNoDeletion(t *testing.T) {
	for name, told := range map[string]string{"fails": "", "hangs": "", "late": "quota m0"} {
		t.Run(name, func(t *testing.T) {
			k := newKeeping(t, mcp.Config{})
			k.ended("m0", 2_000, journal.ManualAck)
			k.Store.Quota = k.Store.Bytes()
			k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
			k.Stored(journal.ResultOK, 0)
			if k.Store.Flying() == 0 {
				t.Fatal("no room is made")
			}
			switch name {
			case "fails":
				k.Stored(journal.ResultFailed, durable.ReasonFailed)
			default:
				k.Advance(durable.CommitWithin)
			}
			k.want("m0", "")
			if !strings.Contains(k.Log(), `{"durability":"memory"`) {
				t.Error("the app is not told that it is memory from now on")
			}
			if name == "late" {
				k.Stored(journal.ResultOK, 0)
				k.want("", told)
			}
			if !strings.Contains(k.Log(), `fetch x4 POST`) {
				t.Error("the call does not go on")
			}
		})
	}
}

// Fault 134: so it is with the limit of the client's own.
func TestFault134_LimitEvictsJustEnough(t *testing.T) {
	k := newKeeping(t, mcp.Config{Limits: mcp.Limits{Stored: 14_000}})
	for i := range 4 {
		k.ended(fmt.Sprint("m", i), 2_000, journal.ManualAck)
	}
	k.ended("a0", 2_000, 0)
	k.ended("a1", 2_000, 0)
	k.want("m0 m1 m2 m3 a0 a1", "")
	k.ended("m4", 3_000, journal.ManualAck)
	k.want("m0 m1 m2 m3 a1 m4", "limit a0")
	k.ended("m5", 4_000, journal.ManualAck)
	k.want("m1 m2 m3 m4 m5", "limit a0, limit a1, limit m0")
	if n := k.Client.Counters().EvictedCalls; n != 3 {
		t.Errorf("%d are counted", n)
	}
}

// Fault 134: what nobody acknowledges is kept for as long as the app says, by a clock
// that two pages have read; each that goes is told and counted.
func TestFault134_Retention(t *testing.T) {
	const week = 7 * day
	for name, c := range map[string]struct {
		retention mcp.Retention
		away      int64
		sound     bool
		told      string
	}{
		"six days":                    {mcp.Retention{}, 6 * day, true, ""},
		"a week":                      {mcp.Retention{}, week, true, "expired ended"},
		"a week, by one clock":        {mcp.Retention{}, week, false, ""},
		"a month":                     {mcp.Retention{}, 30 * day, true, "expired ended, expired running"},
		"a clock 30 days ahead":       {mcp.Retention{}, 30 * day, false, ""},
		"a clock 300 days ahead":      {mcp.Retention{}, 300 * day, false, ""},
		"a clock that has lost power": {mcp.Retention{}, -8000 * day, false, ""},
		"an app that keeps longer":    {mcp.Retention{Ended: 40 * day, Running: -1}, 39 * day, true, ""},
		"and then no longer":          {mcp.Retention{Ended: 40 * day, Running: -1}, 400 * day, true, "expired ended"},
		"an app that keeps an hour": {mcp.Retention{Ended: 3_600_000, Running: 3_600_000}, 3_700_000, true,
			"expired ended, expired running"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeping(t, mcp.Config{Retention: c.retention, Wall: 1_790_000_000_000})
			k.ended("ended", 10, journal.ManualAck)
			k.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true, Key: "running"})
			k.stored()
			k.JumpWall(c.away)
			if c.sound {
				k.SoundWall()
			}
			k.Reload()
			k.Start()
			k.stored()
			left := []string{}
			for _, key := range []string{"ended", "running"} {
				if !strings.Contains(c.told, key) {
					left = append(left, key)
				}
			}
			k.want(strings.Join(left, " "), c.told)
			if n := int(k.Client.Counters().ExpiredCalls); n != 2-len(left) {
				t.Errorf("%d are counted", n)
			}
		})
	}
}
