//go:build !js

package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

//go:generate go test . -run Transcript -update

var updateGolden = flag.Bool("update", false, "write the golden files again")

const goldenTranscript = "../../../web/test/testdata/transcript.json"

// vector is one conversation: what goes into the reducer, the operations that come out, and what the page
// then has. updates holds the agent's updates and, as objects without a sessionUpdate, what else happens to a
// session: {"prompt":p,"content":[…]}, {"accepted":p,"messageId":…}, {"unsent":p}, {"idle":true} and
// {"reset":true}.
type vector struct {
	Name       string            `json:"name"`
	Version    int               `json:"version"`
	Updates    []json.RawMessage `json:"updates"`
	Broken     []string          `json:"broken"`
	Ops        []json.RawMessage `json:"ops"`
	Transcript *view             `json:"transcript"`
}

const vectorLimit = 400

func play(t *testing.T, name string, version int, updates []string) vector {
	r := newReduced(t, version, vectorLimit)
	v := vector{Name: name, Version: version, Broken: []string{}}
	for _, u := range updates {
		v.Updates = append(v.Updates, json.RawMessage(u))
		r.step(u)
	}
	v.Broken = append(v.Broken, r.broken...)
	v.Ops, v.Transcript = r.ops, r.view
	return v
}

// step applies an update or what else an element of a vector's updates may be.
func (r *reduced) step(u string) {
	var s struct {
		SessionUpdate *json.RawMessage
		Prompt        uint64
		Content       json.RawMessage
		Accepted      uint64
		MessageID     string `json:"messageId"`
		Unsent        uint64
		Idle, Reset   bool
	}
	if err := json.Unmarshal([]byte(u), &s); err != nil || s.SessionUpdate != nil {
		r.do(u)
		return
	}
	switch {
	case s.Prompt != 0:
		r.Sent(s.Prompt, s.Content, r.emit)
		r.Leaves(s.Prompt, r.emit)
	case s.Accepted != 0:
		r.Accepted(s.Accepted, s.MessageID, r.emit)
	case s.Unsent != 0:
		r.Unsent(s.Unsent, r.emit)
	case s.Idle:
		r.TurnEnded(r.emit)
	case s.Reset:
		r.Reset(r.emit)
	default:
		r.do(u)
	}
}

// TestGoldenTranscript keeps the vectors that the page's half is tested with.
func TestGoldenTranscript(t *testing.T) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteString("[\n")
	for i, g := range vectors {
		if i > 0 {
			b.WriteString(",\n")
		}
		if err := encoder.Encode(play(t, g.name, g.version, g.updates)); err != nil {
			t.Fatal(err)
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteString("\n]\n")
	if *updateGolden {
		if err := os.WriteFile(goldenTranscript, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(goldenTranscript)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored, b.Bytes()) {
		t.Errorf("%s is not what the reducer does; -update writes it again", goldenTranscript)
	}
}
