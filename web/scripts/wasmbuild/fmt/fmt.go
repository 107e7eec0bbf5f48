// Package fmt stands in for the standard one in the wasm, and only there:
// `make` lays it over that (go build -overlay).
//
// safejs formats a few errors, and for those the real one brings reflection,
// files and the operating system: a tenth of what a page downloads. This one
// holds just what safejs v0.1.1 calls. Code that wants more of fmt does not
// compile into the wasm, and none in core, jsbridge and wasm does.
package fmt

import (
	"errors"
	"strconv"
)

// State is what a [Formatter] writes to.
type State interface {
	Write(b []byte) (n int, err error)
	Width() (wid int, ok bool)
	Precision() (prec int, ok bool)
	Flag(c int) bool
}

// Formatter is here for its name: nothing in this package calls Format.
type Formatter interface {
	Format(f State, verb rune)
}

// Stringer is a value that has a text.
type Stringer interface{ String() string }

type writer interface {
	Write(b []byte) (n int, err error)
}

// Errorf returns an error with the formatted text. It wraps nothing: safejs
// has no %w.
func Errorf(format string, args ...any) error { return errors.New(Sprintf(format, args...)) }

// Fprint writes the texts of args one after another.
func Fprint(w writer, args ...any) (n int, err error) {
	var b []byte
	for _, arg := range args {
		b = append(b, text(arg)...)
	}
	return w.Write(b)
}

// Fprintf writes the formatted text.
func Fprintf(w writer, format string, args ...any) (n int, err error) {
	return w.Write([]byte(Sprintf(format, args...)))
}

// Sprintf knows %v, %+v, %s, %d and %q, of texts, numbers, errors and Stringers.
// It escapes nothing in %q: what is quoted is a name, and strconv's tables weigh 5 KB.
func Sprintf(format string, args ...any) string {
	var b []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		for i++; i < len(format) && format[i] == '+'; i++ {
		}
		switch {
		case i == len(format) || len(args) == 0:
			b = append(b, "%!"...)
		case format[i] == 'q':
			b, args = append(append(append(b, '"'), text(args[0])...), '"'), args[1:]
		default:
			b, args = append(b, text(args[0])...), args[1:]
		}
	}
	return string(b)
}

// text is what %v prints of the kinds that safejs passes and panics carry.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return "<nil>"
	case string:
		return value
	case error:
		return value.Error()
	case Stringer:
		return value.String()
	case int:
		return strconv.Itoa(value)
	case bool:
		return strconv.FormatBool(value)
	default:
		return "a value of another kind"
	}
}
