//go:build !js

package main

import (
	"fmt"
	"testing"
)

// FuzzInstructions reads anything, and writes what it read so that it reads the same again.
func FuzzInstructions(f *testing.F) {
	f.Add(written(callOf(5)))
	f.Add([]byte{0x02, 0x40, 0x0e, 1, 0, 0, 0x0b, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 10, 0, 0, 0x43, 0, 0, 0,
		0, 0x3f, 0, 0x11, 0, 0})
	f.Fuzz(func(t *testing.T, code []byte) {
		list, err := instructions(code)
		if err != nil {
			return
		}
		again, err := instructions(written(list))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(list) {
			t.Errorf("%v became %v (%v)", list, again, err)
		}
		shorter(list)
	})
}
