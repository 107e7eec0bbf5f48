// What is weighed of what is built, and how much each may be: `make size` prints it (printsize.mjs), and `make figures`
// writes what the pages say of it (figures.mjs).
import { appBundle } from "./appbundle.mjs";
import { chunk, loaded } from "./chunks.mjs";

// Bytes of brotli -11. A budget is what was reached and room for a few fixes: a
// change that breaks it either is worth its bytes, which its author then says
// here, or is not. The goal is where the file should be.
//
// What a page loads is the wasm and one of these: an app's bundle has of the module
// what connect() and calls need; the module has what connectAgent needs as well; the script
// has everything. Where the runtime is in a worker, the worker has the wasm and its own script.
//
// 1.1 KB of the module are for a page that comes back to many calls: a thousand that
// have ended change hands in one transaction (storage/heirs.ts), and are not taken
// apart before somebody reads them. It had taken ten times as long.
// 0.2 KB are for the app's word on whether a call may be run again (rerun).
// 0.7 KB, and 2 KB of the wasm, are for ack() that says when it is stored, and for an
// outcome that counts as acknowledged only once its app could act on it.
// 0.6 KB, and 2 KB of the wasm, are for keys that the store gives, so that two tabs make one
// call of them (storage/callkeys.ts).
// 5 KB of the wasm are for calls that wait: how long they may, and that one which ended
// without having left is sent by no later page (unsent).
// 0.5 KB are for a close() that leaves no dead session behind, a connect that fails and
// leaves nothing open, and stored() after the end (tabs/sessionuse.ts); 0.1 KB of the
// diagnosis, for a cut that is not taken for a rule.
// 1.4 KB, and 0.7 KB of the wasm, are for the stores of users who follow each other in a page, and
// for tokens that need the network.
// 0.6 KB are for the idempotency key, and for replay(), which makes the same request with
// all that the app had said of it.
// 0.7 KB, and 1 KB of the wasm, are for budgets in bytes of what waits for readers, and
// of what a page hears while it sleeps.
// 1 KB is for the sweep of what nobody comes back to (storage/sweep.ts).
// 0.4 KB, and 1 KB of the wasm, are for evictions and ages that are told (storage/clock.ts).
// 1 KB of the wasm is for resume tokens in the next session, and 2 KB for how differently
// the same code compresses: a change elsewhere moves the figure by as much.
// 0.3 KB are for numbers that no option can mean, and for telling a slip in a token provider
// from a network that is missing.
// 3.3 KB are for pages that connect again and again: one client, and views of it with
// their own handlers, tokens, listeners and calls (client/openclient.ts, clientview.ts, sharedcall.ts).
// 3 KB of the wasm are for the deletions that make room before a commit is tried again.
// 0.15 KB are for globals that stay as they are (runtime/goscope.ts).
// 0.3 KB, and 4 KB of the wasm, are for a call with a key that waits for the store, for a store
// that does not delete, and for calls of a runtime that has exited (client/livecontrol.ts).
// 1.2 KB are for events that a slow reader gets from the store (client/storedevents.ts), and for
// telling what is not there in its place.
// 0.7 KB are for two builds on one origin: what this one cannot read it gives up, and
// leaves alone, its keys and its session included; 4 KB of the wasm.
// 11 KB of the wasm are for who carries a call, which was 1.4 KB of the module (core/tabs).
// 4.5 KB of the module are for hosts beside the page (web/src/host): the messages to a worker and back,
// with the checks of what arrives. All of the runtime is once more in holdfast-worker.mjs, which
// only a page with such a host loads, and no page's main thread parses.
// 0.5 KB are for a page whose worker dies: what it makes, asks and deletes meanwhile waits for the next
// worker (host/remotebackend.ts); and for what an app gives, as data that can cross.
// 0.1 KB of the script are for its one file being that of the chunks as well.
// 0.9 KB are for the choice of a host (host/choice.ts): why there is no worker, by a name and in words, and
// with "auto" the page in its place.
// 0.2 KB are for an agent that says which host it is in, and may be in another than the page.
// 0.3 KB are for the page that is asked on its own calls, for a logout after close() in a shared host, and
// for calls that a worker need not keep for replay(); 0.8 KB of the worker, for what waits for a frozen page
// and what a worker knows of the one before it (host/waitingmessages.ts, storage/revisionrows.ts).
// 0.1 KB of the script are for events of one message that are parsed together (host/eventbatch.ts): a tenth to a third
// less of the main thread for each event of a page in a shared host.
// The page's own host is a chunk, so that a page whose runtime is in a worker never runs its 37 KB;
// a page with its own host pays for it with 4 KB, since several files compress less well than one.
// An agent's runtime may be in a worker as well: 7 KB of the worker, most of them the agent's client, and
// 0.8 KB of the script; what the two hosts of agents have in common are chunks, which cost the others 0.8 KB.
// 0.3 KB are for a chunk that comes with the second try in Chromium too (connect/loadchunk.ts), and for users who
// change, or log out, while a worker is being replaced (host/remoteclient.ts); 0.2 KB of the worker for a page that hangs.
// 1.4 KB of the wasm are for a second and a third cut in a row, which are mended five and three times as soon.
// Where the runtime is in a worker, a page has 8 KB before that starts, and not 20: the rest of its side is a chunk,
// which comes while the worker does. The module's own part is one file, and what several chunks have in common is
// less in pieces: the page with its own host has 6 KB less. The script has 0.2 KB for what it does without.
// 0.1 KB of the worker are for the number of the build: it alone moves the figure by as much.
// 0.9 KB of the module and 2.6 KB of the script are for signing in with OAuth: oauth() with the check of its
// options, a client that awaits a sign-in, requests that another sends for the core, and a wipe that signs out; a bundle
// of connect() has next to nothing of it. A page with its own host pays 1.2 KB more, since what a sign-in shares with the
// store is a file of its own. What a client asks of a sign-in is a chunk, and so is the sign-in itself: no page loads
// them that brings a token. 0.4 KB of the worker and 0.6 KB of the wasm are for calls that wait for a sign-in, over reloads
// too: the server has refused them, they did not run, and a page that loads later sends them once somebody has signed in.
// 0.6 KB of the chunk of the sign-in are for tokens that are in the memory of one page alone, and for what ends them there
// when somebody signs out elsewhere (auth/splitstore.ts).
// 0.1 KB of the chunk of clients with auth are for a wipe that waits for no authorization server: it has what was stored,
// and opens it after that (storage/authrows.ts). 0.1 KB of the sign-in are for answers that come where another server's is first.
// 0.2 KB of the chunk of clients with auth are for users who follow each other in another tab, and for what a person said no to.
// 0.3 KB of it are for a token that is long on its way (the store says that the call did not run), and for clients that
// are closed, and pages that nobody sees, which ask nobody. 0.8 KB of the sign-in are for a hint on each of its errors, an
// authorization server that has forgotten its client, a blocked window whose person comes the next day, and a page without a store.
// 0.2 KB of the script are for questions for a token that end with their client.
// 1.4 KB of the worker, and 0.2 KB of the script, are for agents there: what a page gets of a long session and how
// far it has got, what is kept for one that is frozen, and numbers of questions that no runtime gives (host/sessionfeed.ts).
// 2.1 KB of what a page loads with its host, and 1.2 KB of the script, are for what an app gets wrong: names and kinds of all
// options and events (shared/kinds.ts and its tables), a tool called in the words of the official client, an id of each call, and
// handlers that fail. 0.1 KB of the module are for the names of oauth()'s options. 0.3 KB of the page host are for an app's own fetch.
// 0.4 KB of the module and the script, and 0.2 KB of the page host and the worker, are for apps as people build them: files that Vite 5 to 7 and classic
// scripts leave behind are found (runtime/located.ts), and what is not there is named with the bundler's line (runtime/whereserved.ts).
// 58 KB less are of the wasm since what no page can use of Go's runtime is left out of it (wasmbuild/runtime.go).
// The page's side of a worker is one file, of each kind of client: a second page asks once and connects sooner. A page that
// has both kinds has 13 KB twice. 0.2 KB of the page host, the script and the worker are for second tries of the validator and the
// sign-in, for what may have run where a worker dies, and for a page that comes while its worker waits after failures.
// 0.9 KB of the sign-in, and 0.3 KB of what clients with auth load, are for flows that are over when their person comes, for a
// client that stays until another is registered, and for a chunk of the sign-in that does not come. 0.3 KB of the page host and the
// script are for capabilities that an app declares and the errors of its handlers (holdfast/transport), and for an own fetch that gives
// what nobody can read. 2.2 KB of the wasm are for those, and for a page that comes after an outage: what waits is tried at once.
// 103 KB less are of the wasm that a page of MCP clients loads: what is spoken to agents is in one of its own, which has MCP as
// well (wasm/mcponly.go). 0.15 KB of the module, the script and the worker are for two files and the rule which of them a client has
// (runtime/loadruntime.ts). 0.2 KB of the module and the script are for preload() (host/preload.ts), which an app that does not call it has not.
// holdfast-store.mjs and holdfast-react.mjs are for apps that import them, and nobody else loads them: they have none of the module in them.
// 0.2 KB of the page's side and the script are for a worker that was silent before (host/silentworkers.ts), and for one
// that cannot be replaced; 2.7 KB of the wasm for pages that come while it waits, and for what an app's fetch has read.
// Clients with auth may be in a worker: 2.8 KB of the worker, which asks pages for windows and has what a client asks of its sign-in
// (host/hostsignin.ts, signin/authorization.ts), 1.2 KB of the script for the page's side of it (host/remotesignin.ts), which is a chunk of 1 KB and 3.6 KB that it has in common with that
// of the sign-in, in a file of its own: together that weighs 1.1 KB more. 0.2 KB of the module and of the page's side are for the way there.
// 0.1 KB of the worker are for clients that take the place of others and wait for somebody to sign in (host/remoteclient.ts). 0.2 KB of the
// sign-in, and 0.1 KB of clients with auth, are for pages that are sent round and round (auth/rounds.ts), and for windows whose page
// does not connect: their answers go to whoever opened them.
// Less than 0.5 KB of the wasm are for the trace of a call, which its polls and resumes say as well (core/mcp/trace_context.go), and some
// 20 bytes of the page's side for what becomes of its stream, which a span hears (client/calllisteners.ts).
// holdfast-tools.mjs, -ai, -hub, -trace, -testing, -diagnose, -recorder and -record are files as -store and -react are: an app that does not import them has nothing of them.
// 0.05 KB of the worker are for events of a fast stream that cross in fewer messages (host/portoutbox.ts).
// What is stored later, or never, since nobody needs it yet (core/mcp/store_deferred.go, core/tabs/alone.go), takes at most 4.7 KB
// of each wasm (574.4 and 679.1 KB before it, and before faults 350 and 351): a kept call is one transaction for that and not
// three, and one that only reads is none. 0.1 KB of the worker is for the timers and Requests that small calls share.
// 3 KB of the wasm for agents, and 0.03 KB of their pages, are for turns that have not begun, and logs that are read again
// (core/acp/session_reread.go).
// 0.3 KB of the page host, the page's side, the script and the worker are for calls of a worker that has ended, which reach nothing of
// the next one, for arguments that are kept as they were sent, and for whatever the code of an app throws.
const app = appBundle();
const module = "web/dist/holdfast.mjs";
const pageHost = (of) => [...new Set([...loaded(of), ...loaded(chunk(of, "connect"))])];
const pageSide = (of) => [...new Set([...loaded(of), ...loaded(chunk(of, "connectthere"))])];
const beside = (name, others, of = module) => [...loaded(chunk(of, name))].filter((path) => !new Set(others).has(path));
// 0.3 KB of the page host, the script and the worker, and 0.3 KB of the wasm, are for browsers that show a head with the first
// byte behind it, that block site data or have no commit(), for the moment at which a call was made, and for what a page that is
// left, or a worker that ends with it, could not store. 0.25 KB of the recorder are for transactions as all others.
// 0.05 KB of the page host and the script are for streams that a page gives up as it is left (runtime/effects.ts).
// 0.5 KB of the page host, the script and the worker are for knowing by which protocol a server answers (tabs/protocols.ts), and for calls and
// sessions that begin to wait for connections in mid-life, or no longer do; 0.05 KB of the page's side moved with it.
// 0.03 KB before the host and of its side choose the page where a shared worker can store no key; 0.3 KB of the worker try that
// (storage/storeskeys.ts). 0.12 KB of the page host and the script take back what was made for another user (core/mcp/call_disown.go), as does 0.3 KB of the wasm.
// 1.4 KB of the wasm are for calls that are stored ahead of their connections (core/mcp/store_ahead.go), and 0.4 KB for what the
// tabs say of calls that have changed hands (core/tabs/commit.go).
// Less than 0.1 KB of each, 1 KB of the wasm and 2.5 KB of that for agents are for calls and prompts that wait for a sign-in: they say so
// whenever they were made, agents wait for a person as long as calls do, and a page that is left leaves none of unknown outcome.
// 0.1 KB of clients with auth is for the wait of a page that goes, which the next one has (signin/authorization.ts).
// 0.3 KB of the page host, the script and the worker are for a server that is not there: a worker of a few lines asks whether anything
// answers, since the console has what a page asks in vain (runtime/reach.ts). 2 KB of each wasm are for when it asks (core/link/reach.go).
// 1.7 KB of the page host, the script and the worker are for lists that the next page need not ask for (client/storedresults.ts,
// storage/resultrows.ts): what is kept, for whom and until when, sealed, and how room is made. 0.2 KB of each wasm say whether they
// are fresh (core/durable/fresh.go). Less than 0.1 KB of the rest are for the option cache.
// The option record (connect/recording.ts): 0.25 KB before the host say where its file is and take it to a worker, 0.55 KB of the page host, the script
// and the worker load it, ask it for each request of a user's, and delete its rings with all else (storage/traces.ts); 0.05 KB of the page's side ask
// the worker where they are. What records and redacts is holdfast-record.mjs, which only those load who ask; what reads it is holdfast-recorder.mjs.
// The chunk tracedclient is loaded by holdfast/transport for its option trace alone.
// 0.5 KB before the host, and 0.1 KB of the page's side and the worker, have a worker open the client while the page's side is loaded: the page's lock
// (host/pagelock.ts), its hello and what opens the client (host/openingmessage.ts) go first. Less than 0.1 KB of that close it at once where the
// app gives up, and tell one kind of client's chunk that does not come from another's.
// 0.1 KB of the page host, the script and the worker read a small JSON body as a whole (runtime/exchange.ts).
// 0.35 KB of the page host, the script and the worker keep what is of one user from an app whose user has changed: results that are inspected,
// lists of several pages, what is read again and saved; and have what the next user asks for meanwhile go out as nobody's (client/clientview.ts).
// 0.1 KB of them delete calls that follow each other in one go (storage/write.ts). The wasm's 2 KB are how differently the same code compresses.
// 2 KB of each wasm note the members of a result while it is read, in place of reading it two or three times, and read long strings
// in larger steps (core/jsonrpc/noted.go, string.go): 16 MB take the main thread 79 ms in place of 127.
// 90 KB of the wasm, and 99 of that for agents, went with tables that nothing reads, code that says the same with fewer instructions
// and jumps at once (web/scripts/slim), and what of Go's runtime needs threads, profiles or an environment (web/scripts/wasmbuild/runtime.go). raw is how
// many bytes a browser has of it, whatever was sent: Chrome hands them to the page at 25 to 45 ms a MB.
// 0.2 KB of the page host, the script and the worker are for hints: a policy that forbids the server, a revision that is none, HTTP+SSE that is
// pinned where there is none, what is no browser, and options of preload(). The chunk of the diagnosis has most of it.
// 6 KB of the wasm, and 15 of that for agents, are for sessions and runs of a call that follow each other, outcomes that a store has missed, and what
// agents tell late, twice or in another order (faults 493 to 532).
// 0.3 KB of the sign-in are for a server that has another authorization server by now, tokens that live for a minute, come twice
// or cannot be refreshed before their end, a store that is full, and nonces that several requests are given at once. 0.02 KB of the script are for tokens that come twice.
// 0.2 KB of the page host, the script and the worker read, delete and take over what is stored where there is no room (faults 570 to 572).
// 0.2 KB of the wasm, the page host, the script and the worker are for fields that may be null, questions that a server cancels, what the next session is
// told, what was not declared, and revisions that a server leaves (580 to 588), and 0.1 KB for what those left open (620 to 624).
// 0.2 KB of the same are for what apps hold: stores that show nothing of the user before, and questions that somebody else has answered (551 to 608);
// 0.6 KB of each wasm for deletions, takeovers and listen streams that are tried again (516, 569, 614).
// Less than 0.1 KB of the page's side, the page host, the script and the worker, and 0.2 KB of the store, are for what an app keeps in a framework's state,
// pages that are left while they come back, and why a token cannot be refreshed (589 to 599).
// 0.3 KB of the page's side say to the next worker what the last one was told (host/lastingasks.ts, fault 573); 0.15 KB of the page host and the worker,
// and 0.5 KB of the script, which has both, are for that, visits that a person says are done, completions by what is chosen, nulls in lists (519, 574 to
// 576); 0.06 KB of the sign-in for nonces that are good for one proof and servers that have moved (577, 579).
// 0.1 KB of the diagnosis, the script and the worker are for hints: https and certificates, a wasm that is not whole, a page of file: (625 to 628);
// 0.1 KB of the page host and the worker fetch a wasm of another build once more, past the cache (629);
// 0.1 KB of all that runs handlers says what an elicitation is answered with (630).
// 0.2 KB of the page host, the script and the worker leave a loop what it reads beside an awaited result (client/sharedcall.ts, fault 653), answer for a
// client that is closed as the other host does (654, 655), and read four pieces of a body at once (runtime/bodypieces.ts).
// 2.1 KB of the wasm with agents are for whose turn has ended, as each tab can know it, for words that are prompted again, and for prompts that wait for a
// token (609 to 619, 647 to 651).
// 0.1 KB of the page's side, 0.15 KB of clients with auth and 0.2 KB of the script and the worker are for users who change while no worker lives, the sweep of
// tokens, one sign-in for all who are given it, and lists that go in circles (664 to 668); 0.4 KB of each wasm for one stream of subscriptions, and for rate
// limits during the handshake (663, 669); 0.9 KB of it for streams that the server takes later, and what is missed between them (683 to 685).
// 1.1 KB of the wasm with agents are for prompts of version 1 that are stored as leaving, prompts that are accepted before they are repeated, histories that are asked
// for since the store works again, sessions under ids of earlier ones, and logins in mid-session (673 to 678); 0.01 KB of the page's side for 676;
// 0.4 KB of the same for where those end (700 to 706).
// Names of chunks change with what is in them, and the size of what names them by some bytes.

