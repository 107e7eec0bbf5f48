//go:build js && wasm

package jsbridge

import (
	"errors"

	"github.com/hack-pad/safejs"
)

// Options reads the fields of a JavaScript object. The first field of a wrong
// type is remembered; later reads return zero values. A field that is
// undefined or null reads as zero.
type Options struct {
	object safejs.Value
	err    error
}

// ReadOptions returns a reader of object.
func ReadOptions(object safejs.Value) *Options { return &Options{object: object} }

// Err returns the first error, which names its field.
func (o *Options) Err() error { return o.err }

// String reads a string.
func (o *Options) String(name string) string {
	v, ok := o.field(name, safejs.TypeString)
	if !ok {
		return ""
	}
	s, err := v.String()
	o.note(name, err)
	return s
}

// Int reads a number, cut to an integer.
func (o *Options) Int(name string) int64 {
	v, ok := o.field(name, safejs.TypeNumber)
	if !ok {
		return 0
	}
	f, err := v.Float()
	o.note(name, err)
	return int64(f)
}

// Bool reads a boolean.
func (o *Options) Bool(name string) bool {
	v, ok := o.field(name, safejs.TypeBoolean)
	if !ok {
		return false
	}
	b, err := v.Bool()
	o.note(name, err)
	return b
}

// Strings reads an array of strings.
func (o *Options) Strings(name string) []string {
	v, ok := o.field(name, safejs.TypeObject)
	if !ok {
		return nil
	}
	n, err := v.Length()
	o.note(name, err)
	var list []string
	for i := 0; i < n && o.err == nil; i++ {
		item, err := v.Index(i)
		if err == nil && item.Type() != safejs.TypeString {
			err = errors.New("not a string")
		}
		o.note(name, err)
		if err == nil {
			s, err := item.String()
			o.note(name, err)
			list = append(list, s)
		}
	}
	return list
}

func (o *Options) field(name string, want safejs.Type) (safejs.Value, bool) {
	if o.err != nil {
		return safejs.Value{}, false
	}
	v, err := o.object.Get(name)
	o.note(name, err)
	if err != nil {
		return v, false
	}
	switch v.Type() {
	case want:
		return v, true
	case safejs.TypeUndefined, safejs.TypeNull:
	default:
		o.note(name, errors.New("is not a "+want.String()))
	}
	return v, false
}

func (o *Options) note(name string, err error) {
	if err != nil && o.err == nil {
		o.err = errors.New("option " + name + ": " + err.Error())
	}
}
