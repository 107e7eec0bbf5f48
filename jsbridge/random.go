//go:build js && wasm

package jsbridge

import "github.com/hack-pad/safejs"

// Random64 returns 64 bits from crypto.getRandomValues. crypto/rand would add
// 100 KB to the wasm for the same call.
func Random64() (uint64, error) {
	global, err := global()
	if err != nil {
		return 0, err
	}
	crypto, err := global.Get("crypto")
	if err != nil {
		return 0, err
	}
	class, err := global.Get("Uint8Array")
	if err != nil {
		return 0, err
	}
	array, err := class.New(8)
	if err != nil {
		return 0, err
	}
	if _, err := crypto.Call("getRandomValues", array); err != nil {
		return 0, err
	}
	var b [8]byte
	if _, err := safejs.CopyBytesToGo(b[:], array); err != nil {
		return 0, err
	}
	var n uint64
	for _, x := range b {
		n = n<<8 | uint64(x)
	}
	return n, nil
}
