//go:build !js

package conformance

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const pageOrigin = "http://127.0.0.1:1"

// through makes a client whose requests all pass the proxy. (ProxyFromEnvironment
// would leave loopback out.)
func through(t *testing.T) *http.Client {
	proxy := httptest.NewServer(newProxy())
	t.Cleanup(proxy.Close)
	address, _ := url.Parse(proxy.URL)
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func ask(t *testing.T, c *http.Client, method, url string, header map[string]string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func TestProxyAnswersPreflights(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s reached the server", r.Method)
	}))
	defer server.Close()
	answer := ask(t, through(t), "OPTIONS", server.URL+"/mcp", map[string]string{
		"Origin":                         pageOrigin,
		"Access-Control-Request-Method":  "POST",
		"Access-Control-Request-Headers": "content-type,mcp-param-x",
	})
	if answer.StatusCode != 204 ||
		answer.Header.Get("Access-Control-Allow-Origin") != pageOrigin ||
		answer.Header.Get("Access-Control-Allow-Headers") != "content-type,mcp-param-x" ||
		!strings.Contains(answer.Header.Get("Access-Control-Allow-Methods"), "DELETE") {
		t.Errorf("%s %v", answer.Status, answer.Header)
	}
}

func TestProxyKeepsTheURLAndLetsThePageRead(t *testing.T) {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := "http://" + r.Host + r.RequestURI; got != server.URL+"/a%20b?x=1;2" {
			t.Errorf("the server saw %s", got)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
	}))
	defer server.Close()
	client := through(t)
	answer := ask(t, client, "GET", server.URL+"/a%20b?x=1;2", map[string]string{"Origin": pageOrigin})
	if answer.StatusCode != 302 ||
		answer.Header.Get("Access-Control-Allow-Origin") != pageOrigin ||
		!strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("%s %v", answer.Status, answer.Header)
	}
	for _, origin := range []string{"", server.URL} {
		answer := ask(t, client, "GET", server.URL+"/a%20b?x=1;2", map[string]string{"Origin": origin})
		if answer.Header.Get("Access-Control-Allow-Origin") != "" || answer.Header.Get("Vary") != "" {
			t.Errorf("origin %q: the answer was touched: %v", origin, answer.Header)
		}
	}
}

// TestProxyDoesNotHoldStreams: the server sends nothing more until the client
// has what it sent, first the head of the answer and then an event.
func TestProxyDoesNotHoldStreams(t *testing.T) {
	more := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"", "data: 1\n\n", "data: 2\n\n"} {
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
			select {
			case <-more:
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(server.Close) // after the client has hung up
	answer := ask(t, through(t), "GET", server.URL, map[string]string{"Origin": pageOrigin})
	body := bufio.NewReader(answer.Body)
	for _, want := range []string{"data: 1\n", "data: 2\n"} {
		more <- struct{}{}
		if line, err := body.ReadString('\n'); line != want || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		_, _ = body.Discard(1)
	}
}

func TestProxyStaysAtHome(t *testing.T) {
	answer := ask(t, through(t), "GET", "http://conformance-test.local/", nil)
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("%s", answer.Status)
	}
}

func TestProxyCutsWhereNobodyAnswers(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if answer, err := through(t).Get(gone.URL); err == nil {
		answer.Body.Close()
		t.Errorf("%s", answer.Status)
	}
}
