//go:build !js

package acpserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
)

// The official client agrees with the agent, in both versions and over both
// transports.
func TestOfficialClient(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	for _, version := range []int{1, 2} {
		for _, url := range []string{s.URL(), s.WebSocketURL()} {
			t.Run(fmt.Sprint(version, url[:2]), func(t *testing.T) {
				o := acpserver.StartOfficial(t, url, version)
				o.Prompt("count 5; tool; think; plan; facts; permission")
				report := o.Await("end of the turn", func(r acpserver.Report) bool {
					return version == 1 && len(r.Results) == 1 || slices.Contains(r.States, "idle end_turn")
				})
				if report.Text != counted(5)+"allowed: once" || report.Asked != 1 || len(report.Errors) > 0 {
					t.Errorf("it saw %+v", report)
				}
				if version == 2 && !slices.Equal(report.States,
					[]string{"running", "requires_action", "running", "idle end_turn"}) {
					t.Errorf("the states were %q", report.States)
				}
				o.Close()
				o.Await("end", func(r acpserver.Report) bool { return r.Closed })
			})
		}
	}
}

func TestOfficialClientResumes(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	first := acpserver.StartOfficial(t, s.URL(), 2)
	first.Prompt("count 5")
	first.Await("idle", func(r acpserver.Report) bool { return slices.Contains(r.States, "idle end_turn") })
	second := acpserver.StartOfficial(t, s.URL(), 2)
	second.Resume(first.Report().Session)
	if r := second.Await("replay", func(r acpserver.Report) bool { return len(r.Results) == 1 }); r.Text !=
		counted(5) {
		t.Errorf("the replay was %+v", r)
	}
}

// What the official client makes of cuts, which is what ours is measured against:
// after a clean end of the session's stream it stops and says nothing until the
// next prompt; after a reset it gives up the connection, with a DELETE, and has
// no way back.
func TestOfficialClientAndCuts(t *testing.T) {
	for _, how := range []string{acpserver.Clean, acpserver.Reset} {
		t.Run(how, func(t *testing.T) {
			s := acpserver.Start(t, acpserver.Options{})
			o := acpserver.StartOfficial(t, s.URL(), 2)
			o.Prompt("count 40 @go")
			s.Pass("go", 20)
			o.Await("half of it", func(r acpserver.Report) bool { return r.Text == counted(20) })
			if n := s.Cut(acpserver.Cut{Session: "s1", How: how}); n != 1 {
				t.Fatalf("cut %d streams", n)
			}
			if how == acpserver.Reset {
				// Only once it has seen the reset does the rest follow.
				o.Await("end of the connection", func(r acpserver.Report) bool { return r.Closed })
				s.Await("DELETE",
					func(log []acpserver.Entry) bool { return len(acpserver.Requests(log, "DELETE")) == 1 })
			}
			s.Release("go")
			s.AwaitKind("idle", 1)
			if how == acpserver.Clean {
				// The turn is over, and a round trip later it still has not looked.
				o.List()
				o.Await("answer",
					func(r acpserver.Report) bool { return slices.Contains(r.Results, "1 sessions") })
			}
			report := o.Report()
			deletes := len(acpserver.Requests(s.Log(), "DELETE"))
			line, err := json.Marshal(report)
			t.Logf("%s after 20 of 40 (%d DELETE): %s %v", how, deletes, line, err)
			if report.Kinds["agent_message_chunk"] != 20 || slices.Contains(report.States, "idle end_turn") {
				t.Errorf("it went on: %+v", report)
			}
			if closed := how == acpserver.Reset; report.Closed != closed || (deletes == 1) != closed {
				t.Errorf("%d DELETE, closed: %v", deletes, report.Closed)
			}
			if how == acpserver.Clean {
				// The next prompt opens the stream again, and brings what it missed.
				o.Prompt("count 1")
				late := o.Await("second idle", func(r acpserver.Report) bool { return len(r.States) == 4 })
				if late.Text != counted(40)+counted(1) {
					t.Errorf("in the end it has %q", late.Text)
				}
			}
		})
	}
}

// A WebSocket's end is the connection's end; the session outlives both.
func TestOfficialClientAndClosedSocket(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	o := acpserver.StartOfficial(t, s.WebSocketURL(), 2)
	o.Prompt("count 3 @go")
	s.Pass("go", 1)
	o.Await("a chunk", func(r acpserver.Report) bool { return r.Text == counted(1) })
	if n := s.Cut(acpserver.Cut{How: acpserver.Clean}); n != 1 {
		t.Fatalf("cut %d sockets", n)
	}
	o.Await("end", func(r acpserver.Report) bool { return r.Closed })
	s.AwaitKind("peer-closed", 1)
	s.Release("go")
	s.AwaitKind("idle", 1)
	again := acpserver.StartOfficial(t, s.WebSocketURL(), 2)
	again.Resume("s1")
	again.Await("replay", func(r acpserver.Report) bool { return r.Text == counted(3) })
}

// What the client has not declared it is not asked.
func TestOfficialClientIsNotElicited(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	o := acpserver.StartOfficial(t, s.URL(), 2)
	o.Prompt("ask")
	r := o.Await("idle", func(r acpserver.Report) bool { return slices.Contains(r.States, "idle end_turn") })
	if r.Text != `answer: "nobody here can be asked that"` || len(s.Of("ask")) != 0 {
		t.Errorf("it saw %+v", r)
	}
}
