//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// writeMembers writes the names of the members that the schemas below a folder have, each with the words that
// it may be.
func writeMembers(folder string) {
	members := map[string]map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "schema.json" && entry.Name() != "schema.unstable.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			return err
		}
		gather(schema, members)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	words := map[string][]string{}
	for member, of := range members {
		words[member] = slices.AppendSeq([]string{}, maps.Keys(of))
		slices.Sort(words[member])
	}
	out, _ := json.MarshalIndent(words, "", " ")
	fmt.Println(string(out))
}

// gather notes the members of all objects that a schema describes.
func gather(schema any, members map[string]map[string]bool) {
	switch s := schema.(type) {
	case []any:
		for _, each := range s {
			gather(each, members)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for name, of := range properties {
			if members[name] == nil {
				members[name] = map[string]bool{}
			}
			of, _ := of.(map[string]any)
			words, _ := of["enum"].([]any)
			for _, word := range append(words, of["const"]) {
				if word, ok := word.(string); ok {
					members[name][word] = true
				}
			}
		}
		for _, each := range s {
			gather(each, members)
		}
	}
}
