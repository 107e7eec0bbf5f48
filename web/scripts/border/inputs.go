package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// inHand is how many numbers an input has by themselves: further ones are in its frame.
const inHand = 3

// inputMethod is one row of the table: what JavaScript tells the core.
type inputMethod struct {
	number int
	name   string // in Go
	script string // in TypeScript
	doc    string
	timed  bool // it takes the time first
	params []param
	answer bool // its result is the answer word
}

type param struct{ name, typ string }

// payload reports whether a parameter is no number.
func (p param) payload() bool { return p.typ == "string" || p.typ == "[]byte" || p.typ == "[][]byte" }

// readInputs returns the methods of the table, interface by interface.
func readInputs(s *sources) ([][]inputMethod, error) {
	p, err := s.read("wasm")
	if err != nil {
		return nil, err
	}
	var all [][]inputMethod
	number := 0
	seen := map[string]bool{}
	for _, t := range inputTables {
		list := p.interfaceOf(t.name)
		if list == nil {
			return nil, fmt.Errorf("wasm has no interface %s", t.name)
		}
		var methods []inputMethod
		for _, field := range list.List {
			number++
			m := inputMethod{number: number, name: field.Names[0].Name}
			m.script = lowerFirst(t.prefix + m.name)
			m.doc = sentence(field.Doc.Text(), m.name)
			if err := m.read(field.Type.(*ast.FuncType)); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t.name, m.name, err)
			}
			if seen[m.script] || m.doc == "" {
				return nil, fmt.Errorf("%s.%s is there twice, or says nothing of itself", t.name, m.name)
			}
			seen[m.script] = true
			methods = append(methods, m)
		}
		all = append(all, methods)
	}
	return all, nil
}

// interfaceOf returns the methods of an interface type of a package's.
func (p *pkg) interfaceOf(name string) (list *ast.FieldList) {
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == name {
				if t, ok := spec.Type.(*ast.InterfaceType); ok {
					list = t.Methods
				}
			}
			return list == nil
		})
	}
	return list
}

func (m *inputMethod) read(f *ast.FuncType) error {
	for _, field := range f.Params.List {
		typ := typeName(field.Type)
		for _, name := range field.Names {
			if typ == "engine.Time" {
				m.timed = true
				continue
			}
			if strings.Contains(typ, "*") {
				return fmt.Errorf("a parameter of type %s", typ)
			}
			m.params = append(m.params, param{name.Name, typ})
		}
	}
	m.answer = f.Results != nil
	payloads := m.payloads()
	for i, p := range payloads {
		if p.typ == "[][]byte" && i != len(payloads)-1 {
			return fmt.Errorf("%s is not the last one", p.name)
		}
	}
	return nil
}

// payloads returns the parameters that are no numbers.
func (m *inputMethod) payloads() (list []param) {
	for _, p := range m.params {
		if p.payload() {
			list = append(list, p)
		}
	}
	return list
}

// framed reports whether an input's payload is a frame: it has several, a list of them, or more numbers than
// there is room for.
func (m *inputMethod) framed() bool {
	payloads := m.payloads()
	return len(payloads) > 1 || len(payloads) == 1 && payloads[0].typ == "[][]byte" || m.further() > 0
}

// further returns how many numbers of an input are in its frame.
func (m *inputMethod) further() int { return max(0, len(m.params)-len(m.payloads())-inHand) }

