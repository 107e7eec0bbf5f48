//go:build !js

package e2e

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// messages are what a server or an agent sends, of the kinds that e2e/cmd/messages
// makes from the schemas. A kind is named "mcp.CallToolResult 2025-11-25".
//
//go:embed testdata/messages.json
var messagesJSON string

// canaries are texts that are unlike any other, each with a name. All begin alike, so
// that one search finds them all.
type canaries struct {
	prefix string
	mu     sync.Mutex // of what follows: servers make some while they answer
	names  []string
	kinds  map[string]bool // of messages that were asked for
}

func newCanaries() *canaries { return &canaries{prefix: secret(), kinds: map[string]bool{}} }

// of returns the canary of that name.
func (c *canaries) of(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.names, name)
	if i < 0 {
		i, c.names = len(c.names), append(c.names, name)
	}
	return fmt.Sprintf("%s%04d", c.prefix, i)
}

// message returns the messages of a kind as JSON, each free string a canary.
func (c *canaries) messages(t *testing.T, kind string) []string {
	t.Helper()
	var all map[string][]json.RawMessage
	if err := json.Unmarshal([]byte(messagesJSON), &all); err != nil || len(all[kind]) == 0 {
		t.Fatalf("no messages of %s: %v", kind, err)
	}
	c.mu.Lock()
	c.kinds[kind] = true
	c.mu.Unlock()
	var made []string
	for _, raw := range all[kind] {
		var line bytes.Buffer // as an event carries it
		if err := json.Compact(&line, raw); err != nil {
			t.Fatal(err)
		}
		made = append(made, regexp.MustCompile("⟪[^⟫]*⟫").ReplaceAllStringFunc(line.String(),
			func(mark string) string {
				return c.of(strings.Trim(mark, "⟪⟫"))
			}))
	}
	return made
}

// has reports whether there are messages of a kind.
func (c *canaries) has(t *testing.T, kind string) bool {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(messagesJSON), &all); err != nil {
		t.Fatal(err)
	}
	return all[kind] != nil
}

// set returns the first message of a kind with some members set, by their paths; nil
// leaves one out. A path that ends in an object that is not there says nothing.
func (c *canaries) set(t *testing.T, kind string, members map[string]any) string {
	t.Helper()
	var message map[string]any
	if err := json.Unmarshal([]byte(c.messages(t, kind)[0]), &message); err != nil {
		t.Fatal(err)
	}
	for path, value := range members {
		object, names := message, strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			object, _ = object[name].(map[string]any)
		}
		switch last := names[len(names)-1]; {
		case object == nil:
		case value == nil:
			delete(object, last)
		default:
			object[last] = value
		}
	}
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unused returns the kinds of messages that nobody has asked for.
func (c *canaries) unused(t *testing.T) []string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(messagesJSON), &all); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(all, func(kind string, _ any) bool { return c.kinds[kind] })
	return slices.Sorted(maps.Keys(all))
}

// in names the canaries that content shows, in whatever disguise: "?" for one that
// is not spelled out.
func (c *canaries) in(content []byte) []string {
	found := map[string]bool{}
	for _, form := range disguises(c.prefix) {
		for rest := content; ; {
			i := bytes.Index(rest, form)
			if i < 0 {
				break
			}
			rest = rest[i+len(form):]
			name := "?"
			if n, err := strconv.Atoi(string(rest[:min(4, len(rest))])); err == nil && n < len(c.names) {
				name = c.names[n]
			}
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// classified says of every option where its strings are tried, or why they are not.
var classified = map[string]map[string]string{
	"ConnectOptions": {
		"client": "canary", "headers": "canary", "token": "canary", "principal": "canary",
		"handlers": "canary: what they answer",
		"revision": "one of the protocol's names", "credentials": "one of fetch's words",
		"rerun": "one of our words", "ack": "one of our words",
		"validate": "one of our words", "journal": "no free string", "timeouts": "numbers",
		"limits": "numbers", "retention": "numbers",
		"validator": "an address of the app's own", "wasm": "an address of the app's own",
		"worker":   "an address of the app's own",
		"record":   "a number; what is recorded is redacted: TestStoryRecorder, web/test/redact.test.ts",
		"recorder": "an address of the app's own",
		"host":     "one of our words", "fetch": "a function of the app's",
		"capabilities": "names that every server is told",
		"auth":         "TestFault122_CanariesOfSignIn, web/test/authsecrets.test.ts",
	},
	"CallOptions": {
		"key": "canary", "meta": "canary", "onprogress": "a function of the app's", "timeouts": "numbers",
		"ack": "one of our words", "rerun": "one of our words", "task": "a number",
	},
	"AgentOptions": {
		"client": "canary", "principal": "canary", "handlers": "canary: the option that is chosen",
		"headers": "canary", "token": "canary",
		"credentials": "one of fetch's words", "journal": "no free string", "timeouts": "numbers",
		"limits": "numbers", "wasm": "an address of the app's own",
		"worker": "an address of the app's own", "host": "one of our words", "fetch": "as of connect",
		"auth": "as of connect",
	},
	"SessionOptions": {"cwd": "canary", "mcpServers": "canary", "additionalDirectories": "canary"},
}

// stringless are types without a free string: numbers, flags, words of ours.
var stringless = regexp.MustCompile(
	`^(("[^"]*"|number|boolean|true|false|\d+|AbortSignal|undefined)( \| )?)+$`)

// TestFault122_EveryOptionIsClassified: a member of the four types of options that
// takes a free string, and that nobody has thought of as a secret, fails here. That
// what says canary is one in the story is not checked.
func TestFault122_EveryOptionIsClassified(t *testing.T) {
	for name, path := range map[string]string{
		"ConnectOptions": "../web/src/client/options.ts", "CallOptions": "../web/src/client/options.ts",
		"AgentOptions": "../web/src/agent/agentoptions.ts", "SessionOptions": "../web/src/agent/agent.ts",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		body := regexp.MustCompile(`(?s)export interface ` + name + `\b[^{]*\{\n(.*?)\n\}`).FindSubmatch(text)
		if body == nil {
			t.Fatalf("%s has no %s", path, name)
		}
		members := regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)\??: (.*);$`).FindAllSubmatch(body[1], -1)
		if len(members) < 3 {
			t.Errorf("%s has only %d members", name, len(members))
		}
		for _, m := range members {
			if classified[name][string(m[1])] == "" && !stringless.Match(m[2]) {
				t.Errorf("%s.%s: are its strings secret? Put it into classified", name, m[1])
			}
		}
	}
}
