//go:build !js

package engines

// signsInInThePage says where a sign-in that leaves the page can be in WebKit.
const signsInInThePage = "its shared worker can store no key, and ends with the page that leaves for the " +
	"sign-in: the story is told of the page alone"

// stories are the rows of docs/browsers.md.
var stories = []story{
	{name: "load", shows: "a page imports the module, connects, and calls a tool", tell: loadModule,
		short: true},
	{name: "script tag", shows: "the same with a script tag", tell: loadScript},
	{name: "strict policy", shows: "the same under a Content-Security-Policy with `default-src 'none'`",
		tell: strictPolicy},
	{name: "revisions", shows: "a server of each revision, from 2024-11-05 to 2026-07-28",
		tell: eachRevision},
	{name: "progress", shows: "each message of a call is told as it comes", tell: progress},
	{name: "cut", shows: "the connection of a call ends with a FIN, then with a RST", tell: cut, short: true},
	{name: "reload", shows: "the page is reloaded twice in mid-call", tell: reload, short: true},
	{name: "away and back", shows: "the page follows a link in mid-call, and comes back", tell: away},
	{name: "takeover", shows: "the tab that carries a call closes, and another goes on", tell: takeover},
	{name: "kill", shows: "the browser is ended by `kill -9` in mid-call, twice, and started again",
		tell: killed, short: true},
	{name: "restart", shows: "the server restarts in mid-call: the call is lost, and the next one works",
		tell: restarted},
	{name: "storage refused",
		shows: "the user blocks site data: calls are kept in memory, and the page is told", tell: blocked,
		in: map[Engine]exception{
			WebKit{}: {tell: refused,
				note: "WebKitGTK has no such setting: a script refuses what Safari would"},
		}},
	{name: "private window",
		shows: "a reload in mid-call in a private window; when that closes nothing is left", tell: private},
	{name: "offline", shows: "the browser loses the network in mid-call, and has it again", tell: offline,
		in: map[Engine]exception{
			WebKit{}: {tell: outage,
				note: "its driver cannot go offline: the server is down, and the events are made by hand"},
		}},
	{name: "task", shows: "the page is reloaded while a task runs, of 2025-11-25 and of 2026-07-28",
		tell: task},
	{name: "input", shows: "a form that is half filled in survives a reload, and is answered once",
		tell: input},
	{name: "agent", shows: "an agent over HTTP, and a reload in mid-sentence", tell: agent},
	{name: "sign-in", shows: "OAuth by redirect, and a reload that needs no second sign-in", tell: signIn},
	{name: "two users",
		shows: "ada signs in, carl in a second tab, and bob where ada's page was: each is who they are",
		tell:  inEach(principals, "page", "shared"), in: map[Engine]exception{
			WebKit{}: {tell: inEach(principals, "page"), note: signsInInThePage},
		}},
	{name: "logout", shows: "`wipe()` in one tab: no call and no reload signs anybody in again, in any tab",
		tell: inEach(logout, "page", "shared"), in: map[Engine]exception{
			WebKit{}: {tell: inEach(logout, "page"), note: signsInInThePage},
		}},
	{name: "waiting calls",
		shows: "`wipe()` in another tab: a call that has not left ends `unsent`, and does not run as the " +
			"next user", tell: inEach(waiting, "page", "shared")},
	{name: "plain http",
		shows: "an https page and a server in plain: in no host anything leaves for one of " +
			"elsewhere, and no token; one of this machine is as good as https",
		tell: plainHTTP("page", "worker", "shared"), in: map[Engine]exception{
			WebKit{}: {tell: plainHTTP(),
				note: "it keeps pages back from a server in plain on this machine as well"},
		}},
	{name: "forget", shows: "`forget()` and `wipe()` in mid-call leave nothing on the disk", tell: forget},
	{name: "shared worker",
		shows: "two tabs on one worker: one is reloaded, the other closes, and no stream is cut",
		tell:  sharedHost},
	{name: "only tab",
		shows: "the only tab of an app with the default host is reloaded in mid-call: no stream is cut",
		tell:  onlyTab("auto", "shared", true), in: map[Engine]exception{
			Firefox{}: {tell: onlyTab("auto", "shared", false),
				note: "no `extendedLifetime`: the worker ends with its last page, and the call is resumed"},
			WebKit{}: {tell: onlyTabInThePage,
				note: "its shared worker can store no key: the default host is " +
					"the page (`no_keys`), and the call is resumed"},
		}},
	{name: "pinned worker", shows: "the same with `host: \"shared\"`",
		tell: onlyTab("shared", "shared", true), in: map[Engine]exception{
			Firefox{}: {tell: onlyTab("shared", "shared", false),
				note: "no `extendedLifetime`: the worker ends with its last page, and the call is resumed"},
			WebKit{}: {tell: onlyTabForgets,
				note: "no `extendedLifetime`, and no key that could be stored: " +
					"`guarantee` says `lost-on-reload`, and the call ends with `outcome_unknown`"},
		}},
}
