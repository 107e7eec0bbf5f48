package transcript

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// base64Bytes returns how many bytes a JSON string decodes to, and whether it is base64 at all (RFC 4648
// section 4; the padding may be missing). The page decodes it: an error there would come too late to be one
// of the agent's.
func base64Bytes(raw []byte) (n int, ok bool) {
	text, ok := base64Text(raw)
	if !ok {
		return 0, false
	}
	end := len(text)
	for pad := 0; pad < 2 && len(text)%4 == 0 && end > 0 && text[end-1] == '='; pad++ {
		end--
	}
	for _, c := range text[:end] {
		if c|0x20-'a' >= 26 && c-'0' >= 10 && c != '+' && c != '/' {
			return 0, false
		}
	}
	if end%4 == 1 {
		return 0, false
	}
	return end/4*3 + max(end%4-1, 0), true
}

// base64Prefix returns what encodes the first n bytes, a multiple of three.
func base64Prefix(raw []byte, n int) []byte {
	text, _ := base64Text(raw)
	return text[:n/3*4]
}

// base64Text returns what is between the quotes. Some encoders escape the slash, which JSON allows.
func base64Text(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], true
	}
	text, ok := jsonrpc.String(raw)
	return []byte(text), ok
}
