package jsonrpc

import "bytes"

// IsObject reports whether a JSON value, of which only the first byte is looked at, is an object.
func IsObject(value []byte) bool {
	i := skipSpace(value, 0)
	return i < len(value) && value[i] == '{'
}

// Member returns the raw value of a member of an object, which must be (part of) a text that Parse or Valid
// accepted. The key is compared decoded and case-sensitively. A key that is there twice counts as absent,
// because JSON.parse would take the last one and a state machine must not act on a value that the page sees
// differently. Something that is not an object has no members. The value aliases object.
func Member(object []byte, key string) (value []byte, ok bool) {
	w, is := walkObject(object)
	if !is {
		return nil, false
	}
	for w.next() {
		if !named(w.key, key) {
			continue
		}
		if ok {
			return nil, false
		}
		value, ok = w.value, true
	}
	if w.bad != fine {
		return nil, false
	}
	return value, ok
}

// First returns the raw value of the first member of an object with that key, nil for none. Unlike [Member]
// it does not look at what follows, which may be long: for texts that this side has written, where no key is
// there twice.
func First(object []byte, key string) []byte {
	w, is := walkObject(object)
	for is && w.next() {
		if named(w.key, key) {
			return w.value
		}
	}
	return nil
}

// Members looks up several keys in one pass: out[i] becomes the raw value of keys[i] or nil, by the rules of
// [Member]. The keys must differ, and out must be at least as long as keys.
func Members(object []byte, keys []string, out [][]byte) {
	out = out[:len(keys)]
	clear(out)
	w, is := walkObject(object)
	if !is {
		return
	}
	for w.next() {
		for i, key := range keys {
			if !named(w.key, key) {
				continue
			}
			if out[i] == nil {
				out[i] = w.value
			} else {
				out[i] = object[:0] // not nil and shorter than any value: there twice
			}
			break
		}
	}
	for i := range out {
		if w.bad != fine || len(out[i]) == 0 {
			out[i] = nil
		}
	}
}

func walkObject(object []byte) (walker, bool) {
	i := skipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return walker{}, false
	}
	return walker{text: object, pos: i, limit: MaxDepth}, true
}

func named(raw []byte, key string) bool {
	if string(raw) == key {
		// A raw text with a backslash in it is never its own meaning.
		return bytes.IndexByte(raw, '\\') < 0
	}
	return bytes.IndexByte(raw, '\\') >= 0 && spells(raw, key)
}
