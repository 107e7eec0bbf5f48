package jsonrpc_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
)

var (
	//go:embed testdata/accept.txt
	acceptFile string
	//go:embed testdata/reject.txt
	rejectFile string
	//go:embed testdata/choices.txt
	choicesFile string
)

// vector is one JSON text and whether it has to be accepted.
type vector struct {
	text   string
	accept bool
	why    string // for a choice that RFC 8259 leaves open
}

// readVectors reads a vector file. They are embedded because the tests also run in a browser, without a file
// system.
func readVectors(t testing.TB, file string, read func(line string) vector) []vector {
	t.Helper()
	var all []vector
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		all = append(all, read(line))
	}
	return all
}

func unquote(t testing.TB, literal string) string {
	t.Helper()
	s, err := strconv.Unquote(literal)
	if err != nil {
		t.Fatalf("vector %s: %v", literal, err)
	}
	return s
}

func acceptVectors(t testing.TB) []vector {
	return readVectors(t, acceptFile,
		func(line string) vector { return vector{text: unquote(t, line), accept: true} })
}

func rejectVectors(t testing.TB) []vector {
	return readVectors(t, rejectFile, func(line string) vector { return vector{text: unquote(t, line)} })
}

func choiceVectors(t testing.TB) []vector {
	return readVectors(t, choicesFile, func(line string) vector {
		verdict, rest, _ := strings.Cut(line, " ")
		literal, why, ok := strings.Cut(rest, " -- ")
		if !ok || verdict != "accept" && verdict != "reject" {
			t.Fatalf("vector %s: want a verdict, a literal and a reason", line)
		}
		return vector{unquote(t, literal), verdict == "accept", why}
	})
}
