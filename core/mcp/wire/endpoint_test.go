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
