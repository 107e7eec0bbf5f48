package jsonrpc

// AppendWithout appends the JSON object without its members of that name. object must be (part of) a text
// that Parse or Valid accepted; something that is no object is appended as it is.
func AppendWithout(dst, object []byte, name string) []byte {
	w, is := walkObject(object)
	if !is {
		return append(dst, object...)
	}
	dst = append(dst, '{')
	first := true
	for w.next() {
		if named(w.key, name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), w.key...), '"', ':')
		dst = append(dst, w.value...)
	}
	return append(dst, '}')
}
