package journal_test

import (
	"bytes"
	"reflect"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// A newer version that says that we can read what it writes: what we do not
// know of it is skipped.
func TestSkipsWhatANewerVersionAdds(t *testing.T) {
	h := fullHead()
	b := AppendHead(nil, &h)
	b[0] = 2
	b = AppendField(b, 100, []byte("a field of version 2"))
	b = AppendBytes(append(b, 0x80, 1), []byte("and its tag 128"))
	got, err := ParseHead(b)
	if err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("head: %+v, %v", got, err)
	}

	for _, kind := range []Kind{LastSkippable + 1, 200, 255} {
		plain, secret := row(everyKind()...)
		want := fold(t, everyKind())
		unknown := AppendBytes([]byte{byte(kind)}, []byte("\xff\xff anything"))
		for _, p := range []*[]byte{&plain, &secret} {
			*p = bytes.Join([][]byte{{2, 1}, unknown, (*p)[2:], unknown}, nil)
		}
		r := recorded.New(Head{Method: "tools/call"}, 0)
		if err := r.Apply(plain, secret, nil); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
		r.Bytes = want.Bytes
		if dump(r) != dump(want) {
			t.Errorf("kind %d: %s", kind, dump(r))
		}
	}

	s := goldenServers()[1]
	plain, secret := AppendServer(&s)
	plain[0], secret[0] = 9, 9
	plain, secret = AppendField(plain, 77, []byte("x")), AppendField(secret, 77, []byte("x"))
	if got, err := ParseServer(plain, secret); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("server: %+v, %v", got, err)
	}

	failure := someOutcomes()[2].Data
	want, _ := ParseFailure(failure)
	newer := AppendField(append([]byte{3, 1}, failure[2:]...), 50, []byte("x"))
	if got, err := ParseFailure(newer); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("failure: %+v, %v", got, err)
	}
}

// One that says that we cannot: ErrNewer, and nothing has changed.
func TestRefusesWhatANewerVersionChanges(t *testing.T) {
	newer := func(b []byte) []byte { return append([]byte{2, 2}, b[2:]...) }
	h := fullHead()
	if got, err := ParseHead(newer(AppendHead(nil, &h))); err != ErrNewer || !reflect.DeepEqual(got, Head{}) {
		t.Errorf("head: %+v, %v", got, err)
	}
	s := goldenServers()[1]
	plain, secret := AppendServer(&s)
	for _, parts := range [][2][]byte{{newer(plain), secret}, {plain, newer(secret)}} {
		if got, err := ParseServer(parts[0], parts[1]); err != ErrNewer || !reflect.DeepEqual(got, Server{}) {
			t.Errorf("server: %+v, %v", got, err)
		}
	}
	if got, err := ParseFailure(newer(someOutcomes()[2].Data)); err != ErrNewer || got != nil {
		t.Errorf("failure: %+v, %v", got, err)
	}
	r := fold(t, everyKind())
	before := dump(r)
	plain, secret = row(everyKind()...)
	for _, parts := range [][2][]byte{{newer(plain), secret}, {plain, newer(secret)}, {{2, 2}, nil},
		{{255, 255, 7, 7, 7}, nil}} {
		if err := r.Apply(parts[0], parts[1], nil); err != ErrNewer || dump(r) != before {
			t.Errorf("row: %v, %s", err, dump(r))
		}
	}
}
