package sse

import (
	"errors"
	"strings"
	"testing"
)

func TestLimitsDefault(t *testing.T) {
	for _, limits := range []Limits{{}, {Line: -1, Event: -1}} {
		for stream, want := range map[string]Code{
			"data: " + strings.Repeat("x", 16<<20-6) + "\n\n":                                  "",
			"data: " + strings.Repeat("x", 16<<20-5):                                           CodeLineTooLong,
			strings.Repeat("data: "+strings.Repeat("x", 1<<20-7)+"\ndata: 67890\n", 16) + "\n": "",
			strings.Repeat("data: "+strings.Repeat("x", 1<<20-1)+"\n", 17) + "\n":              CodeEventTooLong,
		} {
			got := feed(t, limits, []string{stream}, func(int, int) int { return chunkSize })
			if got.err != want || len(got.events) != 1 && want == "" {
				t.Errorf("%d bytes: error %q, want %q", len(stream), got.err, want)
			}
		}
	}
}

func TestLimitError(t *testing.T) {
	p := New(Limits{Line: 10, Event: 20})
	p.Push([]byte("id: 1\n\ndata: 12345\n\nid: 2\n\n"))
	if n, _ := drain(p); n != 1 {
		t.Errorf("%d events before the error", n)
	}
	err := p.Err()
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeLineTooLong || e.Limit != 10 || e.Retryable() {
		t.Fatalf("got %#v", err)
	}
	if !errors.Is(err, &Error{Code: CodeLineTooLong}) || errors.Is(err, &Error{Code: CodeEventTooLong}) {
		t.Error("Is does not compare codes")
	}
	if want := "sse: line exceeds 10 bytes"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	p.Push([]byte("data: a\n\n")) // yields nothing, and needs no draining
	p.Push([]byte("data: a\n\n"))
	if n, _ := drain(p); n != 0 {
		t.Error("events after an error")
	}
	p.EOF()
	if p.Err() == nil {
		t.Error("EOF cleared the error")
	}
	p.Reset()
	p.Push([]byte("data\n\n" + strings.Repeat("data: abc\n", 6)))
	if n, _ := drain(p); n != 1 || !errors.Is(p.Err(), &Error{Code: CodeEventTooLong}) {
		t.Errorf("%d events, error %v", n, p.Err())
	}
	if want := "sse: event data exceeds 20 bytes"; p.Err().Error() != want {
		t.Errorf("%q, want %q", p.Err(), want)
	}
	if string(p.LastEventID()) != "1" {
		t.Errorf("last event ID %q", p.LastEventID())
	}
}

func TestPushBeforeDraining(t *testing.T) {
	p := New(Limits{})
	p.Push([]byte("data: a\n\n"))
	p.Next() // gave the event; false has not been said
	defer func() {
		if recover() == nil {
			t.Error("events were lost in silence")
		}
	}()
	p.Push([]byte("data: b\n\n"))
}

func TestKindString(t *testing.T) {
	if s := Message.String() + Bare.String() + Kind(0).String(); s != "messagebarenone" {
		t.Error(s)
	}
}
