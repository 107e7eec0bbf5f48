//go:build !js

package peer

// poisoned are input schemas whose x-mcp-header annotations break the rules of
// 2026-07-28 basic/transports/streamable-http, schema extension: a client MUST
// leave their tools out of tools/list, and only theirs.
var poisoned = []struct{ name, schema string }{
	{"header_empty", `"a":{"type":"string","x-mcp-header":""}`},
	{"header_space", `"a":{"type":"string","x-mcp-header":"My Region"}`},
	{"header_colon", `"a":{"type":"string","x-mcp-header":"Region:"}`},
	{"header_newline", `"a":{"type":"string","x-mcp-header":"Region\r\nCookie"}`},
	{"header_control", `"a":{"type":"string","x-mcp-header":"Re\u0000gion"}`},
	{"header_not_ascii", `"a":{"type":"string","x-mcp-header":"Größe"}`},
	{"header_not_string", `"a":{"type":"string","x-mcp-header":7}`},
	{"header_twice",
		`"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"REGION"}`},
	{"header_on_number", `"a":{"type":"number","x-mcp-header":"Region"}`},
	{"header_on_object", `"a":{"type":"object","x-mcp-header":"Region"}`},
	{"header_on_array", `"a":{"type":"array","items":{"type":"string"},"x-mcp-header":"Region"}`},
	{"header_on_union", `"a":{"type":["string","null"],"x-mcp-header":"Region"}`},
	{"header_on_nothing", `"a":{"x-mcp-header":"Region"}`},
	{"header_in_items", `"a":{"type":"array","items":{"type":"string","x-mcp-header":"Region"}}`},
	{"header_in_one_of", `"a":{"oneOf":[{"type":"string","x-mcp-header":"Region"}]}`},
	{"header_in_any_of", `"a":{"anyOf":[{"type":"string","x-mcp-header":"Region"}]}`},
	{"header_in_all_of", `"a":{"allOf":[{"type":"string","x-mcp-header":"Region"}]}`},
	{"header_in_not", `"a":{"not":{"type":"string","x-mcp-header":"Region"}}`},
	{"header_in_then", `"a":{"if":{"type":"string"},"then":{"type":"string","x-mcp-header":"Region"}}`},
	{"header_in_ref", `"a":{"$ref":"#/$defs/r"}},"$defs":{"r":{"type":"string","x-mcp-header":"Region"}`},
	{"header_in_pattern",
		`"a":{"type":"string"}},"patternProperties":{"^b":{"type":"string","x-mcp-header":"Region"}`},
	{"header_in_additional",
		`"a":{"type":"string"}},"additionalProperties":{"type":"string","x-mcp-header":"Region"`},
}

// Poison adds tools whose x-mcp-header annotations are invalid, one of each
// kind, and returns their names. The tools that were there stay valid.
func (p *Peer) Poison() []string {
	var names []string
	for _, tool := range poisoned {
		p.Tool(tool.name, Script{Text("a client should not know me")},
			Schema(`{"type":"object","properties":{`+tool.schema+`}}`))
		names = append(names, tool.name)
	}
	return names
}
