package jsonrpc

import (
	"strings"
	"testing"
)

func TestElements(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                "",
		` [ ] `:                             "",
		`["a"]`:                             `"a"`,
		`[1, "a,]" ,{"b":[2,3]},[] , null]`: `1|"a,]"|{"b":[2,3]}|[]|null`,
		`{"a":1}`:                           "",
		`7`:                                 "",
		``:                                  "",
		`[1`:                                "1",
		`[1,`:                               "1",
		`[x]`:                               "",
	} {
		var got []string
		for _, e := range Elements([]byte(text)) {
			got = append(got, string(e))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("Elements(%s) = %q, want %s", text, got, want)
		}
	}
}
