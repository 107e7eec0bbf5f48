package journal_test

import (
	"bytes"
	"reflect"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
)

func TestServersRoundTrip(t *testing.T) {
	for _, s := range append(goldenServers(),
		Server{Handshake: MaxSafe, Revision: "2026-07-28"},
		Server{HasSession: true},
		Server{HasSession: true, Session: "\x01\xff"},
		Server{Endpoint: "/messages"},
		Server{Handshake: 3, Tools: []byte(`{"tools":{}}`)},
	) {
		plain, secret := AppendServer(&s)
		if got, err := ParseServer(plain, secret); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("wrote %+v\nread %+v, %v", s, got, err)
		}
		if (s.Session == "" && s.Endpoint == "") != (secret == nil) {
			t.Errorf("%+v: secret part %q", s, secret)
		}
		for _, text := range []string{s.Session, s.Endpoint} {
			if text != "" && bytes.Contains(plain, []byte(text)) {
				t.Errorf("%q is in the plain part", text)
			}
		}
		// What cannot be unsealed is not there, and the rest is.
		want := s
		want.Session, want.Endpoint = "", ""
		if got, err := ParseServer(plain, nil); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("unsealed: %+v, %v", got, err)
		}
	}
}

// Any page of the origin can write the plain part. It may not choose where
// messages go, nor under whose session.
func TestServerSecretsOfThePlainPart(t *testing.T) {
	s := goldenServers()[1]
	plain, secret := AppendServer(&s)
	for name, parts := range map[string][2][]byte{
		"endpoint in plain": {AppendField(bytes.Clone(plain), TagEndpoint, []byte("https://evil.example")),
			secret},
		"session in plain":   {AppendField(bytes.Clone(plain), TagSession, []byte("sid-2")), nil},
		"revision in secret": {plain, AppendField(bytes.Clone(secret), TagRevision, []byte("2024-11-05"))},
		"tools in secret":    {plain, AppendField(bytes.Clone(secret), TagTools, []byte("{}"))},
		"the parts swapped":  {secret, plain},
	} {
		if got, err := ParseServer(parts[0], parts[1]); err != ErrCorrupt ||
			!reflect.DeepEqual(got, Server{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestServerOwnsItsBytes(t *testing.T) {
	s := goldenServers()[1]
	plain, secret := AppendServer(&s)
	got, _ := ParseServer(plain, secret)
	clear(plain)
	clear(secret)
	if !reflect.DeepEqual(got, s) {
		t.Errorf("%+v", got)
	}
}
