//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentTabsShareStreams: two tabs have three sessions each, all at work over
// HTTP/1.1, for which Chrome has six connections. The sessions of both share three of
// them: what is asked in the middle is answered, and nothing that is said to anybody
// is lost.
func TestAgentTabsShareStreams(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	address := chatPage(chrome.NewSite(t), server.URL(), "{}")
	one := chrome.Open(t, address)
	one.WaitFor(`window.ready`)
	two := one.Profile().Open(address)
	two.WaitFor(`window.ready`)
	pages := []*chrome.Page{one, two}
	for _, page := range pages {
		defer showChats(t, page)
	}
	chats := map[*chrome.Page][]string{}
	for range 3 {
		for _, page := range pages {
			chats[page] = append(chats[page], beginChat(page))
		}
	}
	for _, page := range pages {
		for _, id := range chats[page] {
			chrome.Eval[chrome.Void](page, fmt.Sprintf(`prompt(%q, "count 6 @%[1]s")`, id))
		}
	}
	for _, page := range pages {
		for _, id := range chats[page] {
			server.Waiting(id)
			server.Pass(id, 3)
			page.WaitWithin(roundLimit, fmt.Sprintf(`text(%q) === %q`, id, chunks(1, 3)))
		}
	}
	for _, page := range pages {
		chrome.Script[chrome.Void](page, `await agent.listSessions();`)
		// into the turn
		chrome.Eval[chrome.Void](page, fmt.Sprintf(`prompt(%q, "now count 2")`, chats[page][0]))
	}
	server.AwaitKind("prompt", 8)
	for _, page := range pages {
		for _, id := range chats[page] {
			server.Release(id)
		}
	}
	for _, page := range pages {
		for i, id := range chats[page] {
			want := chunks(1, 6)
			if i == 0 {
				want += chunks(1, 2)
			}
			page.WaitWithin(roundLimit,
				fmt.Sprintf(`chats[%q].prompts.every(({ settled }) => settled) && text(%[1]q) === %q`, id,
					want))
		}
	}
	open, most := 0, 0
	for _, e := range server.Log() {
		switch e.Kind {
		case "open":
			open++
		case "over":
			open--
		}
		most = max(most, open)
	}
	t.Logf("%d streams at a time", most)
	quietly(t, server, len(acpserver.Of(server.Log(), "initialize")), 8)
}

// TestAgentFourTabs: each has a stream of its connection's, and a session at work. The
// streams of the third and the fourth take the place of a session's: what anybody asks
// is answered.
func TestAgentFourTabs(t *testing.T) {
	long(t)
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	address := chatPage(chrome.NewSite(t), server.URL(), "{}")
	pages := []*chrome.Page{chrome.Open(t, address)}
	for len(pages) < 4 {
		pages = append(pages, pages[0].Profile().Open(address))
	}
	var ids []string
	for _, page := range pages {
		page.WaitFor(`window.ready`)
		ids = append(ids, beginChat(page))
	}
	for i, page := range pages {
		chrome.Eval[chrome.Void](page, fmt.Sprintf(`prompt(%q, "count 2 @%[1]s")`, ids[i]))
	}
	for _, id := range ids {
		server.Waiting(id)
	}
	for i, page := range pages {
		chrome.Script[chrome.Void](page, `await agent.listSessions();`)
		server.Release(ids[i])
	}
	for i, page := range pages {
		page.WaitWithin(roundLimit, fmt.Sprintf(`chats[%q].prompts[0].settled && text(%[1]q) === %q`, ids[i],
			chunks(1, 2)))
	}
}

// TestAgentTabAloneIsNotParked: a tab that shares its connections with nobody has a
// stream for each of three sessions from their beginning, and again when it is loaded
// again, however long the browser takes to give it its locks.
func TestAgentTabAloneIsNotParked(t *testing.T) {
	long(t)
	t.Parallel()
	for _, test := range []struct{ name, browser string }{
		{"quick", ""},
		{"slow when it is loaded again", `const { request } = LockManager.prototype;
			const [{ type }] = performance.getEntriesByType("navigation");
			if (type === "reload") LockManager.prototype.request = function (name, options, granted = options) {
				const slowly = (lock) => new Promise((resolve) => setTimeout(resolve, 200)).then(() => granted(lock));
				return request.call(this, name, granted === options ? {} : options, slowly);
			};`},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := acpserver.Start(t, acpserver.Options{})
			site := chrome.NewSite(t)
			page := chrome.Open(t, chatPageAfter(test.browser, site, server.URL(), "{}"))
			page.WaitFor(`window.ready`)
			for i := range 3 {
				// One is in reserve: a session that is made is read at once.
				page.WaitFor(fmt.Sprintf(`(await navigator.locks.query()).held.filter(({ name }) => `+
					`name.startsWith("holdfast.stream.")).length >= %d`, i+1))
				beginChat(page)
			}
			for range 2 {
				for _, id := range []string{"s1", "s2", "s3"} {
					chrome.Eval[chrome.Void](page, fmt.Sprintf(`prompt(%q, "count 1")`, id))
					page.WaitFor(fmt.Sprintf(`chats[%q].prompts.at(-1)?.settled`, id))
				}
				if told := chrome.Eval[string](page,
					`Object.values(chats).flatMap(({ status }) => status).join(" ")`); told != "" {
					t.Errorf("its sessions were told %q", told)
				}
				// By way of a page that asks for nothing: while the browser has the locks of
				// the one before, or the server its streams, it is not alone.
				site.File("/chat", "<!doctype html>")
				page.Reload()
				page.WaitFor(`(await navigator.locks.query()).held.length === 0`)
				server.Await("end of the streams", func(log []acpserver.Entry) bool {
					return len(acpserver.Of(log, "over")) == len(acpserver.Of(log, "open"))
				})
				chatPageAfter(test.browser, site, server.URL(), "{}")
				page.Reload()
				page.WaitFor(`window.ready && chats.s3`)
			}
		})
	}
}
