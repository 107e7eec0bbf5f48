// Command integrity prints the digests of files, as the option integrity of a fetch has them: the
// worker's script takes no wasm that has none of these.
//
//	go run ./web/scripts/integrity web/dist/holdfast.wasm web/dist/holdfast-agents.wasm
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

func main() {
	digests, err := of(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "integrity:", err)
		os.Exit(1)
	}
	fmt.Println(digests)
}

// of returns the digests of the files, of which there has to be one.
func of(files []string) (string, error) {
	if len(files) == 0 {
		return "", fmt.Errorf("usage: integrity file...")
	}
	digests := make([]string, len(files))
	for i, name := range files {
		bytes, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(bytes)
		digests[i] = "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
	}
	return strings.Join(digests, " "), nil
}
