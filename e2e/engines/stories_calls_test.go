//go:build !js

package engines

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// revisions are all that the module speaks, oldest first.
var revisions = []string{
	peer.Revision20241105, peer.Revision20250326, peer.Revision20250618, peer.Revision20251125,
	peer.Revision20260728,
}

// eachRevision connects to a server of each, calls, and follows the progress of a call.
func eachRevision(s *scene) {
	servers := map[string]string{}
	for _, revision := range revisions {
		p := s.counting(peer.Options{Revision: revision})
		p.Release("go")
		servers[revision] = p.URL()
		defer s.blameless(p)
	}
	page := s.openKeeper(servers[peer.Revision20251125], byHand)
	for _, revision := range revisions {
		got := eval[struct {
			Revision string
			Numbers  []int
			N        int
		}](page, `(async () => {
			const client = await holdfast.connect(`+chrome.JS(servers[revision])+`);
			const call = client.callTool("count", { call: "a", n: 3 });
			const numbers = [];
			for await (const event of call) if (event.type === "progress") numbers.push(event.progress);
			const { n } = (await call.result).structuredContent;
			await client.close();
			return { revision: client.revision, numbers, n };
		})()`)
		if got.Revision != revision || len(got.Numbers) != 3 || got.N != 3 {
			s.Errorf("%s: got %+v", revision, got)
		}
	}
}

// progress is told as it comes, and not with the result.
func progress(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 20, 0)
	for n := 1; n <= 5; n++ {
		s.pass(p, 1)
		page.has("a", n)
	}
	s.pass(p, 16)
	page.ends(p, "a", 20)
}

// cut ends the connection of a call twice, once with a FIN and once with a RST. The call goes on.
func cut(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 12, 3)
	for i, how := range []peer.Cutting{peer.FIN, peer.Reset} {
		connections := p.Oracle().Connections("a")
		if p.CutStreams(how) == 0 {
			s.Fatal("there was no stream to cut")
		}
		s.resumes(p, "a", connections)
		s.pass(p, 3)
		page.has("a", 6+3*i)
		page.waitFor(`trails.a.resumed.length > ` + chrome.JS(i))
	}
	s.pass(p, 4)
	page.ends(p, "a", 12)
}

// reload loads the page again in mid-call, twice.
func reload(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 9, 3)
	for come := 3; come <= 6; come += 3 {
		page.stored("a")
		page.reload()
		page.waitFor(`window.ready && trails.a?.restored`)
		s.pass(p, 3)
		page.has("a", come+3)
	}
	s.pass(p, 1)
	page.ends(p, "a", 9)
	if n := p.Oracle().Initializes(); n != 1 {
		s.Errorf("%d handshakes", n)
	}
	eval[void](page, `calls.a.ack()`)
	page.waitFor(`(await mcp.calls()).length === 0`)
	page.reload()
	page.waitFor(`window.ready`)
	if n := eval[int](page, `Object.keys(trails).length`); n != 0 {
		s.Errorf("%d calls come back that were acknowledged", n)
	}
}

// away follows a link in mid-call, and comes back: by the back/forward cache or not.
func away(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 6, 2)
	page.stored("a")
	page.navigate(s.own().URL + "/")
	s.pass(p, 2)
	s.eventually("the server to go on", func() bool { return len(p.Oracle().Produced("a")) >= 4 })
	page.run(`setTimeout(() => history.back())`)
	page.waitFor(`window.ready && trails.a`)
	page.has("a", 4)
	s.pass(p, 3)
	page.ends(p, "a", 6)
}

// takeover closes the tab that carries a call. The other one goes on with it.
func takeover(s *scene) {
	p := s.counting(peer.Options{})
	watcher := s.openKeeper(p.URL(), byHand)
	owner := s.openKeeper(p.URL(), byHand)
	owner.counts(p, "a", 8, 3)
	watcher.has("a", 3)
	watcher.stored("a")
	owner.close()
	watcher.waitFor(`trails.a.status.includes("owned")`)
	s.pass(p, 6)
	watcher.ends(p, "a", 8)
	if n := p.Oracle().Initializes(); n != 1 {
		s.Errorf("%d handshakes", n)
	}
}

// killed kills the browser in mid-call, twice, and starts it again.
func killed(s *scene) {
	s.alone(Options{Lasting: true})
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 9, 3)
	kills := 2
	if testing.Short() { // the start of a browser is most of the story
		kills = 1
	}
	for come := 3; come <= 3*kills; come += 3 {
		page.stored("a")
		s.crash()
		page = s.openKeeper(p.URL(), byHand)
		page.waitFor(`trails.a?.restored`)
		s.pass(p, 3)
		page.has("a", come+3)
	}
	s.pass(p, 7-3*kills)
	page.ends(p, "a", 9)
	if n := p.Oracle().Initializes(); n != 1 {
		s.Errorf("%d handshakes", n)
	}
}

// offline takes the network away in mid-call, and the stream ends. The call goes on when the page is told
// that the network is back.
func offline(s *scene) {
	s.alone(Options{})
	networkGoes(s, func(_ *peer.Peer, page *page, gone bool) {
		s.offline(gone)
		if gone {
			page.waitFor(`!navigator.onLine`)
		}
	})
}

// outage is that where the browser cannot be taken off the network: the server is not there, and the events
// are made by hand.
func outage(s *scene) {
	networkGoes(s, func(p *peer.Peer, page *page, gone bool) {
		if !gone {
			p.Up()
		}
		page.run(`
			window.reachable = ` + chrome.JS(!gone) + `;
			Object.defineProperty(navigator, "onLine", { get: () => reachable, configurable: true });
			dispatchEvent(new Event(reachable ? "online" : "offline"));`)
		if gone {
			p.Down()
		}
	})
}

func networkGoes(s *scene, goes func(p *peer.Peer, page *page, gone bool)) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 6, 2)
	page.stored("a")
	connections := p.Oracle().Connections("a")
	goes(p, page, true)
	p.CutStreams(peer.FIN)
	page.waitFor(`trails.a.status.includes("cut")`)
	goes(p, page, false)
	s.resumes(p, "a", connections)
	s.pass(p, 5)
	page.ends(p, "a", 6)
}

// restarted has the server restart, which knows no session any more: the call is lost, that
// is said, and the next one works.
func restarted(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 6, 2)
	page.stored("a")
	p.Restart()
	page.waitFor(`trails.a.outcome === "lost"`)
	p.Release("go")
	eval[void](page, `follow(mcp.callTool("count", { call: "b", n: 3 }))`)
	page.ends(p, "b", 3)
}
