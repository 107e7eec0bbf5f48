//go:build !js

package jsonrpc_test

// In a browser there is no temporary file, which the testing package wants for the output of an example.

import (
	"errors"
	"fmt"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func ExampleParse() {
	m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"task","taskId":"786"}}`), jsonrpc.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	id, ours := m.ID.Uint()
	fmt.Println(m.Kind, id, ours)
	if raw, ok := jsonrpc.Member(m.Result, "taskId"); ok {
		task, _ := jsonrpc.String(raw)
		fmt.Println("task", task)
	}
	// Output:
	// response 7 true
	// task 786
}

func ExampleParse_refused() {
	_, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":7,"result":{},"error":{}}`), jsonrpc.Limits{})
	fmt.Println(errors.Is(err, &jsonrpc.Error{Code: jsonrpc.Envelope}))
	fmt.Println(err)
	// Output:
	// true
	// jsonrpc: envelope at byte 0: both result and error
}

func ExampleParseBatch() {
	text := []byte(`[{"jsonrpc":"2.0","id":1,"result":{}},{"id":2},{"jsonrpc":"2.0","method":"notifications/message"}]`)
	batch, err := jsonrpc.ParseBatch(text, jsonrpc.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, ok, err := batch.Next(); ok; m, ok, err = batch.Next() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.Kind)
	}
	// Output:
	// response
	// jsonrpc: envelope at byte 38: no jsonrpc member
	// notification
}

func ExampleMembers() {
	keys := []string{"seqNr", "isComplete", "taskId"}
	var found [3][]byte
	jsonrpc.Members([]byte(`{"isComplete":false,"content":[{"seqNr":99}],"seqNr":12}`), keys, found[:])
	fmt.Printf("%s %s %v\n", found[0], found[1], found[2] == nil)
	// Output: 12 false true
}

func ExampleAppendRequest() {
	meta := jsonrpc.AppendObject(nil, []byte(`{"trace":"x"}`), []byte(`"progressToken":5`))
	fmt.Printf("%s\n", jsonrpc.AppendRequest(nil, 5, "tools/call", []byte(`{ "name": "search" }`), meta))
	// Output: {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"progressToken":5,"trace":"x"},"name": "search"}}
}
