package wire

import "testing"

func TestResolveEndpoint(t *testing.T) {
	const stream = "https://a.test:8443/mcp/sse?x=1"
	for endpoint, want := range map[string]string{
		"/messages?sessionId=1":           "https://a.test:8443/messages?sessionId=1",
		"messages?sessionId=1":            "https://a.test:8443/mcp/messages?sessionId=1",
		"?sessionId=1":                    "https://a.test:8443/mcp/sse?sessionId=1",
		"https://a.test:8443/m":           "https://a.test:8443/m",
		"https://a.test:8443":             "https://a.test:8443",
		"//a.test:8443/m":                 "https://a.test:8443/m",
		"https://a.test/m":                "",
		"https://a.test:8443.evil.test/m": "",
		"https://a.test:8443@evil.test/m": "",
		"http://a.test:8443/m":            "",
		"//evil.test/m":                   "",
		"javascript:alert(1)":             "",
		"":                                "",
		"/m?next=https://evil.test/":      "https://a.test:8443/m?next=https://evil.test/",
	} {
		if got := ResolveEndpoint(stream, endpoint); got != want {
			t.Errorf("resolveEndpoint(%q) = %q, want %q", endpoint, got, want)
		}
	}
	if got := ResolveEndpoint("http://h", "m"); got != "http://h/m" {
		t.Errorf("beside the root: %q", got)
	}
}

// Fault 585: an origin may be written in several ways, as proxies do that put the port or the name
// in capitals into what they pass on. Another origin is none of them.
func TestFault585_EndpointOfTheSameOrigin(t *testing.T) {
	for _, c := range []struct{ stream, endpoint, want string }{
		{"https://a.test/sse", "https://a.test:443/m?s=1", "https://a.test:443/m?s=1"},
		{"https://a.test/sse", "HTTPS://A.Test/m", "HTTPS://A.Test/m"},
		{"https://a.test/sse", "//a.test:443/m", "https://a.test:443/m"},
		{"http://a.test/sse", "http://a.test:80/m", "http://a.test:80/m"},
		{"https://a.test/sse", "https://a.test#m", "https://a.test#m"},
		{"https://a.test/sse", " /m ", "https://a.test/m"},
		{"https://a.test/sse", "https://a.test:80/m", ""},
		{"http://a.test/sse", "http://a.test:443/m", ""},
		{"https://a.test/sse", "https://a.test:4433/m", ""},
		{"https://a.test/sse", "https://443/m", ""},
		{"https://a.test/sse", "http://a.test:443/m", ""},
		{"https://a.test/sse", "https://u@a.test/m", ""},
		{"https://a.test/sse", `https://a.test\@evil.test/m`, ""},
		{"https://a.test/sse", "https:a.test/m", ""},
	} {
		if got := ResolveEndpoint(c.stream, c.endpoint); got != c.want {
			t.Errorf("of %s: %q is %q, want %q", c.stream, c.endpoint, got, c.want)
		}
	}
}
