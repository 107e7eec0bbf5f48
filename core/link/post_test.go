package link_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// newPost returns a post and the count of what it enters against the table.
func newPost() (*link.Post, *uint32) {
	illegal := new(uint32)
	p := &link.Post{}
	p.Begin(illegal)
	return p, illegal
}

func TestPostIsRefusedForWantOfATokenAsOftenAsThatMayHelp(t *testing.T) {
	p, illegal := newPost()
	for i := range 3 {
		p.Sent(engine.ExchangeID(i+1), link.Limits{}, i, 100)
		p.Exchange.Head(engine.Head{Status: 401})
		if may := p.Unauthorized(2); may != (i < 2) {
			t.Fatalf("refused %d times: may be sent again: %t", i+1, may)
		}
		if p.Token != i {
			t.Errorf("it carried token %d, not %d", i, p.Token)
		}
		if i < 2 {
			p.Park()
		}
		if p.Due(1_000_000) != (i == 2) {
			t.Errorf("refused %d times: due: %t", i+1, i != 2)
		}
	}
	if *illegal != 0 {
		t.Errorf("%d illegal transitions", *illegal)
	}
}

func TestPostWaitsAsItsServerAsks(t *testing.T) {
	policy, random := link.Policy{}.OrBuiltIn(), engine.NewRandom(1)
	p, _ := newPost()
	p.Sent(1, link.Limits{}, 0, 30_000)
	p.Retry(0, 60_000, &policy, &random)
	if p.Due(60_000-1) || !p.Due(200_000) {
		t.Errorf("due at %d", p.At)
	}
	if p.Hear(&link.News{Kind: link.NewsVisit, At: 10_000}) {
		t.Error("a visit hastens what its server has asked to wait for")
	}
	p.Sent(2, link.Limits{}, 0, 300_000)
	for range 4 {
		p.Retry(0, 0, &policy, &random)
	}
	if !p.Hear(&link.News{Kind: link.NewsOnline, At: 500}) || p.At != 500 {
		t.Errorf("back online it is due at %d", p.At)
	}
}

func TestPostSleepsWithItsPage(t *testing.T) {
	p, _ := newPost()
	p.At = 2_000
	p.Sent(1, link.Limits{}, 0, 30_000)
	if p.At != 2_000 {
		t.Errorf("what was held until 2000 is waited for until %d", p.At)
	}
	p.Hear(&link.News{Kind: link.NewsWoke, Gap: 600_000})
	if p.Due(602_000-1) || !p.Due(602_000) {
		t.Errorf("after 600 s of sleep it is due at %d", p.At)
	}
	p.Over(700_000, 1_000)
	if p.At != 701_000 {
		t.Errorf("its tail may take until %d", p.At)
	}
}

func TestPostThatIsHeldIsLookedAtOnce(t *testing.T) {
	p, _ := newPost()
	p.Wake(10)
	if !p.Due(10) || p.Due(10) {
		t.Error("it is not due once")
	}
}
