//go:build !js

// Messages writes messages that a server or an agent sends, from the schemas of the
// protocols, for the search for secrets (e2e/canaries_test.go): handshakes, lists,
// results, notifications, questions and tasks of each revision. Of the kinds in wanted
// every member is there (of a member's alternatives the first), and every free string
// is a mark that names it.
//
//	go run ./e2e/cmd/messages <folder of the specifications> > e2e/testdata/messages.json
//
// With -members it writes the names of all members that the schemas have, and their words
// (web/test/redact.test.ts).
//
//	go run ./e2e/cmd/messages -members <folder of the specifications> > web/test/testdata/members.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// served are the kinds that a server sends in whichever revision has them.
var served = []string{
	"InitializeResult", "DiscoverResult", "ListToolsResult", "ListResourcesResult",
	"ListResourceTemplatesResult", "ListPromptsResult",
	"ReadResourceResult", "GetPromptResult", "CompleteResult", "CallToolResult", "LoggingMessageNotification",
	"ProgressNotification",
	"ResourceUpdatedNotification", "ElicitRequest", "CreateMessageRequest", "ListRootsRequest",
	"InputRequiredResult", "CreateTaskResult", "GetTaskResult", "ListTasksResult", "Error",
}

// said are those that an agent sends.
var said = []string{"InitializeResponse", "NewSessionResponse", "ListSessionsResponse", "SessionUpdate",
	"RequestPermissionRequest"}

// wanted are the definitions that messages are made of, by schema; the folder of a
// schema is its protocol and version.
var wanted = map[string][]string{
	"mcp/2024-11-05": served, "mcp/2025-03-26": served, "mcp/2025-06-18": served, "mcp/2025-11-25": served,
	"mcp/2026-07-28": served,
	"mcp/ext-tasks":  {"CreateTaskResult", "GetTaskResult"},
	"acp/v1":         said, "acp/v2": said,
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-members" {
		writeMembers(os.Args[2])
		return
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: messages <folder of the specifications>")
		os.Exit(2)
	}
	all := map[string][]any{}
	for folder, names := range wanted {
		text, err := os.ReadFile(filepath.Join(os.Args[1], folder, "schema.json"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var schema struct {
			Defs  map[string]map[string]any `json:"$defs"`
			Older map[string]map[string]any `json:"definitions"`
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			fmt.Fprintln(os.Stderr, folder, err)
			os.Exit(1)
		}
		if schema.Defs == nil {
			schema.Defs = schema.Older
		}
		protocol, version, _ := strings.Cut(folder, "/")
		for _, name := range names {
			if schema.Defs[name] == nil {
				continue // another revision has it
			}
			m := maker{schema.Defs, nil}
			kind := protocol + "." + name + " " + version
			all[kind] = m.each(schema.Defs[name], kind)
		}
	}
	out, _ := json.MarshalIndent(all, "", " ")
	fmt.Println(string(out))
}

// maker makes values of a schema.
type maker struct {
	defs map[string]map[string]any
	open []string // definitions that are being made
}

// each returns a value for each alternative that a schema has, or the one.
func (m *maker) each(schema map[string]any, at string) (values []any) {
	if ref, ok := schema["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		if slices.Contains(m.open, name) {
			return nil
		}
		m.open = append(m.open, name)
		defer func() { m.open = m.open[:len(m.open)-1] }()
		return m.each(m.defs[name], at)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		options, ok := schema[key].([]any)
		if !ok {
			continue
		}
		for i, option := range options {
			for _, value := range m.each(option.(map[string]any), fmt.Sprint(at, "|", i)) {
				values = append(values, with(value, m.members(schema, at)))
			}
		}
		return values
	}
	if parts, ok := schema["allOf"].([]any); ok {
		var value any
		for _, part := range parts {
			if some := m.each(part.(map[string]any), at); len(some) > 0 {
				value = with(some[0], value)
			}
		}
		return []any{with(value, m.members(schema, at))}
	}
	return m.plain(schema, at)
}

func (m *maker) plain(schema map[string]any, at string) []any {
	if value, ok := schema["const"]; ok {
		return []any{value}
	}
	if values, ok := schema["enum"].([]any); ok {
		return values[:1]
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[0]
	}
	switch kind {
	case "string":
		return []any{"⟪" + at + "⟫"}
	case "integer", "number":
		return []any{1}
	case "boolean":
		return []any{true}
	case "null":
		return nil
	case "array":
		items, _ := schema["items"].(map[string]any)
		if values := m.each(items, at+"[]"); values != nil {
			return []any{values}
		}
		return []any{[]any{}}
	case nil:
		if schema["properties"] == nil && schema["additionalProperties"] == nil { // anything at all
			return []any{"⟪" + at + "⟫"}
		}
	}
	return []any{m.members(schema, at)}
}

// members returns an object with every member that a schema has.
func (m *maker) members(schema map[string]any, at string) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		inner, ok := property.(map[string]any)
		if !ok {
			inner = map[string]any{"type": "string"}
		}
		if values := m.each(inner, at+"."+name); len(values) > 0 {
			object[name] = values[0]
		}
	}
	if extra, ok := schema["additionalProperties"]; ok && extra != false ||
		schema["type"] == "object" && properties == nil {
		object["more"] = "⟪" + at + ".*⟫"
	}
	return object
}

// with returns an object with the members of another that it has not.
func with(value, more any) any {
	object, is := value.(map[string]any)
	others, are := more.(map[string]any)
	if !is || !are {
		if value == nil {
			return more
		}
		return value
	}
	for name, member := range others {
		if _, has := object[name]; !has {
			object[name] = member
		}
	}
	return object
}
