//go:build !js

// Package peer is a scripted MCP server for tests: modern Streamable HTTP
// (2026-07-28), the legacy kind (2025-11-25, 2025-06-18, 2025-03-26) and HTTP+SSE
// (2024-11-05), with every fault a test asks for. It is a second, independent
// reading of the specification and shares no code with the client under test.
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
// it, only the client's cancellation, DELETE, Expire, Restart (but see
// [ResumePolicy]) and Close do. What
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
// # Revisions and eras
//
//	peer.New(t, peer.Options{})                                      // 2025-11-25
//	peer.New(t, peer.Options{Revision: peer.Revision20250326, Sessionless: true})
//	peer.New(t, peer.Options{Revision: peer.Revision20241105})       // HTTP+SSE
//	peer.New(t, peer.Options{Revision: peer.Revision20260728})       // modern only
//	peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: peer.Revision20251125}) // both
//	peer.New(t, peer.Options{Revision: peer.Revision20260728, Candidate: true})
//	peer.Seed(t)                                                     // a server in the wild
//
// The same scripts run in every era, with what the era changes: on a modern
// server nothing has an id, [Prime] and (unless the request asked) [Log] send
// nothing, [Result] adds resultType and cache hints ([Verbatim] does not), and a
// script ends when the client closes its response, which [Peer.Cancelled]
// counts. What a script or [Peer.CutStreams] cuts goes on without a listener: the
// tool ran, its answer is lost. On HTTP+SSE everything goes to the one stream.
//
// # Modern servers
//
// Every request is checked against its headers, and against the x-mcp-header
// annotations of the tool; what does not fit is refused with the error that the
// specification demands. Rounds are scripts too:
//
//	p.ToolFunc("login", func(c peer.Call) peer.Script {
//		if c.RequestState == "" {
//			return peer.Script{peer.InputRequired(`{"who":`+peer.Elicitation("Who?", schema)+`}`, "state-1")}
//		}
//		return peer.Script{peer.Text(string(c.Input("who", "content", "name")))}
//	})
//	p.Tool("guarded", script, peer.Requires(`{"sampling":{}}`))   // -32021 without
//	p.Cache("tools/list", 60_000, "public")                       // cache hints
//	p.Poison()                                                    // invalid x-mcp-header tools
//
// Subscriptions are answered with [Ack] and [Listening], which a script of
// subscriptions/listen may do otherwise:
//
//	p.Await(ctx, func() bool { return p.Listeners() == 1 })
//	p.Push("notifications/tools/list_changed", "")  // to those who asked; marked as theirs
//	p.Updated("file:///notes.txt")                  // in both eras
//	p.EndListen(true)                               // with a result; false drops
//
// # Features
//
// [Peer.Furnish] adds one of everything: resources, templates, prompts,
// completions, structured content, questions to the client. [Peer.Resource],
// [Peer.Template], [Peer.Prompt], [Peer.Complete] add single ones,
// [Peer.Paging] makes odd pages of the lists, [Batch] sends JSON arrays.
//
// # Calls that outlive the page
//
// [Peer.Oracle] knows what happened to every tools/call, by the label that the
// call brings as its argument "call", over all pages and tabs:
//
//	p.Counting(nil)                       // tool count: progress 1..n, then a result with n
//	... callTool("count", {call: "a", n: 50, every_ms: 20}), reload, kill, reopen ...
//	o := p.Oracle()
//	o.Runs("a") == 1; o.MaxOpenStreams("a") == 1; o.Produced("a") // 1, 2, ... 50
//
// [RandomCuts] and [ResumeFaults] cut by a seed, [Peer.SideEffects] are tools
// that must, or need not, stay unrepeated, [Peer.Asking] asks the user,
// [Peer.CutReplies] loses the receipts of the answers.
//
// [Resumable] makes any tool resumable as SEP-975 has it, for clients that
// declare resumableRequests:
//
//	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Close: peer.FIN}))
//	p.Counting(nil, peer.Resumable(peer.ResumePolicy{Outlives: true})) // Expire and Restart do not end its calls
//	p.OnResumeRequest(func(n int) peer.Fault { return peer.Fault{Cut: peer.FIN} })
//	p.Advance(time.Hour)                  // maxWait passes
//	o.Tokens("a"), o.Statuses("a"), o.Resumes("a"), o.Over("a")
//
// # Tasks
//
// [Peer.Tasks] makes a server of tasks, [AsTask] a tool whose calls become some:
// those of 2025-11-25 in its sessions, SEP-2339 and SEP-1905 if they are switched
// on, and the extension io.modelcontextprotocol/tasks in the modern era. They
// belong to no connection and no session; scripts are the same as ever.
//
//	p.Tasks(peer.TaskServer{})                                      // tasks/get, tasks/result
//	p.Tasks(peer.TaskServer{Ways: peer.ByGet | peer.ByContinue})    // SEP-2339
//	p.Tasks(peer.TaskServer{Modes: []string{"task", "immediate", "streaming"}})  // SEP-1905
//	p.Working(peer.AsTask(peer.TaskPolicy{Poll: 50}))               // tool work: notes, questions, failures
//	p.HelloWorld(peer.AsTask(peer.TaskPolicy{}))                    // the examples' tool
//	p.Narrating(nil, peer.AsTask(peer.TaskPolicy{Streams: &peer.Streaming{
//		Opening: peer.OpenParts, First: 2, Lanes: peer.RandomLanes(seed, true),
//	}}))                                                            // tool tell: segments
//	p.Advance(time.Hour)                                            // TTLs pass, and so does Until
//	p.CutAnswers("tasks/update", peer.FIN)                          // taken, not acknowledged
//
//	o.Tasks("a"), o.Polls("a"), o.Questions("a"), o.Cancels("a"), o.Hasty("a", interval)
//
// Steps for tasks: [Segment], [TextSegment], [Merged], [Note], [PollEvery],
// [Polled], [Input]; for what a server must not do [OddSegment], [Send], [Flush],
// [Spoiling] and TaskServer.Twist.
//
// # Rules
//
// [Peer.Answer] and [Peer.AnswerFunc] replace answers, [Peer.Delay] holds
// requests at gates, [Peer.OnResume] damages resumed GETs, [Peer.Unauthorized]
// challenges, [Peer.Dribble] and [Peer.Buffer] change how bytes leave,
// [Peer.Down], [Peer.Up], [Peer.Restart] and [Peer.Expire] are the outages.
// [Garbage], [DeepJSON] and [Fill] make hostile answers, [Impostors] hostile
// servers for the negotiation, [NewCanary] a server that nobody may talk to.
//
// Gates start closed. Nothing here sleeps: waits are predicates over what the
// Peer saw.
package peer