// 0.15 KB of whatever runs the wasm are for a browser that has no SIMD, or no WebAssembly, and is told so (runtime/whatcame.ts), and for a worker that
// asks for the wasm before all else (host/portsession.ts).
// Each chunk is one file, with copies of what it needs (web/scripts/joinchunks): a page with its own host has 4.6 KB less, since one file compresses
// better than ten, and is connected a tenth sooner; one with an agent in its worker has 10 KB less. A page that has clients and agents in itself
// has 30 KB twice, which few have, and clients with auth have 1.4 KB that the page's own host has too.
// 1.2 KB before the host, 3.4 KB of the page host, 4.4 KB of the worker and 6 KB of each wasm are for logouts that nothing follows, sign-ins by user and client,
// files that a worker takes, and messages that are checked (715 to 740); 1.2 KB of what records is the table of the words that it keeps (731).
export const files = [
  { name: "holdfast.wasm", budget: 521_000, goal: 600_000, raw: 2_530_000 },
  { name: "holdfast-agents.wasm", budget: 636_000, goal: 700_000, raw: 3_190_000 },
  { name: "connect(), before the host", paths: loaded(app), budget: 11_300, goal: 10_000 },
  { name: "connect(), chunk of the page's side", paths: beside("connectthere", loaded(app), app), budget: 16_500, goal: 12_000 },
  { name: "connect(), page host", paths: pageHost(app), budget: 64_900, goal: 45_000 },
  { name: "the module, before the host", paths: loaded(module), budget: 13_750, goal: 10_000 },
  { name: "the module, shared host", paths: pageSide(module), budget: 30_300, goal: 22_000 },
  { name: "the module, page host", paths: pageHost(module), budget: 67_600, goal: 45_000 },
  { name: "connectAgent, shared host", paths: beside("connectagentthere", pageSide(module)), budget: 16_400, goal: 8_000 },
  { name: "connectAgent, page host", paths: beside("connectagent", pageHost(module)), budget: 42_800, goal: 8_000 },
  { name: "chunk of the diagnosis", paths: [chunk(module, "diagnosis")], budget: 2_560, goal: 2_000 },
  { name: "chunk of clients with auth", paths: [chunk(module, "authorization")], budget: 5_050, goal: 1_800 },
  { name: "chunk of the sign-in", paths: beside("opensignin", loaded(module)), budget: 18_200, goal: 12_000 },
  { name: "chunk of a sign-in in a worker", paths: beside("remotesignin", pageSide(module)), budget: 2_400, goal: 2_500 },
  { name: "holdfast-oauth.mjs", budget: 18_300, goal: 12_000 },
  { name: "holdfast.js", budget: 86_300, goal: 50_000 },
  { name: "holdfast-worker.mjs", budget: 81_600, goal: 45_000 },
  { name: "holdfast-store.mjs", budget: 4_900, goal: 5_000 },
  { name: "holdfast-react.mjs", budget: 1_200, goal: 2_000 },
  { name: "holdfast-tools.mjs", budget: 1_500, goal: 1_500 },
  { name: "holdfast-ai.mjs", budget: 2_500, goal: 2_500 },
  { name: "holdfast-trace.mjs", budget: 2_300, goal: 2_000 },
  { name: "holdfast-testing.mjs", budget: 3_500, goal: 3_500 },
  { name: "holdfast-diagnose.mjs", budget: 4_000, goal: 3_500 },
  { name: "holdfast-recorder.mjs", budget: 2_450, goal: 2_000 },
  { name: "holdfast-record.mjs", budget: 4_400, goal: 3_000 },
  { name: "holdfast-hub.mjs", budget: 2_000, goal: 2_000 },
  { name: "holdfast-validate.mjs", budget: 9_000, goal: 9_000 },
];
