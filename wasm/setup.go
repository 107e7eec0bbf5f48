//go:build js && wasm

package main

import (
	"github.com/hack-pad/safejs"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/tabs"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// setUp is what the functions of the cold road have in common. create reads the
// options and makes the client; it opens unless an option was of the wrong type.
func setUp(name string, args []safejs.Value, create func(o *jsbridge.Options, seed uint64) *client) (result any) {
	defer func() {
		if r := recover(); r != nil {
			die(r)
			result = dead
		}
	}()
	if panicked {
		return dead
	}
	if len(args) != 1 {
		return name + " takes one object"
	}
	seed, err := jsbridge.Random64()
	if err != nil {
		return "crypto.getRandomValues: " + err.Error()
	}
	o := jsbridge.ReadOptions(args[0])
	c := create(o, seed)
	if tab := o.String("tab"); tab != "" {
		c.tabs = tabs.New(tabs.Config{Tab: tab, Deaf: o.Bool("deaf"), Abrupt: o.Bool("abrupt"), Seed: seed}, c.machine)
	}
	if err := o.Err(); err != nil {
		return err.Error()
	}
	return int(c.open())
}

// headerOf reads the app's header fields: name, value, name, value ...
func headerOf(o *jsbridge.Options) []engine.Field {
	var header []engine.Field
	list := o.Strings("headers")
	for i := 0; i+1 < len(list); i += 2 {
		header = append(header, engine.Field{Name: list[i], Value: latin1(list[i+1])})
	}
	return header
}

// epochOf reads the epoch, which the store counts. Without one a random epoch
// keeps the ids of two loads of a page apart: 29 bits, so that they stay below
// 2^53 with the counter.
func epochOf(o *jsbridge.Options, seed uint64) uint32 {
	if n := uint32(o.Int("epoch")); n != 0 {
		return n
	}
	return uint32(seed % link.EpochLimit)
}

// latin1 turns a byte string (one character per byte, as fetch takes header
// values) into the bytes that it stands for.
func latin1(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}
