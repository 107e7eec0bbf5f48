package link

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func answered(limits Limits, status int, media string) *Exchange {
	x := NewExchange(limits)
	x.Head(
		engine.Head{Status: status, Header: []engine.Field{
			{Name: "content-type", Value: media}, {Name: "retry-after", Value: "3"}}})
	return &x
}

func TestExchangeHead(t *testing.T) {
	fresh := NewExchange(Limits{})
	if fresh.Opened() || fresh.OK() || fresh.Status() != 0 || fresh.Retry() != -1 {
		t.Error("without a head it is something")
	}
	for status, ok := range map[int]bool{199: false, 200: true, 202: true, 299: true, 300: false, 404: false,
		503: false} {
		x := answered(Limits{}, status, "")
		if x.OK() != ok || !x.Opened() || x.Status() != status || x.Header("retry-after") != "3" ||
			x.Header("x") != "" {
			t.Errorf("%d: %+v", status, x)
		}
	}
}

// TestExchangeBody: a JSON body is gathered up to its limit, and no body of
// another kind is kept at all.
func TestExchangeBody(t *testing.T) {
	x := answered(Limits{Body: 10}, 200, "application/json")
	piece := []byte("12345")
	for range 2 {
		if err := x.Chunk(piece); err != nil {
			t.Fatal(err)
		}
	}
	piece[0] = 'x' // it was lent
	if string(x.Body()) != "1234512345" {
		t.Errorf("body %s", x.Body())
	}
	if err := x.Chunk([]byte("6")); !errors.Is(err, &engine.Error{Code: engine.CodeLimit}) {
		t.Errorf("over the limit: %v", err)
	}
	other := answered(Limits{Body: 10}, 502, "text/html")
	for range 100 {
		if err := other.Chunk([]byte(strings.Repeat("x", 1000))); err != nil || len(other.Body()) > 0 {
			t.Fatalf("an error page is kept: %v", err)
		}
	}
	if _, ok, err := other.Next(); ok || err != nil {
		t.Error("an error page has events")
	}
}

// TestExchangeStream: events, pace, comments and limits come from the parser.
func TestExchangeStream(t *testing.T) {
	x := answered(Limits{Line: 100, Event: 100}, 200, "text/event-stream")
	if err := x.Chunk([]byte(": a\n:b\n\nretry: 7\ndata: 1\n\ndata: 2\n\n")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		e, ok, err := x.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		got = append(got, string(e.Data))
	}
	if strings.Join(got, ",") != "1,2" || x.Retry() != 7 || x.Comments() != 2 {
		t.Errorf("events %v, retry %d, %d comments", got, x.Retry(), x.Comments())
	}
	x.Chunk([]byte("data: " + strings.Repeat("x", 100)))
	if _, ok, err := x.Next(); ok || !errors.Is(err, &engine.Error{Code: engine.CodeLimit}) {
		t.Errorf("over the limit: %v, %v", ok, err)
	}
}

// TestExchangeKeepData: a body is the caller's once it is there, and so is the data of an
// event that has come in several chunks.
func TestExchangeKeepData(t *testing.T) {
	body := answered(Limits{Body: 10}, 200, "application/json")
	if body.KeepData() {
		t.Error("a body that has not come was given away")
	}
	body.Chunk([]byte("{}"))
	if !body.KeepData() {
		t.Error("a body was not given away")
	}
	stream := answered(Limits{Line: 100, Event: 100}, 200, "text/event-stream")
	for _, chunk := range []string{"data: 1\n\ndata: 2", "3\n\n", "data: 4\n\n"} {
		stream.Chunk([]byte(chunk))
		for e, ok, _ := stream.Next(); ok; e, ok, _ = stream.Next() {
			if got := stream.KeepData(); got != (string(e.Data) == "23") {
				t.Errorf("%s was given away: %t", e.Data, got)
			}
		}
	}
}