// sentence returns what a comment says of a method, without its name.
func sentence(doc, name string) string {
	text := strings.TrimPrefix(strings.Join(strings.Fields(doc), " "), name+" ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func lowerFirst(name string) string { return string(unicode.ToLower(rune(name[0]))) + name[1:] }

// generateDispatch returns Go's side: what calls the methods for clients of all kinds and of MCP, or for
// agents.
func generateDispatch(s *sources, agents bool) ([]byte, error) {
	all, err := readInputs(s)
	if err != nil {
		return nil, err
	}
	cases := map[string]*bytes.Buffer{"": {}, "mcp": {}, "agent": {}}
	last := 0 // number of an input of MCP's
	for i, t := range inputTables {
		for _, m := range all[i] {
			fmt.Fprintf(cases[t.of], "\tcase %d:\n%s", m.number, m.call(t.on))
			if t.of == "mcp" {
				last = m.number
			}
		}
	}
	b := &bytes.Buffer{}
	if agents {
		fmt.Fprintf(b, `// takeAgent calls the method of ACP's with that number.
func (c *client) takeAgent(op uint32, in *input) {
	switch op {
%s	}
}
`, cases["agent"])
	} else {
		fmt.Fprintf(b, `// take calls the method with that number: nothing comes of one of another protocol.
func (c *client) take(op uint32, in *input) {
	switch op {
%s	default:
		if c.mcp != nil && op <= %d {
			c.takeServer(op, in)
		} else if c.agent != nil {
			c.takeAgent(op, in)
		}
	}
}

// takeServer calls the method of MCP's with that number.
func (c *client) takeServer(op uint32, in *input) {
	switch op {
%s	}
}
`, cases[""], last, cases["mcp"])
	}
	tag := "js && wasm"
	if agents {
		tag += " && !mcponly"
	}
	text := b.String()
	head := &bytes.Buffer{}
	fmt.Fprintf(head, `// Code generated by web/scripts/border from wasm/inputs.go. DO NOT EDIT.

//go:build %s

package main

import (
`, tag)
	for _, folder := range slices.Sorted(maps.Keys(coreFolders)) {
		if strings.Contains(text, coreFolders[folder]+".") {
			fmt.Fprintf(head, "\t%q\n", module+folder)
		}
	}
	return format.Source([]byte(head.String() + ")\n\n" + text))
}

// coreFolders are the packages whose types inputs have.
var coreFolders = map[string]string{
	"core/engine": "engine", "core/journal": "journal", "core/durable": "durable", "core/link": "link",
	"core/tabs": "tabs",
}

// call writes the call of a method.
func (m *inputMethod) call(on string) string {
	b := &strings.Builder{}
	var arguments []string
	if m.timed {
		arguments = append(arguments, "in.now")
	}
	part := 0 // of the frame
	if m.further() > 0 {
		part = 1
	}
	number := 0
	for _, p := range m.params {
		switch {
		case p.typ == "[][]byte" && part == 0:
			arguments = append(arguments, "in.frame(0)")
		case p.typ == "[][]byte":
			arguments = append(arguments, fmt.Sprintf("p[%d:]", part))
		case p.payload():
			from := "in.bytes"
			if m.framed() {
				from = fmt.Sprintf("p[%d]", part)
				part++
			}
			if p.typ == "string" {
				from = "string(" + from + ")"
			}
			arguments = append(arguments, from)
		default:
			from := "in." + string(rune('a'+number))
			if number >= inHand {
				from = fmt.Sprintf("n[%d]", number-inHand)
			}
			number++
			switch p.typ {
			case "bool":
				from += " != 0"
			case "float64":
			default:
				from = p.typ + "(" + from + ")"
			}
			arguments = append(arguments, from)
		}
	}
	if part > 0 {
		fmt.Fprintf(b, "\t\tp := in.frame(%d)\n", part)
	}
	if n := m.further(); n > 0 {
		fmt.Fprintf(b, "\t\tn := further(p[0], %d)\n", n)
	}
	call := fmt.Sprintf("%s.%s(%s)", on, m.name, strings.Join(arguments, ", "))
	if m.answer {
		call = "table.Answer(uint32(" + call + "))"
	}
	fmt.Fprintf(b, "\t\t%s\n", call)
	return b.String()
}

const inputsHead = `// Code generated by web/scripts/border from wasm/inputs.go. DO NOT EDIT.
import { INPUT } from "../base/border.js";
import { numbers, type Payload } from "./table.js";

/** The inputs of the core: each method is one input. */
export abstract class Inputs {
  /**
   * Gives the core an input; "answered" gets its answer word before anything comes of it.
   * Returns how many effects there were.
   */
  protected abstract input(
    op: INPUT, client: number, payload?: Payload,
    a?: number, b?: number, c?: number, answered?: (answer: number) => void,
  ): number;
`

// generateInputs returns TypeScript's side.
func generateInputs(s *sources) ([]byte, error) {
	all, err := readInputs(s)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(inputsHead)
	for i, t := range inputTables {
		fmt.Fprintf(b, "\n  // %s\n", t.name)
		for _, m := range all[i] {
			m.write(b)
		}
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// write writes one method of TypeScript's.
func (m *inputMethod) write(b *bytes.Buffer) {
	parameters := []string{"client: number"}
	var numbers, payload []string
	for _, p := range m.params {
		typ, value := "number", p.name
		switch p.typ {
		case "bool":
			typ, value = "boolean", "+"+p.name
		case "string":
			typ = "string"
		case "[]byte":
			typ = "string | Uint8Array"
		case "[][]byte":
			typ, value = "readonly string[]", "..."+p.name
		}
		parameters = append(parameters, p.name+": "+typ)
		if p.payload() {
			payload = append(payload, value)
		} else {
			numbers = append(numbers, value)
		}
	}
	if n := m.further(); n > 0 {
		payload = slices.Insert(payload, 0, "numbers("+strings.Join(numbers[inHand:], ", ")+")")
		numbers = numbers[:inHand]
	}
	said := strings.Join(payload, ", ")
	switch {
	case len(payload) == 1 && strings.HasPrefix(said, "..."):
		said = said[3:]
	case m.framed():
		said = "[" + said + "]"
	case said == "" && len(numbers)+len(payload) > 0 || said == "" && m.answer:
		said = `""`
	}
	arguments := []string{"INPUT." + m.script, "client"}
	if said != "" {
		arguments = append(arguments, said)
	}
	arguments = append(arguments, numbers...)
	if m.answer {
		parameters = append(parameters, "answered: (answer: number) => void")
		for len(numbers) < inHand {
			numbers, arguments = append(numbers, "0"), append(arguments, "0")
		}
		arguments = append(arguments, "answered")
	}
	fmt.Fprintf(b, "  /** %s */\n  %s(%s): void {\n    this.input(%s);\n  }\n",
		m.doc, m.script, strings.Join(parameters, ", "), strings.Join(arguments, ", "))
}

// writeInputs writes the numbers of the inputs.
func writeInputs(b *bytes.Buffer, s *sources) error {
	all, err := readInputs(s)
	if err != nil {
		return err
	}
	b.WriteString("\n/** Inputs of the core, by number. (wasm/inputs.go) */\nexport enum INPUT {\n")
	for _, m := range slices.Concat(all...) {
		fmt.Fprintf(b, "  %s = %d,\n", m.script, m.number)
	}
	b.WriteString("}\n")
	return nil
}
