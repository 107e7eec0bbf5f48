//go:build !js

// Package peer is a scripted MCP server for tests: Streamable HTTP in the
// revisions 2025-11-25, 2025-06-18 and 2025-03-26, with every fault a test asks
// for. It is a second, independent reading of the specification and shares no
// code with the client under test.
//
//	p := peer.New(t, peer.Options{})
//	p.Tool("steps", peer.Script{
//		peer.Prime(0),                 // id + "retry: 0" + empty data
//		peer.Progress(1, 3, "one"),
//		peer.Gate("cut"),              // until p.Release("cut")
//		peer.Cut(peer.FIN),            // the connection dies, the script goes on
//		peer.Progress(2, 3, "two"),    // stored; replayed to whoever resumes
//		peer.Resumed(),                // until somebody has resumed
//		peer.Text("done"),
//	}, peer.ReadOnly)
//
//	... connect a client to p.URL(), call steps ...
//	p.Waiting("cut")                   // the script got there
//	p.Release("cut")
//	p.WaitRequests(ctx, func([]peer.Request) bool { return len(p.Of("RESUME")) == 1 })
//	if p.Ran("steps") != 1 || len(p.Violations()) > 0 { ... }
//
// # Scripts
//
// A [Script] runs once per request, on its own: a cut connection never stops
// it, only notifications/cancelled, DELETE, Expire, Restart and Close do. What
// it sends is stored under the ids s3-0, s3-1, ... (stream s3) and goes to the
// connection that carries the stream at that moment, if one does. A GET with
// Last-Event-ID gets what came after that id, priming events excepted, and then
// carries the stream. The stream ends with the script, answered or not.
//
// Steps that send a stored event: [Prime], [Progress], [Log], [Notify], [Ask],
// [Message], [Event], [Result], [Text], [Error]; [ID] chooses the id of the
// next one, [Torn] lets the connection die in the middle of one. Steps that
// touch the connection only: [Open], [Cut], [Raw], [Comment], [Retry],
// [Respond]. Steps that wait: [Gate], [Resumed], [Reply], [Silence].
//
// Headers leave with the first event or with [Open]. tools/call answers with an
// event stream and everything else with JSON, unless [Peer.Form] or the trait
// [AsJSON] says otherwise.
//
// # Rules
//
// [Peer.Answer] and [Peer.AnswerFunc] replace answers, [Peer.Delay] holds
// requests at gates, [Peer.OnResume] damages resumed GETs, [Peer.Unauthorized]
// challenges, [Peer.Dribble] and [Peer.Buffer] change how bytes leave,
// [Peer.Down], [Peer.Up], [Peer.Restart] and [Peer.Expire] are the outages.
// [Garbage], [DeepJSON] and [Fill] make hostile answers.
//
// Gates start closed. Nothing here sleeps: waits are predicates over what the
// Peer saw.
package peer
