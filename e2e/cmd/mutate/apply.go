//go:build !js

package main

import (
	"fmt"
	"strings"
)

// swaps say what stands in a token's place, for each kind of mutant that gremlins lists.
var swaps = map[string]map[string]string{
	"ARITHMETIC_BASE":       {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
	"CONDITIONALS_BOUNDARY": {"<=": "<", ">=": ">", "<": "<=", ">": ">="},
	"CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="},
	"INCREMENT_DECREMENT":   {"++": "--", "--": "++"},
	"INVERT_NEGATIVES":      {"-": "+"},
	"INVERT_LOGICAL":        {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":       {"break": "continue", "continue": "break"},
	"INVERT_ASSIGNMENTS":    {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*="},
	"INVERT_BITWISE":        {"&^": "&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&"},
	"INVERT_BWASSIGN":       {"&^=": "&=", "<<=": ">>=", ">>=": "<<=", "&=": "|=", "|=": "&=", "^=": "&="},
	"REMOVE_SELF_ASSIGNMENTS": {
		"&^=": "=", "<<=": "=", ">>=": "=", "&=": "=", "|=": "=", "^=": "=", "+=": "=", "-=": "=", "*=": "=",
		"/=": "=", "%=": "=",
	},
}

// apply returns the source of a file with the mutant in it.
func apply(source string, m mutant) (string, error) {
	lines := strings.SplitAfter(source, "\n")
	if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1]) {
		return "", fmt.Errorf("%s has no line %d with a column %d", m.File, m.Line, m.Column)
	}
	line := lines[m.Line-1]
	before, rest := line[:m.Column-1], line[m.Column-1:]
	token := ""
	for candidate := range swaps[m.Type] {
		if strings.HasPrefix(rest, candidate) && len(candidate) > len(token) {
			token = candidate
		}
	}
	if token == "" {
		return "", fmt.Errorf("%s:%d:%d: no token of %s", m.File, m.Line, m.Column, m.Type)
	}
	lines[m.Line-1] = before + swaps[m.Type][token] + rest[len(token):]
	return strings.Join(lines, ""), nil
}
