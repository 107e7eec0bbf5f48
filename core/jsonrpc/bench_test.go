package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// benchTexts are the shapes of traffic that decided the design: a token of streamed text, a paragraph,
// structured content of two sizes, and one large result.
func benchTexts() []struct{ name, text string } {
	note := func(payload string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"seqNr":12,"data":` + payload +
			`}}`
	}
	filler := func(n int) string { return `"` + strings.Repeat("the quick brown fox jumps. ", n/27) + `"` }
	objects := func(size int) string {
		var b bytes.Buffer
		b.WriteByte('[')
		for i := 0; b.Len() < size; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"id":` + strconv.Itoa(i) + `,"name":"row ` + strconv.Itoa(i) +
				`","ok":true,"score":` + strconv.Itoa(i) + `.25,"tags":["a","b"]}`)
		}
		b.WriteByte(']')
		return b.String()
	}
	result := func(payload string) string {
		return `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":` +
			payload + `}],"isError":false}}`
	}
	return []struct{ name, text string }{
		{"string_200B", note(filler(100))},
		{"string_2KB", note(filler(2000))},
		{"chinese_2KB", note(`"` + strings.Repeat("断线重连之后继续接收", 66) + `"`)},
		{"escapes_2KB", note(`"` + strings.Repeat(`line of code();\n\t`, 110) + `"`)},
		{"objects_2KB", note(objects(1900))},
		{"objects_100KB", note(objects(100 << 10))},
		{"result_1MB", result(filler(1 << 20))},
	}
}

func BenchmarkParse(b *testing.B) {
	for _, c := range benchTexts() {
		text := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonrpc.Parse(text, jsonrpc.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncodingJSON does the same work with the standard library: find the envelope, leave payloads raw.
func BenchmarkEncodingJSON(b *testing.B) {
	for _, c := range benchTexts() {
		text := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var m struct {
					Version string          `json:"jsonrpc"`
					ID      json.RawMessage `json:"id"`
					Method  string          `json:"method"`
					Params  json.RawMessage `json:"params"`
					Result  json.RawMessage `json:"result"`
					Error   json.RawMessage `json:"error"`
				}
				if err := json.Unmarshal(text, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMembers looks up what a state machine asks of a payload, in one pass.
func BenchmarkMembers(b *testing.B) {
	keys := []string{"seqNr", "resultType", "isComplete", "taskId"}
	for _, c := range benchTexts() {
		m, err := jsonrpc.Parse([]byte(c.text), jsonrpc.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		payload := m.Params
		if payload == nil {
			payload = m.Result
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			var out [4][]byte
			for b.Loop() {
				jsonrpc.Members(payload, keys, out[:])
			}
		})
	}
}

func BenchmarkAppendRequest(b *testing.B) {
	params := []byte(`{"name":"search","arguments":{"query":"holdfast","limit":20}}`)
	meta := []byte(`{"progressToken":12}`)
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = jsonrpc.AppendRequest(dst[:0], 12, "tools/call", params, meta)
	}
	b.SetBytes(int64(len(dst)))
}
