//go:build !js

package wires

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestProxy has Go's own client see what the stories do to Chrome.
func TestProxy(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{TLS: authority.Own().Server(), Sessionless: true})
	p.Counting(nil)
	proxy := NewProxy(t, authority.Own(), strings.TrimPrefix(p.Origin(), "https://"), "/mcp")
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: authority.Own().Client(), ForceAttemptHTTP2: true}}
	t.Cleanup(client.CloseIdleConnections)
	post := func(body string) (*http.Response, error) {
		r, err := http.NewRequest("POST", proxy.Origin()+"/mcp", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		return client.Do(r)
	}
	ask := func(gate string) (*http.Response, error) {
		return post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count",` +
			`"arguments":{"n":1,"gate":"` + gate + `"},"_meta":{"progressToken":1}}}`)
	}
	begun := func(gate string) *http.Response {
		t.Helper()
		answer, err := ask(gate)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		if answer.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(answer.Body)
			t.Fatalf("%s: %s", answer.Status, text)
		}
		eventually(t, "the stream", func() bool { return proxy.Open() == 1 })
		return answer
	}

	first, err := post(`{"jsonrpc":"2.0","id":0,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, first.Body)
	first.Body.Close()

	p.Release("open")
	answer := begun("shut")
	if answer.ProtoMajor != 2 {
		t.Errorf("the browser's side speaks %s", answer.Proto)
	}
	if n := proxy.Reset(http2.ErrCodeEnhanceYourCalm); n != 1 {
		t.Errorf("%d streams are cut", n)
	}
	_, err = io.ReadAll(answer.Body)
	if err == nil || !strings.Contains(err.Error(), "ENHANCE_YOUR_CALM") {
		t.Errorf("a stream that is cut ends with %v", err)
	}
	eventually(t, "no stream", func() bool { return proxy.Open() == 0 })

	answer = begun("shut")
	proxy.IdleLimit(30 * time.Second)
	if n := proxy.Advance(29*time.Second, true); n != 0 {
		t.Errorf("%d streams are ended after 29 s", n)
	}
	if n := proxy.Advance(time.Second, true); n != 1 {
		t.Errorf("%d streams are ended after 30 s", n)
	}
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Errorf("a stream that ends properly ends with %v", err)
	}

	answer = begun("later")
	proxy.GoAway()
	var other *http.Response
	eventually(t, "another connection", func() bool {
		if other != nil {
			other.Body.Close()
		}
		if other, err = ask("shut"); err != nil {
			t.Fatal(err)
		}
		open, made := proxy.Connections()
		return open == 2 && made == 2
	})
	p.Release("later")
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), `"result"`) {
		t.Errorf("a stream from before GOAWAY ends with %q and %v", text, err)
	}
	other.Body.Close()

	proxy.TruncateHeads(1)
	if _, err := ask("open"); err == nil {
		t.Error("a head that is truncated is taken for one")
	}
	proxy.Buffer(true)
	if answer, err = ask("open"); err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), `"result"`) {
		t.Errorf("what was kept back is %q and %v", text, err)
	}
}
