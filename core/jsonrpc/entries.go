package jsonrpc

import "bytes"

// Entry is one member of an object: its key, decoded, and its raw value.
type Entry struct {
	Key   string
	Value []byte
}

// Entries returns the members of an object in their order, which must be (part of) a text that Parse or Valid
// accepted; at most limit of them, and more says that there are more. A key that is there twice is there
// twice. Something that is not an object has none. The values alias object.
func Entries(object []byte, limit int) (entries []Entry, more bool) {
	w, is := walkObject(object)
	if !is {
		return nil, false
	}
	for w.next() {
		if len(entries) == limit {
			return entries, true
		}
		entries = append(entries, Entry{Key: string(appendUnescaped(nil, w.key)), Value: w.value})
	}
	return entries, false
}

// Range calls do with each member of an object in turn, until that returns false: with its key, decoded and
// valid during the call, and its raw value. It is [Entries] without memory of its own, for what is looked at
// thousands of times.
func Range(object []byte, do func(key, value []byte) bool) {
	w, is := walkObject(object)
	if !is {
		return
	}
	for w.next() {
		key := w.key
		if bytes.IndexByte(key, '\\') >= 0 {
			key = appendUnescaped(nil, key)
		}
		if !do(key, w.value) {
			return
		}
	}
}
