//go:build !js

// Package acppeer is a scripted ACP agent behind Streamable HTTP and WebSocket,
// written from the notes on the protocol alone, for what the official server does
// not do: older drafts, other servers' ways with streams, and faults.
//
//	p := acppeer.New(t, acppeer.Options{EmptyAck: true, State: "state_change"})
//	... connect a client to p.URL() or p.WebSocketURL(), prompt "count 5 @go" ...
//	p.Waiting("go")
//	p.Pass("go", 2)                    // ⟨1⟩ ⟨2⟩
//	p.Cut("s1", acppeer.Reset)         // "" are the connections' own streams
//	p.Release("go")
//	p.AwaitRequests("GET", 3)
//	p.Counted("s1") == 5; p.Deletes() == 0; len(p.Prompts()) == 1
//
// Sessions are s1, s2, ...; connections connection-1, ...; both outlive streams,
// sessions outlive connections. [Mounted] makes a Peer for somebody else's server.
//
// # Prompts
//
// Unless [Peer.OnPrompt] says otherwise, prompts are [Commands]: count, twice,
// never, nameless, stranger, terminal, permission, ask, withdraw, mute, refuse.
// OnPrompt gets a [Turn], whose methods send what the test wants:
//
//	p.OnPrompt(func(t *acppeer.Turn) {
//		t.Acknowledge()                // before the echo
//		t.Echo()
//		t.Running()
//		t.Chunk("", "no id")
//		q := t.Permission("c1")
//		t.Gate("back")
//		q.Withdraw()                   // $/cancel_request
//		a, ok := t.Wait(q)
//		t.Idle("end_turn")
//		t.Idle("end_turn")             // once more
//	})
//	p.Push("s1", `{"sessionUpdate":"agent_message_chunk",...}`)  // at any time
//	p.PushStray("s1", "nobody", update)                          // of an unknown session
//	p.PushRaw("s1", "event: odd\ndata: x\n\n")
//
// # Drafts
//
// Options name them: EmptyAck ({} for a prompt, and no state after resume), State
// ("state_change"), Version 1, Version 1 with OptIn (a v1 answer with a _meta of
// the test, and v2 turns), NoReplay, NoResume, Early (updates before the answer to
// session/new), ConnectionInResult.
//
// # Streams and faults
//
// A stream buffers while nobody receives and answers a second receiver with 409,
// as the official server does; Options NoBuffer, NewestWins, ForgetOnCut and
// EventIDs (with Last-Event-ID) are other servers' ways. [Peer.Cut],
// [Peer.CutAfter] (bytes) and [Peer.CutAtRandom] (a seed) end streams cleanly,
// with FIN or RST, or stall them; [Peer.Forget], [Peer.Down] and [Peer.Up] are the
// outages. A [Rule] delays or refuses requests, or takes them and loses the answer:
//
//	p.Rule(acppeer.Rule{Kind: "RESPONSE", Status: 500, Times: 1})             // an answer refused
//	p.Rule(acppeer.Rule{Kind: "session/prompt", After: true, Cut: acppeer.Reset, Times: 1})  // taken, 202 lost
//	p.Rule(acppeer.Rule{Kind: "GET", Session: "s1", Gate: "slow"})
//
// [CORS] has the ways that hosts get it wrong: [CORSNone], [CORSAny],
// [CORSHidden], [CORSCredentials], [CORSRust].
//
// # What happened
//
// [Peer.Requests] and [Peer.Of] are the requests, [Peer.Prompts] their texts,
// [Peer.Deletes] the DELETEs, [Peer.Answers] the responses to questions (two for
// one id mean that it was answered twice), [Peer.Sent] every update of a session
// with its serial number and how often it left. The chunks of count are numbered
// over the session, ⟨1⟩ to ⟨[Peer.Counted]⟩, so that a transcript shows what was
// lost and what came twice. Nothing here sleeps.
package acppeer
