package link

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// field returns the header field of the token, "" for none.
func field(b *Bearer) string {
	header := b.AppendField(nil)
	if len(header) == 0 {
		return ""
	}
	return header[0].Name + ": " + header[0].Value
}

// The provider is asked once, and a refused token once, however many requests it was in.
func TestBearer(t *testing.T) {
	var b Bearer
	if b.Asking() || b.Answerable() || field(&b) != "" || b.Deadline() != engine.Never {
		t.Fatal("a token is known before anybody was asked")
	}
	if !b.Ask() || b.Ask() || !b.Asking() || !b.Answerable() {
		t.Fatal("the provider is asked once")
	}
	if b.Answered("one", nil) != nil || b.Asking() || field(&b) != "Authorization: Bearer one" {
		t.Fatalf("the token goes out as %q", field(&b))
	}
	first := b.Number()
	if !b.Refused(first) || field(&b) != "" || !b.Ask() || !b.Refused(first) || b.Ask() {
		t.Fatal("a token that two requests carried is dropped, and another is asked for once")
	}
	b.Answered("two", nil)
	if b.Refused(first) || field(&b) != "Authorization: Bearer two" {
		t.Fatal("a late 401 about the first token has dropped the second")
	}
}

// What a header cannot carry is no token.
func TestBearerThatCannotBeSent(t *testing.T) {
	for _, value := range []string{"", "a b", "a\nb", "\u00e9"} {
		var b Bearer
		b.Ask()
		if failure := b.Answered(value, nil); failure == nil || failure.Code != engine.CodeBadArgument || b.Number() != 0 || field(&b) != "" {
			t.Errorf("%q is taken: %v", value, failure)
		}
	}
}

// A provider without a network is asked again at times that grow apart, and at once
// when the network is back.
func TestBearerAway(t *testing.T) {
	var b Bearer
	policy, random := BuiltIn(), engine.NewRandom(7)
	b.Ask()
	now := engine.Time(0)
	var waits []int64
	for range 12 {
		b.Away(now, &policy, &random)
		if !b.Asking() || b.Answerable() || b.Ask() || b.Due(now.After(-1)) {
			t.Fatal("it is waited for the provider, and nobody asks it")
		}
		waits = append(waits, b.Deadline().Since(now))
		now = b.Deadline()
		if !b.Due(now) || b.Due(now) || !b.Answerable() {
			t.Fatal("it is asked once when it is due")
		}
	}
	if waits[0] > 250 || slices.Max(waits) > 30_000 || waits[11] < 20_000 {
		t.Errorf("the waits are %v", waits)
	}
	b.Away(now, &policy, &random)
	b.Hear(&News{Kind: NewsOnline, Now: now, At: now})
	if b.Deadline() != now {
		t.Error("the network is back, and the provider waits")
	}
	b.Stop()
	if b.Asking() || b.Deadline() != engine.Never {
		t.Error("a client that has closed waits for a token")
	}
}
