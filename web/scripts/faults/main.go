// Command faults writes docs/faults.md, the catalogue of faults for people, from docs/faults.json, which has
// one row a fault. It puts the rows in order first, so that a new one may stand anywhere.
//
//	go generate ./web/scripts/faults
//
// With -check it writes nothing, and fails where one of both files is not what it would write.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . -root ../../..

func main() {
	root := flag.String("root", ".", "the root of the module")
	check := flag.Bool("check", false, "write nothing, and say what differs")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	data := filepath.Join(root, "docs", "faults.json")
	text, err := os.ReadFile(data)
	if err != nil {
		return err
	}
	rows, err := parse(text)
	if err != nil {
		return err
	}
	written, err := write(rows)
	if err != nil {
		return err
	}
	page, err := render(rows)
	if err != nil {
		return err
	}
	return errors.Join(put(data, written, check), put(filepath.Join(root, "docs", "faults.md"), page, check))
}

// put writes a file, or says whether it is as it would be written.
func put(name string, want []byte, check bool) error {
	if !check {
		return os.WriteFile(name, want, 0o666)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		return errors.Join(err, fmt.Errorf("%s is not as it is written: go generate ./web/scripts/faults",
			filepath.Base(name)))
	}
	return nil
}
