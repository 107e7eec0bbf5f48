package main

import (
	"fmt"
	"slices"
	"strings"
)

// lacking are the packages that ask the runtime for what layRuntime takes out: traces, profiles, arenas, and
// tests.
var lacking = []string{"arena", "plugin", "runtime/pprof", "runtime/trace", "testing"}

// checkNeeds stops the build of a program that asks for what the runtime lacks: by a package, or by a setting
// in its source (//go:debug), which is read as the environment's are. It would end, or be told less than is
// true.
func (l laid) checkNeeds(wanted program) error {
	args := append([]string{"list", "-deps", "-overlay=" + l.file, "-f",
		"{{.ImportPath}} {{.DefaultGODEBUG}}"}, wanted.tags()...)
	out, err := l.command(append(args, "./wasm")...).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", told(err))
	}
	return needs(string(out))
}

// needs reads lines of a package and its settings.
func needs(list string) error {
	for line := range strings.Lines(list) {
		name, settings, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains(lacking, name) {
			return fmt.Errorf(
				"the program imports %s, which asks for what is taken out of the runtime (runtime.go)", name)
		}
		if settings != "" {
			return fmt.Errorf("%s is built with %s, and the runtime reads no settings (runtime.go)", name,
				settings)
		}
	}
	return nil
}
