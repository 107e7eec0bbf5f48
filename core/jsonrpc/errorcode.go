package jsonrpc

// ErrorCode returns the code of an error object, 0 where it has none or no integer.
func ErrorCode(object []byte) int64 {
	value, _ := Member(object, "code")
	code, _ := Int(value)
	return code
}
