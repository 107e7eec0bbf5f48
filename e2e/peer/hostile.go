//go:build !js

package peer

import (
	"fmt"
	"io"
	"strings"
)

// DeepJSON is an array nested depth levels (fault 14).
func DeepJSON(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// Fill writes text over and over until n bytes have gone or the client has
// gone. As Response.Write with a text without line end it makes a line that
// never ends.
func Fill(text string, n int) func(io.Writer) error {
	return func(w io.Writer) error {
		block := strings.Repeat(text, max(1, 32<<10/len(text)))
		for n > 0 {
			part := block[:min(n, len(block))]
			if _, err := io.WriteString(w, part); err != nil {
				return err
			}
			n -= len(part)
		}
		return nil
	}
}

// Garbage returns answers to a tools/list or tools/call that no client may take
// for a result, by name. All are bounded.
func Garbage() map[string]Response {
	sse := map[string]string{"Content-Type": "text/event-stream"}
	reply := func(body string) string { return `{"jsonrpc":"2.0",` + body + `}` }
	return map[string]Response{
		"html": {Header: map[string]string{"Content-Type": "text/html"},
			Body: "<!doctype html><title>Log in</title>"},
		"html called json":  {Body: "<!doctype html><title>Log in</title>"},
		"empty":             {},
		"empty object":      {Body: "{}"},
		"empty array":       {Body: "[]"},
		"null":              {Body: "null"},
		"half an object":    {Body: `{"jsonrpc":"2.0","id":$ID,"result":{`},
		"two objects":       {Body: reply(`"id":$ID,"result":{}`) + reply(`"id":$ID,"result":{}`)},
		"result and error":  {Body: reply(`"id":$ID,"result":{},"error":{"code":1,"message":"both"}`)},
		"neither":           {Body: reply(`"id":$ID`)},
		"id as string":      {Body: reply(`"id":"$ID","result":{}`)},
		"id as float":       {Body: reply(`"id":$ID.0,"result":{}`)},
		"id null":           {Body: reply(`"id":null,"result":{}`)},
		"id unknown":        {Body: reply(`"id":9007199254740993,"result":{}`)},
		"no version":        {Body: `{"id":$ID,"result":{}}`},
		"version 1.0":       {Body: `{"jsonrpc":"1.0","id":$ID,"result":{}}`},
		"wrong case":        {Body: `{"JSONRPC":"2.0","ID":$ID,"RESULT":{}}`},
		"duplicate key":     {Body: reply(`"id":$ID,"result":{},"result":{"content":[]}`)},
		"deep":              {Body: reply(fmt.Sprintf(`"id":$ID,"result":{"x":%s}`, DeepJSON(100_000)))},
		"202 without body":  {Status: 202},
		"204":               {Status: 204},
		"stream, no events": {Header: sse},
		"stream, half":      {Header: sse, Body: `data: {"jsonrpc":"2.0","id":$ID,"result":{}}`},
		"stream, bad json":  {Header: sse, Body: "data: {oops\n\n"},
		"endless line":      {Header: sse, Body: "data: ", Write: Fill("x", 64<<20)},
		"short body": {Header: map[string]string{"Content-Length": "4096"},
			Body: reply(`"id":$ID,"result":{}`)},
	}
}
