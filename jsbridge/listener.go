//go:build js && wasm

package jsbridge

import "github.com/hack-pad/safejs"

// undos collects what has to be undone to end a watch: listeners to remove,
// timers to clear, Funcs to release.
type undos []func()

// listen adds an event listener and books its removal.
func (u *undos) listen(target safejs.Value, event string, do func(e safejs.Value)) error {
	callback, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		if len(args) > 0 {
			do(args[0])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := target.Call("addEventListener", event, callback.Value()); err != nil {
		callback.Release()
		return err
	}
	*u = append(*u, func() {
		_, _ = target.Call("removeEventListener", event, callback.Value())
		callback.Release()
	})
	return nil
}

// all undoes everything, once.
func (u *undos) all() {
	for _, undo := range *u {
		undo()
	}
	*u = nil
}
