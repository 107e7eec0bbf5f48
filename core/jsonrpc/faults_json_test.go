package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Fault 13: bodies that are JSON, or only look like it. Every vector is judged bare, as a payload of a
// notification, of a response and of an error, and by encoding/json as a second opinion.
func TestFault13_JSONVectors(t *testing.T) {
	forms := []string{
		`%s`,
		`{"jsonrpc":"2.0","method":"m","params":{"v":%s}}`,
		`{"jsonrpc":"2.0","id":1,"result":%s}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":[%s,0]}}`,
	}
	for _, file := range []struct {
		name    string
		vectors []vector
		least   int // so that no edit empties a file unnoticed
	}{
		{"accept", acceptVectors(t), 95},
		{"reject", rejectVectors(t), 188},
		{"choices", choiceVectors(t), 35},
	} {
		if n := len(file.vectors); n < file.least {
			t.Errorf("%s: %d vectors, want at least %d", file.name, n, file.least)
		}
		for _, v := range file.vectors {
			// encoding/json has no opinion on invalid UTF-8: it replaces it.
			if utf8.ValidString(v.text) && json.Valid([]byte(v.text)) != v.accept {
				t.Errorf("%s: encoding/json disagrees on %q", file.name, v.text)
			}
			for i, form := range forms {
				text := []byte(fmt.Sprintf(form, v.text))
				err := jsonrpc.Valid(text, 0)
				if i > 0 {
					if _, perr := jsonrpc.Parse(text, jsonrpc.Limits{}); codeOf(perr) != codeOf(err) {
						t.Errorf("%s: Parse(%q) = %v, Valid = %v", file.name, text, perr, err)
					}
				}
				want := jsonrpc.Code(0)
				if !v.accept {
					want = jsonrpc.Syntax
				}
				if codeOf(err) != want {
					t.Errorf("%s: Valid(%q) = %v %s", file.name, text, err, v.why)
				}
			}
		}
	}

	// A bad body is an error of that body: the next one is read as if it had not been there.
	if _, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","method":"m"`), jsonrpc.Limits{}); codeOf(
		err) != jsonrpc.Syntax {
		t.Errorf("cut message: %v", err)
	}
	if m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","method":"m"}`), jsonrpc.Limits{}); err != nil ||
		m.Kind != jsonrpc.Notification {
		t.Errorf("next message: %v, %v", m.Kind, err)
	}
}

// Fault 14 (and the deep value of fault 72): nesting is refused at the limit, by counting.
func TestFault14_NestingDepth(t *testing.T) {
	nested := func(open, core, shut string, n int) string {
		return strings.Repeat(open, n) + core + strings.Repeat(shut, n)
	}
	shapes := []struct{ name, open, core, shut string }{
		{"arrays", `[`, `1`, `]`},
		{"empty arrays", `[`, ``, `]`},
		{"objects", `{"a":`, `1`, `}`},
		{"both", `[{"a":`, `1`, `}]`},
	}
	for _, s := range shapes {
		levels := strings.Count(s.open, "[") + strings.Count(s.open, "{")
		for _, limit := range []int{2, 64, 66, 512, 1024} {
			at := nested(s.open, s.core, s.shut, limit/levels)
			if err := jsonrpc.Valid([]byte(at), limit); err != nil {
				t.Errorf("%s: %d levels with a limit of %d: %v", s.name, limit, limit, err)
			}
			over := "[" + at + "]"
			if err := jsonrpc.Valid([]byte(over), limit); codeOf(err) != jsonrpc.Depth {
				t.Errorf("%s: %d levels with a limit of %d: %v", s.name, limit+1, limit, err)
			}
			// The message object itself is one level.
			msg := `{"jsonrpc":"2.0","id":1,"result":` + at + `}`
			if _, err := jsonrpc.Parse([]byte(msg), jsonrpc.Limits{Depth: limit}); codeOf(
				err) != jsonrpc.Depth {
				t.Errorf("%s: a message of %d levels with a limit of %d: %v", s.name, limit+1, limit, err)
			}
			if limit < jsonrpc.MaxDepth {
				if _, err := jsonrpc.Parse([]byte(msg), jsonrpc.Limits{Depth: limit + 1}); err != nil {
					t.Errorf("%s: a message of %d levels with that limit: %v", s.name, limit+1, err)
				}
			}
		}
		// The default, for zero and negative limits; and no limit goes beyond MaxDepth.
		for _, limit := range []struct{ asked, is int }{{0, 512}, {-1, 512}, {1 << 30, 1024}} {
			at := nested(s.open, s.core, s.shut, limit.is/levels)
			if err := jsonrpc.Valid([]byte(at), limit.asked); err != nil {
				t.Errorf("%s: %d levels with a limit of %d: %v", s.name, limit.is, limit.asked, err)
			}
			if err := jsonrpc.Valid([]byte("["+at+"]"), limit.asked); codeOf(err) != jsonrpc.Depth {
				t.Errorf("%s: %d levels with a limit of %d: %v", s.name, limit.is+1, limit.asked, err)
			}
		}
		// 5,000 levels, which structuredClone refuses, and 100,000, closed or cut off: refused where the
		// limit is, so nothing behind it is read.
		for _, n := range []int{5_000, 100_000} {
			for _, shut := range []string{s.shut, ""} {
				head := `{"jsonrpc":"2.0","method":"m","params":`
				msg := []byte(head + nested(s.open, s.core, shut, n/levels) + `}`)
				_, err := jsonrpc.Parse(msg, jsonrpc.Limits{})
				e, _ := err.(*jsonrpc.Error)
				if e == nil || e.Code != jsonrpc.Depth || e.Offset != len(head)+511/levels*len(s.open)+
					511%levels {
					t.Errorf("%s: %d levels: %v", s.name, n, err)
				}
				if allocs := testing.AllocsPerRun(5,
					func() { _, _ = jsonrpc.Parse(msg, jsonrpc.Limits{}) }); allocs > 1 {
					t.Errorf("%s: %d levels: %v allocations, want the error's alone", s.name, n, allocs)
				}
			}
		}
	}

	// Brackets must match on every level, also where the bits that remember them cross a word.
	for depth := 1; depth <= 200; depth++ {
		var open, shut []byte
		for i := range depth {
			if i*i%7 < 3 { // any irregular pattern
				open, shut = append(open, '['), append(shut, ']')
			} else {
				open, shut = append(open, `{"":`...), append(shut, '}')
			}
		}
		for i, j := 0, len(shut)-1; i < j; i, j = i+1, j-1 {
			shut[i], shut[j] = shut[j], shut[i]
		}
		good := string(open) + "0" + string(shut)
		if err := jsonrpc.Valid([]byte(good), 0); err != nil {
			t.Fatalf("%s: %v", good, err)
		}
		for i := range shut {
			shut[i] ^= ']' ^ '}'
			if bad := string(open) + "0" + string(shut); codeOf(
				jsonrpc.Valid([]byte(bad), 0)) != jsonrpc.Syntax {
				t.Fatalf("%s was accepted", bad)
			}
			shut[i] ^= ']' ^ '}'
		}
	}
}
