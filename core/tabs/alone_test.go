package tabs_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// Fault 384: a tab is alone, which lets it store later what is over in a moment, only while
// it is awake and has heard of no other one; of those that were there before it, or may
// have come while it slept, not before they had the time to say so.
func TestFault384_Alone(t *testing.T) {
	type step struct {
		name string
		do   func(p *page)
		want string
	}
	at := func(ms int64) func(p *page) {
		return func(p *page) { p.now = p.now.After(ms); p.m.Advance(p.now) }
	}
	hear := func(p *page) { p.m.Hear(p.now, "other", true) }
	start := func(p *page) { p.m.Start(p.now) }
	for name, steps := range map[string][]step{
		"the only one": {
			{"before it begins", hear, "watch other"}, // whom it has heard of
			{"which goes", func(p *page) { p.m.Gone(p.now, "other") }, ""},
			{"begins", start, "client: alone true"},
			{"another comes", hear, "client: alone false, watch other"},
			{"says more", hear, ""},
			{"goes", func(p *page) { p.m.Gone(p.now, "other") }, "client: alone true"},
		},
		"others of the origin": {
			{"is there", func(p *page) { p.m.Living(p.now, "other") }, "watch other"},
			{"begins", start, ""},
			{"waits", at(999), ""},
			{"long enough", at(1), "client: alone true"}, // it is another server's
		},
		"others of the server": {
			{"is there", func(p *page) { p.m.Living(p.now, "other") }, "watch other"},
			{"begins", start, ""},
			{"it answers", hear, ""},
			{"much later", at(5_000), ""},
			{"goes", func(p *page) { p.m.Gone(p.now, "other") }, "client: alone true"},
		},
		"sleep": {
			{"begins", start, "client: alone true"},
			{"is frozen", func(p *page) { p.m.Rest() }, "client: alone false"},
			{"wakes", func(p *page) { p.m.Wake(p.now) }, "awake"},
			{"who has come says so", at(999), ""},
			{"nobody does", at(1), "client: alone true"},
		},
		"cache": {
			{"begins", start, "client: alone true"},
			{"goes there", func(p *page) { p.m.Rest(); p.m.Hide() }, "client: alone false"},
			{"is back", func(p *page) { p.m.Show(p.now); p.m.Wake(p.now) }, "awake"},
			{"another is there", hear, "watch other"},
			{"much later", at(5_000), ""},
		},
		"hidden": {
			{"begins", start, "client: alone true"},
			{"nobody sees it", func(p *page) { p.m.Visible(p.now, false) }, "client: alone false"},
			{"much later", at(5_000), ""},
			{"is seen", func(p *page) { p.m.Visible(p.now, true) }, "client: alone true"},
		},
		"begins hidden": {
			{"nobody sees it", func(p *page) { p.m.Visible(p.now, false) }, ""},
			{"another is there", func(p *page) { p.m.Living(p.now, "other") }, "watch other"},
			{"begins", start, ""},
			{"is seen", func(p *page) { p.m.Visible(p.now, true) }, ""},
			{"who is there says so", at(999), ""},
			{"nobody does", at(1), "client: alone true"},
		},
		// Chrome says that it resumes before it says that the page is shown.
		"wakes before it is shown": {
			{"begins", start, "client: alone true"},
			{"goes to the cache", func(p *page) { p.m.Rest(); p.m.Hide() }, "client: alone false"},
			{"wakes", func(p *page) { p.m.Wake(p.now) }, "awake"},
			{"has no channel yet", at(5_000), ""},
			{"is shown", func(p *page) { p.m.Show(p.now); p.m.Wake(p.now) }, "awake"},
			{"who has come says so", at(999), ""},
			{"nobody does", at(1), "client: alone true"},
		},
		"deleted": {
			{"begins", start, "client: alone true"},
			{"all is deleted", func(p *page) { p.m.Part(p.now) }, "client: alone false"},
			{"much later", at(5_000), ""},
		},
	} {
		p := newPage()
		p.tellsAlone = true
		for _, s := range steps {
			s.do(p)
			p.expect(t, name+", "+s.name, s.want)
		}
		if at, ok := p.m.Deadline(); ok && at <= p.now {
			t.Errorf("%s: due at %d, which is past", name, at)
		}
	}

	// Without a channel it would hear of nobody.
	p := &page{now: 1_000, standing: map[uint64]tabs.Standing{}, tellsAlone: true}
	p.m = tabs.New(tabs.Config{Tab: "this", Seed: 1, Deaf: true}, p)
	start(p)
	p.expect(t, "deaf", "")
}

// Fault 387: a worker that ends with its page hears nothing before it does. It never counts
// as alone: what it has not stored by then would be lost.
func TestFault387_EndsWithoutAWord(t *testing.T) {
	for _, abrupt := range []bool{true, false} {
		p := &page{now: 1_000, standing: map[uint64]tabs.Standing{}, tellsAlone: true}
		p.m = tabs.New(tabs.Config{Tab: "this", Seed: 1, Abrupt: abrupt}, p)
		p.m.Start(p.now)
		p.now = p.now.After(5_000)
		p.m.Advance(p.now)
		want := "client: alone true"
		if abrupt {
			want = ""
		}
		p.expect(t, fmt.Sprintf("abrupt %t", abrupt), want)
	}
}
