package sse

import "strings"

// reference reads whole connections the way the standards put it: first the
// UTF-8 decoder of the Encoding standard over all bytes, then HTML 9.2.6 line by
// line over code points. It is slow, keeps everything, and shares no code
// with the parser.
func reference(conns []string) outcome {
	out := outcome{retry: -1}
	for _, conn := range conns {
		refConnection(decodeUTF8(conn), &out)
	}
	return out
}

// decodeUTF8 is "UTF-8 decode" with the decoder's handler written out
// (https://encoding.spec.whatwg.org/#utf-8-decoder).
func decodeUTF8(s string) []rune {
	s = strings.TrimPrefix(s, "\xEF\xBB\xBF")
	var out []rune
	codePoint, seen, needed := rune(0), 0, 0
	lower, upper := byte(0x80), byte(0xBF)
	for i := 0; i < len(s); i++ {
		b := s[i]
		if needed == 0 {
			switch {
			case b <= 0x7F:
				out = append(out, rune(b))
			case b >= 0xC2 && b <= 0xDF:
				needed, codePoint = 1, rune(b&0x1F)
			case b >= 0xE0 && b <= 0xEF:
				if b == 0xE0 {
					lower = 0xA0
				}
				if b == 0xED {
					upper = 0x9F
				}
				needed, codePoint = 2, rune(b&0xF)
			case b >= 0xF0 && b <= 0xF4:
				if b == 0xF0 {
					lower = 0x90
				}
				if b == 0xF4 {
					upper = 0x8F
				}
				needed, codePoint = 3, rune(b&0x7)
			default:
				out = append(out, 0xFFFD)
			}
			continue
		}
		if b < lower || b > upper {
			codePoint, needed, seen = 0, 0, 0
			lower, upper = 0x80, 0xBF
			i-- // "restore byte to ioQueue"
			out = append(out, 0xFFFD)
			continue
		}
		lower, upper = 0x80, 0xBF
		codePoint = codePoint<<6 | rune(b&0x3F)
		if seen++; seen == needed {
			out = append(out, codePoint)
			codePoint, needed, seen = 0, 0, 0
		}
	}
	if needed > 0 {
		out = append(out, 0xFFFD)
	}
	return out
}

// refConnection is 9.2.6, with what Event adds to it.
func refConnection(text []rune, out *outcome) {
	var data, typ string
	id := out.lastID // the one departure, see the package comment
	hasID, retry := false, int64(-1)
	for len(text) > 0 {
		end := 0
		for end < len(text) && text[end] != '\n' && text[end] != '\r' {
			end++
		}
		if end == len(text) {
			return // an unfinished line: discarded with the block
		}
		line := string(text[:end])
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
			end++
		}
		text = text[end+1:]

		if line == "" {
			out.lastID = id
			ev := record{typ: typ, id: id, hasID: hasID, retry: retry}
			if data != "" {
				ev.kind, ev.data = Message, strings.TrimSuffix(data, "\n")
				out.stats.Messages++
			} else if hasID || retry >= 0 {
				ev.kind = Bare
				out.stats.Bares++
			}
			if ev.kind != 0 {
				out.events = append(out.events, ev)
			}
			data, typ, hasID, retry = "", "", false, -1
			continue
		}
		if strings.HasPrefix(line, ":") {
			out.stats.Comments++
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			typ = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				id, hasID = value, true
			}
		case "retry":
			if n, ok := refRetry(value); ok {
				out.retry, retry = n, n
			}
		default:
			out.stats.Unknown++
		}
	}
}

// refRetry compares decimal texts, so that it has no integer to overflow.
func refRetry(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	const most = "9007199254740992"
	s = strings.TrimLeft(s, "0")
	if len(s) > len(most) || len(s) == len(most) && s > most {
		return 1 << 53, true
	}
	n := int64(0)
	for _, c := range s {
		n = n*10 + int64(c-'0')
	}
	return n, true
}
