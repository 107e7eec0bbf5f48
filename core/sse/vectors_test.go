package sse

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Embedded, not read: the same tests run inside a browser, without files.
//
//go:embed testdata/vectors/*.txt
var vectorFiles embed.FS

// vector is one block of testdata/vectors, described in its README.txt.
type vector struct {
	name   string
	pins   string
	limits Limits
	conns  []string
	want   outcome
}

// loadVectors reads all of testdata/vectors.
func loadVectors(t testing.TB) []vector {
	t.Helper()
	files, err := vectorFiles.ReadDir("testdata/vectors")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	names := map[string]bool{}
	for _, f := range files {
		text, err := vectorFiles.ReadFile("testdata/vectors/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			if name, ok := strings.CutPrefix(line, "== "); ok {
				if names[name] {
					t.Fatalf("%s:%d: second vector %q", f.Name(), n+1, name)
				}
				names[name] = true
				all = append(all, vector{name: name, conns: []string{""}, want: outcome{retry: -1}})
				continue
			}
			if len(all) == 0 {
				t.Fatalf("%s:%d: no vector yet", f.Name(), n+1)
			}
			if err := all[len(all)-1].parseLine(line); err != nil {
				t.Fatalf("%s:%d: %v", f.Name(), n+1, err)
			}
		}
	}
	return all
}

func (v *vector) parseLine(line string) error {
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "§":
		v.pins = rest
	case "limits":
		_, err := fmt.Sscan(rest, &v.limits.Line, &v.limits.Event)
		return err
	case "<":
		s, err := strconv.Unquote(rest)
		v.conns[len(v.conns)-1] += s
		return err
	case "--":
		v.conns = append(v.conns, "")
	case ">":
		ev, err := parseRecord(rest)
		v.want.events = append(v.want.events, ev)
		return err
	case "=":
		end, err := parseRecord("end " + rest)
		v.want.lastID, v.want.retry = end.id, end.retry
		return err
	case "!":
		v.want.err = Code(rest)
	default:
		return fmt.Errorf("unknown line %q", line)
	}
	return nil
}

// parseRecord reads `kind key "value" key 5 flag ...`.
func parseRecord(s string) (record, error) {
	r := record{retry: -1}
	kind, s, _ := strings.Cut(s, " ")
	switch kind {
	case "message":
		r.kind = Message
	case "bare":
		r.kind = Bare
	case "end":
	default:
		return r, fmt.Errorf("unknown kind %q", kind)
	}
	for s != "" {
		var key, value string
		key, s, _ = strings.Cut(s, " ")
		if key == "new" {
			r.hasID = true
			continue
		}
		if key == "retry" {
			value, s, _ = strings.Cut(s, " ")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return r, err
			}
			r.retry = n
			continue
		}
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return r, fmt.Errorf("value of %s: %v", key, err)
		}
		s = strings.TrimPrefix(s[len(quoted):], " ")
		value, _ = strconv.Unquote(quoted)
		switch key {
		case "data":
			r.data = value
		case "type":
			r.typ = value
		case "id":
			r.id = value
		default:
			return r, fmt.Errorf("unknown key %q", key)
		}
	}
	return r, nil
}

// TestVectors checks every vector against its written expectation, and the
// reference reader too, so that the oracle of the other tests is itself checked.
func TestVectors(t *testing.T) {
	vectors := loadVectors(t)
	if len(vectors) < 200 {
		t.Fatalf("%d vectors, want 200 or more", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			if v.pins == "" {
				t.Error("does not say what it pins")
			}
			got := feed(t, v.limits, v.conns, whole)
			got.stats = Stats{} // vectors say nothing about counters
			if diff := v.want.diff(got); diff != "" {
				t.Errorf("%s\n%s", v.pins, diff)
			}
			if v.limits != (Limits{}) {
				return // the reference reader knows no limits
			}
			ref := reference(v.conns)
			ref.stats = Stats{}
			if diff := v.want.diff(ref); diff != "" {
				t.Errorf("reference reader: %s\n%s", v.pins, diff)
			}
		})
	}
}
