package jsonrpc

// Elements returns the raw values of an array's elements, which must be (part of) a text that Parse or Valid
// accepted. Something that is not an array has none. The values alias array.
func Elements(array []byte) [][]byte { return AppendElements(nil, array) }

// AppendElements appends what [Elements] returns to list, whose memory a caller can use again and again.
func AppendElements(list [][]byte, array []byte) [][]byte {
	i := skipSpace(array, 0)
	if i >= len(array) || array[i] != '[' {
		return list
	}
	had := len(list)
	for i = skipSpace(array, i+1); i < len(array) && array[i] != ']'; i = skipSpace(array, i) {
		end, p := skip(array, i, MaxDepth)
		if p != fine || end <= i {
			return list[:had]
		}
		list = append(list, array[i:end:end])
		if i = skipSpace(array, end); i < len(array) && array[i] == ',' {
			i = skipSpace(array, i+1)
		}
	}
	return list
}
