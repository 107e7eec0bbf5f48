package jsonrpc

import "strconv"

// AppendRequest appends a request. The payloads are spliced in as they are and not checked: use [Valid] on
// what comes from outside. params is empty or a JSON object without a _meta member, meta empty or a JSON
// object, which becomes the first member of params. With neither there is no params member; with meta alone
// params holds just that. An array as params, which JSON-RPC allows and MCP does not use, is written as it is
// and leaves no room for meta.
func AppendRequest(dst []byte, id uint64, method string, params, meta []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendUint(dst, id, 10)
	return appendCall(dst, method, params, meta)
}

// AppendNotification appends a notification; params and meta as in [AppendRequest].
func AppendNotification(dst []byte, method string, params, meta []byte) []byte {
	return appendCall(append(dst, `{"jsonrpc":"2.0"`...), method, params, meta)
}

func appendCall(dst []byte, method string, params, meta []byte) []byte {
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, method)
	if len(params) > 0 || len(meta) > 0 {
		dst = append(dst, `,"params":`...)
		dst = appendParams(dst, params, meta)
	}
	return append(dst, '}')
}

func appendParams(dst, params, meta []byte) []byte {
	params = trim(params)
	if len(params) > 0 && params[0] != '{' {
		return append(dst, params...)
	}
	dst = append(dst, '{')
	rest := membersOf(params)
	if len(meta) > 0 {
		dst = append(dst, `"_meta":`...)
		dst = append(dst, trim(meta)...)
		if len(rest) > 0 {
			dst = append(dst, ',')
		}
	}
	dst = append(dst, rest...)
	return append(dst, '}')
}

// AppendResult appends the response to a request of the server. The id goes back exactly as it stood. result
// is any JSON value, spliced in as it is; empty stands for the empty object, MCP's empty result.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	if result = trim(result); len(result) == 0 {
		result = []byte("{}")
	}
	return appendReply(dst, id, `,"result":`, result)
}

// AppendErrorObject appends an error response whose error object (code, message, data) is raw JSON, spliced
// in as it is.
func AppendErrorObject(dst []byte, id ID, object []byte) []byte {
	return appendReply(dst, id, `,"error":`, object)
}

// AppendError appends an error response to a request of the server (JSON-RPC 2.0 section 5.1). The id goes
// back exactly as it stood; an absent one becomes null.
func AppendError(dst []byte, id ID, code int, message string) []byte {
	object := strconv.AppendInt([]byte(`{"code":`), int64(code), 10)
	object = AppendString(append(object, `,"message":`...), message)
	return AppendErrorObject(dst, id, append(object, '}'))
}

// appendReply is what all replies have in common; member is the one that says what kind it is. It is not
// inlined, which would cost the download some 4 KB of code: a reply is rare.
//
//go:noinline
func appendReply(dst []byte, id ID, member string, value []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = id.appendTo(dst)
	dst = append(dst, member...)
	dst = append(dst, value...)
	return append(dst, '}')
}

// AppendObject appends the JSON object base with further members put before its own. base is empty or an
// object; extra is members without braces, such as "progressToken":5, or empty. The caller sees to it that no
// key is in both.
func AppendObject(dst, base, extra []byte) []byte {
	dst = append(dst, '{')
	dst = append(dst, extra...)
	rest := membersOf(trim(base))
	if len(extra) > 0 && len(rest) > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, rest...)
	return append(dst, '}')
}

// membersOf returns what stands between the braces of an object without white space around it.
func membersOf(object []byte) []byte {
	if len(object) < 2 || object[0] != '{' {
		return nil
	}
	return trim(object[1 : len(object)-1])
}

// trim cuts off JSON's white space on both sides.
func trim(b []byte) []byte {
	b = b[skipSpace(b, 0):]
	for n := len(b); n > 0; n-- {
		if c := b[n-1]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return b[:n]
		}
	}
	return nil
}

// Raw appends JSON text that is written out. The wasm has the code that makes room once for it, not at each
// place.
//
//go:noinline
func Raw(dst []byte, text string) []byte { return append(dst, text...) }
